import type { Decision } from "./decision.js";
import type { ServiceError } from "./errors.js";
import type { MatchInfo, MatchResult } from "./match_info.js";

/**
 * What a bot thinks of a decision; it is recorded with the action. Each part may be missing.
 *
 * The value is from the view of the bot's own seat. The texts of `line` and `tags` have at most 960 bytes together,
 * where each text counts 4 more. If a part breaks a rule, the service leaves the whole thinking out and the session
 * tells why; the action counts.
 */
export interface BotThinking {
  /** The probability of winning the game, from 0 to 1; a drawn game counts half. */
  readonly winProbability?: number;
  /** In place of it, points: those that the game is expected to be worth, or those of the bot's own evaluation. */
  readonly points?: number;
  /** The depth of the search in plies. */
  readonly depth?: number;
  /** The number of positions looked at. */
  readonly nodes?: number | bigint;
  /** The time spent, in milliseconds. */
  readonly timeMs?: number;
  /** The actions that the bot expects, its own first. */
  readonly line?: readonly string[];
  /** Free remarks by name. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** An action, with what the bot thinks of it. */
export interface Choice {
  readonly action: string;
  readonly thinking?: BotThinking;
}

/** A bot of one match. It is asked for one decision at a time. */
export interface Bot {
  /**
   * Returns an action: one of `decision.legalActions` or `decision.offers`. A `Choice` is an action with what the bot
   * thinks of it, which is recorded.
   *
   * A bot that throws, or that chooses an impossible action, resigns the match: it would fail again at the same
   * decision. While a bot computes without awaiting anything, the other matches of the program wait.
   */
  choose(decision: Decision): string | Choice | Promise<string | Choice>;

  /**
   * Called when the service refuses the chosen action. Returns another one for the same decision, or a `Choice`, as
   * `choose` does; if it returns none, the bot has failed and its match is resigned.
   */
  refused?(decision: Decision, error: ServiceError): string | Choice | undefined | Promise<string | Choice | undefined>;

  /**
   * Called when the match is over, also if the bot was only made by then. The session ignores the return value, but
   * waits for it when it ends, for at most a second.
   */
  closed?(result: MatchResult): void | Promise<void>;
}

/** Makes the bot of a match, before its first decision. */
export type BotFactory = (match: MatchInfo) => Bot | Promise<Bot>;
