import { timestampDate } from "@bufbuild/protobuf/wkt";

import type { Decision } from "../decision.js";
import type { Decision as WireDecision } from "../gen/dragontooth/v1/match_pb.js";
import { historyEvents, type HistoryEvent } from "../history_event.js";
import { clocksMs, seatOf, type BySeat, type MatchInfo, type Seat } from "../match_info.js";
import type { Cancellation } from "./cancellation.js";
import type { Due, Times } from "./played.js";
import { decisionSeed, randomFrom } from "./seed.js";

/** A decision for a bot. Computes clocks, random numbers and the past when the bot asks for them: many bots do not. */
export class PendingDecision implements Decision {
  readonly match: MatchInfo;
  readonly game: string;
  readonly id: number;
  readonly seat: Seat;
  readonly gameNumber: number;
  readonly ply: number;
  readonly position: string;
  readonly legalActions: readonly string[];
  readonly offers: readonly string[];
  readonly roll: string | undefined;
  readonly #wire: WireDecision;
  readonly #wireSince: Due["since"];
  readonly #readTimes: Due["readTimes"];
  readonly #cancellation: Cancellation;
  readonly #botSeed: bigint;
  #since: readonly HistoryEvent[] | undefined;
  #times: Times | undefined;
  #seed: bigint | undefined;
  #random: (() => number) | undefined;

  constructor(info: MatchInfo, { wire, since, readTimes }: Due, cancellation: Cancellation, botSeed: bigint) {
    this.match = info;
    this.game = info.game;
    this.id = Number(wire.decisionId);
    this.seat = seatOf(wire.seat) ?? info.seat;
    this.gameNumber = wire.gameNumber;
    this.ply = wire.ply;
    this.position = wire.position;
    this.legalActions = wire.legalActions;
    this.offers = wire.offers;
    this.roll = wire.roll === "" ? undefined : wire.roll;
    this.#wire = wire;
    this.#wireSince = since;
    this.#readTimes = readTimes;
    this.#cancellation = cancellation;
    this.#botSeed = botSeed;
  }

  get since(): readonly HistoryEvent[] {
    this.#since ??= historyEvents(this.#wireSince);
    return this.#since;
  }

  get score(): BySeat<number> {
    return { first: this.#wire.score?.first ?? 0, second: this.#wire.score?.second ?? 0 };
  }

  get clocksMs(): BySeat<number | undefined> {
    return clocksMs(this.#wire);
  }

  get deadline(): Date | undefined {
    return this.#wire.deadline === undefined ? undefined : timestampDate(this.#wire.deadline);
  }

  get budgetMs(): number | undefined {
    return this.#until("choose");
  }

  get timeLeftMs(): number | undefined {
    return this.#until("end");
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  get seed(): bigint {
    const { title, id, seat } = this.match;
    this.#seed ??= decisionSeed(this.#botSeed, title === "" ? id : title, seat, this.id);
    return this.#seed;
  }

  get random(): () => number {
    this.#random ??= randomFrom(this.seed);
    return this.#random;
  }

  #until(moment: keyof Times): number | undefined {
    this.#times ??= this.#readTimes();
    return this.#times === undefined ? undefined : Math.max(0, this.#times[moment] - performance.now());
  }
}
