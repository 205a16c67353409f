// The protobuf messages and services, for programs that make their own calls.
export * from "./gen/dragontooth/v1/error_reason_pb.js";
export * from "./gen/dragontooth/v1/game_service_pb.js";
export * from "./gen/dragontooth/v1/match_pb.js";
export * from "./gen/dragontooth/v1/match_service_pb.js";
export * from "./gen/dragontooth/v1/player_service_pb.js";
