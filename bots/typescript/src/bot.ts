import type { Decision } from "./decision.js";
import type { ServiceError } from "./errors.js";
import type { MatchInfo, MatchResult } from "./match_info.js";

/** A bot of one match. It is asked for one decision at a time. */
export interface Bot {
  /**
   * Chooses an action: one of `decision.legalActions`, or of `decision.offers`.
   *
   * A bot that throws, or that chooses what cannot be played, resigns the match: at the same decision it would do
   * the same again. While a bot computes without awaiting anything, no other match of the program goes on.
   */
  choose(decision: Decision): string | Promise<string>;

  /**
   * The service refused the action that was chosen. Another one for the same decision is the answer then; without one
   * the bot has failed, and its match is resigned.
   */
  refused?(decision: Decision, error: ServiceError): string | undefined | Promise<string | undefined>;

  /** The match is over. Nobody waits for what it returns. */
  closed?(result: MatchResult): void | Promise<void>;
}

/** Makes the bot of a match, before its first decision. */
export type BotFactory = (match: MatchInfo) => Bot | Promise<Bot>;
