import type { HistoryEvent } from "./history_event.js";
import type { BySeat, MatchInfo, Seat } from "./match_info.js";

/** A decision that the bot has to make. */
export interface Decision {
  readonly match: MatchInfo;
  /** The game's name: `kamisado`, `linja`, `tzaar`, `backgammon`. */
  readonly game: string;
  /** The id that the answer names: the sequence of the event after which the decision was due. */
  readonly id: number;
  /** The seat that decides: the bot's. */
  readonly seat: Seat;
  /** The number of the game, from 1. */
  readonly gameNumber: number;
  /** The number of actions that have been played in the match, by both seats. */
  readonly ply: number;
  /** The position, in the game's notation; `dragontooth/games` reads it. */
  readonly position: string;
  /** The actions that the rules allow; empty if the session leaves them out. */
  readonly legalActions: readonly string[];
  /** Legal actions that are not moves of the game, such as Backgammon's `resign 1`. */
  readonly offers: readonly string[];
  /** The roll for the decision: Backgammon's dice, `31`. */
  readonly roll: string | undefined;
  /**
   * The events of play since the bot's previous decision, its own action included; since the beginning of the match at
   * its first. A bot that begins in the middle of a match gets those since the last decision that its player answered.
   */
  readonly since: readonly HistoryEvent[];
  /** The points of the match so far. */
  readonly score: BySeat<number>;
  /** The time that each seat had when the decision became due; none for a seat without a clock. */
  readonly clocksMs: BySeat<number | undefined>;
  /** When the clock runs out, by the service's time; none if none runs. */
  readonly deadline: Date | undefined;
  /**
   * Time to think from now: a sensible part of the clock minus the round trip of the answer. Computed on each read;
   * undefined for a seat without a clock.
   */
  readonly budgetMs: number | undefined;
  /** The time until the clock runs out, from now on, as the service counts; none for a seat without a clock. */
  readonly timeLeftMs: number | undefined;
  /** Aborted when the answer is not wanted any more: the match is over, or the session has ended. */
  readonly signal: AbortSignal;
  /** Seed for the random choices of this decision: the same for the same seed, title, seat and decision. */
  readonly seed: bigint;
  /** The next number of a generator that begins with `seed`: at least 0 and below 1. */
  random(): number;
}
