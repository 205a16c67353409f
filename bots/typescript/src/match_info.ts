import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs, durationMs } from "@bufbuild/protobuf/wkt";

import {
  Seat as WireSeat,
  Termination,
  type Decision,
  type Match,
  type TimeControl as WireTimeControl,
  type TimeControlSchema,
} from "./gen/dragontooth/v1/match_pb.js";

/** One of the two sides of a match, for the whole match. Which one opens a game is for the game's rules. */
export type Seat = "first" | "second";

/** A value for each seat. */
export interface BySeat<T> {
  readonly first: T;
  readonly second: T;
}

/** A time control, in milliseconds. */
export type TimeControl =
  | { readonly kind: "per_action"; readonly limitMs: number }
  | { readonly kind: "fischer"; readonly baseMs: number; readonly incrementMs: number }
  | { readonly kind: "delay"; readonly baseMs: number; readonly delayMs: number };

/** The facts about a match that a bot knows from the start. */
export interface MatchInfo {
  /** A UUID. */
  readonly id: string;
  /** The title that its creator gave it. */
  readonly title: string;
  /** The game's name: `kamisado`, `linja`, `tzaar`, `backgammon`. */
  readonly game: string;
  /** The variant's name. */
  readonly variant: string;
  /** The points that win the match. */
  readonly target: number;
  /** The bot's seat. */
  readonly seat: Seat;
  /** The opponent's name; empty if it gave none. */
  readonly opponent: string;
  /** The agreement on time of the bot's seat; none for no clock. */
  readonly timeControl: TimeControl | undefined;
}

/** The result of a match. */
export interface MatchResult {
  readonly matchId: string;
  /** The player's seat; none if the match was never opened. */
  readonly seat: Seat | undefined;
  /** Undefined if the match was drawn or aborted. */
  readonly winner: Seat | undefined;
  /** A word: `normal`, `timeout`, `resignation`, `aborted`, `disconnect`, `expired`, `declined`, or one of a later service. */
  readonly termination: string;
  /**
   * Of a resignation, why the player's program could not continue; otherwise why an operator aborted the match, or a
   * player declined it. Empty if none was given.
   */
  readonly reason: string;
  readonly score: BySeat<number>;
}

/** A seat of the wire; none for no seat. */
export function seatOf(seat: WireSeat): Seat | undefined {
  if (seat === WireSeat.FIRST) {
    return "first";
  }
  return seat === WireSeat.SECOND ? "second" : undefined;
}

/** A seat for the wire. */
export function wireSeat(seat: Seat | undefined): WireSeat {
  if (seat === undefined) {
    return WireSeat.UNSPECIFIED;
  }
  return seat === "first" ? WireSeat.FIRST : WireSeat.SECOND;
}

/** Returns the facts about a match for a bot on this seat. */
export function matchInfo(match: Match, seat: Seat): MatchInfo {
  const opponent = match.seats.find((info) => seatOf(info.seat) !== seat);
  const own = match.seats.find((info) => seatOf(info.seat) === seat);
  return {
    id: match.id,
    title: match.title,
    game: match.game,
    variant: match.variant,
    target: match.target,
    seat,
    opponent: opponent?.name ?? "",
    timeControl: timeControl(own?.timeControl ?? match.timeControl),
  };
}

/** Returns the result of a match for the player on this seat. */
export function matchResult(match: Match, seat: Seat | undefined): MatchResult {
  return {
    matchId: match.id,
    seat,
    winner: match.outcome === undefined ? undefined : seatOf(match.outcome.winner),
    termination: terminationName(match.outcome?.termination ?? Termination.UNSPECIFIED),
    reason: match.outcome?.reason ?? "",
    score: { first: match.score?.first ?? 0, second: match.score?.second ?? 0 },
  };
}

function terminationName(termination: Termination): string {
  return (Termination[termination] ?? `unknown_${termination}`).toLowerCase();
}

function timeControl(control: WireTimeControl | undefined): TimeControl | undefined {
  const kind = control?.kind;
  const ms = (duration: Parameters<typeof durationMs>[0] | undefined) =>
    duration === undefined ? 0 : durationMs(duration);
  switch (kind?.case) {
    case "perAction":
      return { kind: "per_action", limitMs: ms(kind.value.limit) };
    case "fischer":
      return { kind: "fischer", baseMs: ms(kind.value.base), incrementMs: ms(kind.value.increment) };
    case "delay":
      return { kind: "delay", baseMs: ms(kind.value.base), delayMs: ms(kind.value.delay) };
    default:
      return undefined;
  }
}

/** Returns a time control as a message; one for no clock has no kind. */
export function timeControlMessage(control: TimeControl | undefined): MessageInitShape<typeof TimeControlSchema> {
  switch (control?.kind) {
    case undefined:
      return {};
    case "per_action":
      return { kind: { case: "perAction", value: { limit: durationFromMs(control.limitMs) } } };
    case "fischer": {
      const [base, increment] = [durationFromMs(control.baseMs), durationFromMs(control.incrementMs)];
      return { kind: { case: "fischer", value: { base, increment } } };
    }
    case "delay": {
      const [base, delay] = [durationFromMs(control.baseMs), durationFromMs(control.delayMs)];
      return { kind: { case: "delay", value: { base, delay } } };
    }
  }
}

/** Returns the clocks of a decision; undefined for a seat without one. */
export function clocksMs(wire: Decision): BySeat<number | undefined> {
  const of = (seat: Seat) => {
    const remaining = wire.clocks.find((clock) => seatOf(clock.seat) === seat)?.remaining;
    return remaining === undefined ? undefined : durationMs(remaining);
  };
  return { first: of("first"), second: of("second") };
}
