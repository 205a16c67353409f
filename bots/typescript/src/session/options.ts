import type { AcceptedGame } from "../accepted_game.js";
import type { Bot, BotFactory } from "../bot.js";
import type { ClientOptions } from "../client.js";
import type { MatchInfo } from "../match_info.js";
import type { Notice } from "./notice.js";

/** Default time to keep trying before the first connection. */
export const FIRST_PATIENCE_MS = 10_000;
/** Default time to keep reconnecting. */
export const PATIENCE_MS = 600_000;
/** Default number of matches played at once. */
export const MATCHES_AT_ONCE = 1024;

/** Options of a session. */
export interface SessionOptions extends ClientOptions {
  /** Creates the bot of each match; or one bot for all matches, if it has no state per match. */
  readonly bot: BotFactory | Bot;
  /** The player's name in the matches to which it is invited, at most 64 bytes. */
  readonly name?: string;
  /**
   * The player's share of the seed for dice and other draws in those matches, at most 64 bytes; by default one derived
   * from `drawSecret`, which nobody else can know in advance.
   */
  readonly drawSeed?: string;
  /** The secret from which the shares are derived; by default drawn from the operating system. */
  readonly drawSecret?: string;
  /** Seed of the bot's random choices; 0 by default. */
  readonly seed?: bigint;
  /** Filter for invitations; by default all are accepted. The others are declined, which ends their matches. */
  readonly accept?: (match: MatchInfo) => boolean;
  /**
   * The games that the player accepts: invitations must fit one of them, in addition to `accept`. The service lists the
   * player with them; by default with every game.
   */
  readonly accepts?: readonly AcceptedGame[];
  /** The build of the bot, such as `v12` or a commit, at most 64 bytes; shown in the service's list of players. */
  readonly build?: string;
  /** End after this many matches, and accept no more. */
  readonly matches?: number;
  /** Play only this match, in which the player has a seat, and end when it is over. Other invitations are left alone. */
  readonly matchId?: string;
  /** Greatest number of matches played at once. */
  readonly matchesAtOnce?: number;
  /** Leave the legal actions out of the decisions: for engines that know the rules. */
  readonly omitLegalActions?: boolean;
  /** Time to keep trying before the first connection, in milliseconds. */
  readonly firstPatienceMs?: number;
  /** Time to keep reconnecting after a lost connection, in milliseconds. */
  readonly patienceMs?: number;
  /** Receives the events of the session. */
  readonly onNotice?: (notice: Notice) => void;
}
