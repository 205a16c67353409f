// The messages and services as they are on the wire, for programs that make calls of their own.
export * from "./gen/dragontooth/v1/error_reason_pb.js";
export * from "./gen/dragontooth/v1/game_service_pb.js";
export * from "./gen/dragontooth/v1/match_pb.js";
export * from "./gen/dragontooth/v1/match_service_pb.js";
export * from "./gen/dragontooth/v1/player_service_pb.js";
