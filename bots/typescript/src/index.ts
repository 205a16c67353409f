// The public API for bot authors. Positions are in `dragontooth/games`, the protobuf messages in `dragontooth/proto`.
export { Code } from "@connectrpc/connect";
export type { AcceptedGame } from "./accepted_game.js";
export type { Bot, BotFactory, BotThinking, Choice } from "./bot.js";
export { DEFAULT_SERVER } from "./address.js";
export { Client, readTlsFiles, type ClientOptions, type OfferOptions, type TlsOptions } from "./client.js";
export type { Decision } from "./decision.js";
export {
  ServiceError,
  SessionError,
  isReason,
  serviceError,
  type FieldViolation,
  type SessionFailure,
} from "./errors.js";
export type { HistoryEvent } from "./history_event.js";
export type { BySeat, MatchInfo, MatchResult, Seat, TimeControl } from "./match_info.js";
export type { Offer } from "./offer.js";
export { REASONS, type Reason, type ReasonInfo } from "./reasons.js";
export type { Notice, Summary } from "./session/notice.js";
export { FIRST_PATIENCE_MS, MATCHES_AT_ONCE, PATIENCE_MS, type SessionOptions } from "./session/options.js";
export { decisionSeed, randomFrom } from "./session/seed.js";
export { randomSecret, share } from "./session/share.js";
export { Session, play } from "./session/session.js";
