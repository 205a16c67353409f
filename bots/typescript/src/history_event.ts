import type { HistoryEvent as WireEvent } from "./gen/dragontooth/v1/match_pb.js";
import { seatOf, type BySeat, type Seat } from "./match_info.js";

/** An event of play; `sequence` is its number among all events of the match. */
export type HistoryEvent =
  /** A game began, from this position. Games count from 1. */
  | { readonly type: "game_started"; readonly sequence: number; readonly gameNumber: number; readonly position: string }
  /** A seat played this action, in canonical notation. */
  | { readonly type: "action_played"; readonly sequence: number; readonly seat: Seat; readonly action: string }
  /** A seat had no legal action and its turn passed. */
  | { readonly type: "turn_passed"; readonly sequence: number; readonly seat: Seat }
  /** This roll was drawn, such as the dice `31`. */
  | { readonly type: "rolled"; readonly sequence: number; readonly roll: string }
  /** A game ended by its rules; a drawn one has no winner. `reason` is a word, `score` that of the match after it. */
  | {
      readonly type: "game_ended";
      readonly sequence: number;
      readonly winner: Seat | undefined;
      readonly points: number;
      readonly reason: string;
      readonly score: BySeat<number>;
    };

/** Returns the events of play, without those of kinds that later services add. */
export function historyEvents(wire: readonly WireEvent[]): HistoryEvent[] {
  return wire.map(historyEvent).filter((event) => event !== undefined);
}

function historyEvent({ sequence: number, seat: wireSeat, event }: WireEvent): HistoryEvent | undefined {
  const sequence = Number(number);
  const seat = seatOf(wireSeat);
  switch (event.case) {
    case "action":
      return seat && { type: "action_played", sequence, seat, action: event.value };
    case "turnPassed":
      return seat && { type: "turn_passed", sequence, seat };
    case "roll":
      return { type: "rolled", sequence, roll: event.value };
    case "gameStarted":
      return { type: "game_started", sequence, gameNumber: event.value.gameNumber, position: event.value.position };
    case "gameEnded": {
      const { outcome, score } = event.value;
      return {
        type: "game_ended",
        sequence,
        winner: outcome === undefined ? undefined : seatOf(outcome.winner),
        points: outcome?.points ?? 0,
        reason: outcome?.reason ?? "",
        score: { first: score?.first ?? 0, second: score?.second ?? 0 },
      };
    }
    default:
      return undefined;
  }
}
