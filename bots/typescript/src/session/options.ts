import type { Bot, BotFactory } from "../bot.js";
import type { ClientOptions } from "../client.js";
import type { MatchInfo } from "../match_info.js";
import type { Notice } from "./notice.js";

/** How long a session tries to reach the service for the first time, unless it is told otherwise. */
export const FIRST_PATIENCE_MS = 10_000;
/** How long a session tries to reach the service again, unless it is told otherwise. */
export const PATIENCE_MS = 600_000;
/** How many matches a session plays at once, unless it is told otherwise. */
export const MATCHES_AT_ONCE = 1024;

/** How a session plays. */
export interface SessionOptions extends ClientOptions {
  /** Makes the bot of each match; or one bot for all of them, if it keeps nothing of a match. */
  readonly bot: BotFactory | Bot;
  /** The player's name in the matches to which it is invited, at most 64 bytes. */
  readonly name?: string;
  /** What the player adds to the random choices of those matches, at most 64 bytes. */
  readonly drawSeed?: string;
  /** What the seeds of the decisions follow from; 0 if it is not set. */
  readonly seed?: bigint;
  /** Which invitations to accept; all if it is not set. */
  readonly accept?: (match: MatchInfo) => boolean;
  /** End when so many matches are over, and accept no more. */
  readonly matches?: number;
  /** End when this match is over, in which the player has a seat, and accept no other. */
  readonly matchId?: string;
  /** How many matches to play at once, at most. */
  readonly matchesAtOnce?: number;
  /** Leave the legal actions out of the decisions: for engines that know the rules. */
  readonly omitLegalActions?: boolean;
  /** How long to try to reach the service for the first time, in milliseconds. */
  readonly firstPatienceMs?: number;
  /** How long to try to reach the service again after a lost connection, in milliseconds. */
  readonly patienceMs?: number;
  /** Is told what happens. */
  readonly onNotice?: (notice: Notice) => void;
}
