// A match as its events tell it, step by step.
import { counted, milliseconds, time } from "./format.js";
import { moverOf, type SeatNumber } from "./games.js";
import type { Match, MatchEvent, MatchOutcome, SeatInfo, Thinking } from "./gen/dragontooth/v1/match_pb.js";

/** The cause of a step. */
export type StepKind = "start" | "action" | "roll" | "pass" | "refused";

/** A step of a match: a position, and what led to it. */
export interface Step {
  /** The event that recorded it. */
  readonly sequence: number;
  /** The number of the game, from 1. */
  readonly game: number;
  readonly kind: StepKind;
  /** The seat that acted or passed; undefined for a roll or a start. */
  readonly seat: SeatNumber | undefined;
  /** The action as it was sent, or the roll. */
  readonly text: string;
  /** Why an action was refused. */
  readonly refusal?: string;
  readonly position: string;
  /** The points of both seats after it. */
  score: readonly [number, number];
  /** The time of both seats after it, in milliseconds; undefined for a seat without a clock. */
  readonly remaining: readonly [number | undefined, number | undefined];
  /** The time that the action took, in milliseconds; undefined if it is not known. */
  readonly spent: number | undefined;
  /** What the seat thought of the action; undefined if it sent nothing, or this reader must not see it yet. */
  thinking: Thinking | undefined;
  /** The end of the game that it brought. */
  end?: string;
}

/** A match and all of its steps up to the last event that has come. */
export class MatchLog {
  /** The match at its creation, with the seats as they are taken. */
  match: Match | undefined;
  readonly steps: Step[] = [];
  /** The last event. */
  sequence = 0;
  outcome: MatchOutcome | undefined;
  /** The event that made the decision due which is due now; it stays due when an action is refused. */
  decision = 0;
  /** When that event was recorded, in milliseconds since 1970 by the service's time. */
  dueSince = 0;
  #score: [number, number] = [0, 0];
  #remaining: [number | undefined, number | undefined] = [undefined, undefined];
  #game = 0;

  /** Adds the next event; returns false for one with a gap before it. One that is there already only brings thoughts. */
  add(event: MatchEvent): boolean {
    const sequence = Number(event.sequence);
    if (sequence <= this.sequence) {
      const known = this.steps.find((step) => step.sequence === sequence);
      if (known !== undefined && event.event.case === "actionPlayed") {
        known.thinking = event.event.value.thinking;
      }
      return true;
    }
    if (sequence !== this.sequence + 1) {
      return false;
    }
    this.sequence = sequence;
    const before = this.dueSince;
    if (event.event.case !== "actionRefused") {
      this.decision = sequence;
      this.dueSince = time(event.time) ?? before;
    }
    this.#apply(event, before);
    return true;
  }

  /** The last step. */
  get last(): Step | undefined {
    return this.steps.at(-1);
  }

  /** The seat that decides now; undefined if none does. */
  get mover(): SeatNumber | undefined {
    const step = this.last;
    return step === undefined || this.outcome !== undefined || this.match === undefined
      ? undefined
      : moverOf(this.match.game, step.game, step.position);
  }

  /** The seat of a number. */
  seat(number: SeatNumber): SeatInfo | undefined {
    return this.match?.seats[number - 1];
  }

  #apply(message: MatchEvent, before: number): void {
    const event = message.event;
    switch (event.case) {
      case "created":
        this.match = event.value.match;
        break;
      case "seatJoined": {
        const { seat, playerId, name, seed, nameVerified } = event.value;
        const info = this.seat(seat as SeatNumber);
        if (info !== undefined) {
          Object.assign(info, { playerId, name, seed, nameVerified, joined: true });
        }
        break;
      }
      case "gameStarted":
        this.#game = event.value.gameNumber;
        this.#step("start", undefined, "", event.value.position);
        break;
      case "actionPlayed": {
        const { seat, action, position, remaining, receiveTime, thinking } = event.value;
        const number = seat as SeatNumber;
        this.#remaining = [...this.#remaining];
        this.#remaining[number - 1] = milliseconds(remaining);
        const received = time(receiveTime);
        const spent = received === undefined || before === 0 ? undefined : Math.max(0, received - before);
        this.#step("action", number, action, position, { spent, thinking });
        break;
      }
      case "rolled":
        this.#step("roll", undefined, event.value.roll, event.value.position);
        break;
      case "turnPassed":
        this.#step("pass", event.value.seat as SeatNumber, "", event.value.position);
        break;
      case "actionRefused": {
        const { seat, action, rule } = event.value;
        const refusal = rule === "" ? "unreadable" : `illegal: ${rule}`;
        this.#step("refused", seat as SeatNumber, action, this.last?.position ?? "", { refusal });
        break;
      }
      case "gameEnded": {
        const { score, outcome } = event.value;
        this.#score = [score?.first ?? 0, score?.second ?? 0];
        const last = this.last;
        if (last !== undefined && outcome !== undefined) {
          last.score = this.#score;
          const reason = outcome.reason.replaceAll("_", " ");
          const points = counted(outcome.points, "point");
          last.end = outcome.winner === 0 ? `drawn: ${reason}` : `${this.#name(outcome.winner)} wins ${points}: ${reason}`;
        }
        break;
      }
      case "matchEnded":
        this.outcome = event.value.outcome;
        break;
    }
  }

  #step(kind: StepKind, seat: SeatNumber | undefined, text: string, position: string, more: Partial<Step> = {}): void {
    this.steps.push({
      sequence: this.sequence,
      game: this.#game,
      kind,
      seat,
      text,
      position,
      score: this.#score,
      remaining: this.#remaining,
      spent: undefined,
      thinking: undefined,
      ...more,
    });
  }

  #name(seat: number): string {
    const info = this.seat(seat as SeatNumber);
    return info === undefined || info.name === "" ? `seat ${seat}` : info.name;
  }
}
