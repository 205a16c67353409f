import type { Decision } from "./decision.js";
import type { ServiceError } from "./errors.js";
import type { MatchInfo, MatchResult } from "./match_info.js";

/** A bot of one match. It is asked for one decision at a time. */
export interface Bot {
  /**
   * Returns an action: one of `decision.legalActions` or `decision.offers`.
   *
   * A bot that throws, or that chooses an impossible action, resigns the match: it would fail again at the same
   * decision. While a bot computes without awaiting anything, the other matches of the program wait.
   */
  choose(decision: Decision): string | Promise<string>;

  /**
   * Called when the service refuses the chosen action. Returns another one for the same decision; if it returns none,
   * the bot has failed and its match is resigned.
   */
  refused?(decision: Decision, error: ServiceError): string | undefined | Promise<string | undefined>;

  /** Called when the match is over. The session ignores the return value. */
  closed?(result: MatchResult): void | Promise<void>;
}

/** Makes the bot of a match, before its first decision. */
export type BotFactory = (match: MatchInfo) => Bot | Promise<Bot>;
