import type { MatchInfo, MatchResult } from "../match_info.js";

/** An event of a session that its owner may want to show. */
export type Notice =
  /** The stream is open, for the first time or again. */
  | { readonly type: "connected"; readonly playerId: string }
  /** There is no connection; the session reconnects by itself. */
  | { readonly type: "disconnected"; readonly reason: string; readonly pauseMs: number }
  /** A match opened. Sent once per match, even after a lost connection. */
  | { readonly type: "opened"; readonly match: MatchInfo }
  /** A match is over. */
  | { readonly type: "closed"; readonly result: MatchResult }
  /** The bot of a match failed, and the match is resigned. */
  | { readonly type: "bot_failed"; readonly matchId: string; readonly failure: string }
  /** A warning that may explain the course of a match. */
  | { readonly type: "warning"; readonly matchId: string | undefined; readonly message: string };

/** The totals of a session. */
export interface Summary {
  /** Matches that are over. */
  matches: number;
  /** Those that the player won. */
  won: number;
  /** Those that the opponent won. */
  lost: number;
  /** Answers that the service accepted. */
  answers: number;
  /** Matches that were resigned because the bot failed. */
  failures: number;
}
