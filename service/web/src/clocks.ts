// The clocks of a match that is under way.
import { milliseconds, time } from "./format.js";
import type { SeatNumber } from "./games.js";
import { Seat, Termination, type Match } from "./gen/dragontooth/v1/match_pb.js";
import type { MatchLog } from "./match_log.js";

/** The time by which the clock of the seat that decides runs out. */
interface Deadline {
  /** The event that made the decision due. */
  readonly decision: number;
  /** In milliseconds since 1970, by the service's time. */
  readonly at: number;
}

/** The clocks as the events tell them, and what the service says of the one that runs. */
export class Clocks {
  #deadline: Deadline | undefined;

  /** Takes note of the deadline of a match as the service gives it: after a restart a clock starts again. */
  note(match: Match): void {
    const at = time(match.deadline);
    this.#deadline = at === undefined ? undefined : { decision: Number(match.decisionId), at };
  }

  /** The time of a seat at the start, in milliseconds; undefined without a clock. */
  start(log: MatchLog, seat: SeatNumber): number | undefined {
    return startTime(log, seat);
  }

  /** The time that a seat has left at `now`, by the service's time in milliseconds; undefined without a clock. */
  left(log: MatchLog, seat: SeatNumber, now: number): number | undefined {
    const remaining = log.last?.remaining[seat - 1] ?? startTime(log, seat);
    const { outcome } = log;
    // No event tells the time of a seat that has run out of it.
    if (remaining !== undefined && outcome?.termination === Termination.TIMEOUT && outcome.winner !== Seat.UNSPECIFIED && outcome.winner !== seat) {
      return 0;
    }
    if (remaining === undefined || log.mover !== seat) {
      return remaining;
    }
    const deadline =
      this.#deadline?.decision === log.decision ? this.#deadline.at : log.dueSince + delay(log, seat) + remaining;
    return Math.max(0, Math.min(remaining, deadline - now));
  }
}

/** The time of a seat at the start, in milliseconds; undefined without a clock. */
function startTime(log: MatchLog, seat: SeatNumber): number | undefined {
  const kind = log.seat(seat)?.timeControl?.kind;
  switch (kind?.case) {
    case "perAction":
      return milliseconds(kind.value.limit);
    case "fischer":
    case "delay":
      return milliseconds(kind.value.base);
    default:
      return undefined;
  }
}

/** The time of a decision that is not deducted, in milliseconds. */
function delay(log: MatchLog, seat: SeatNumber): number {
  const kind = log.seat(seat)?.timeControl?.kind;
  return kind?.case === "delay" ? (milliseconds(kind.value.delay) ?? 0) : 0;
}
