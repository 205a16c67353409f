import type { MatchInfo, MatchResult } from "../match_info.js";

/** Something in a session that its owner may want to tell. */
export type Notice =
  /** The stream is open, for the first time or again. */
  | { readonly type: "connected"; readonly playerId: string }
  /** There is no connection; the next try follows by itself. */
  | { readonly type: "disconnected"; readonly reason: string; readonly pauseMs: number }
  /** A match is played from here on. It comes once a match, also after a lost connection. */
  | { readonly type: "opened"; readonly match: MatchInfo }
  /** A match is over. */
  | { readonly type: "closed"; readonly result: MatchResult }
  /** The bot of a match failed, and the match is resigned. */
  | { readonly type: "bot_failed"; readonly matchId: string; readonly failure: string }
  /** Something that may explain why a match goes as it does. */
  | { readonly type: "warning"; readonly matchId: string | undefined; readonly message: string };

/** What a session has done. */
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
