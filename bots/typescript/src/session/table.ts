import { durationMs, timestampMs } from "@bufbuild/protobuf/wkt";

import type { Bot } from "../bot.js";
import { SessionError, type ServiceError } from "../errors.js";
import type { PlayResponse_AnswerAccepted, PlayResponse_Refused } from "../gen/dragontooth/v1/game_service_pb.js";
import { MatchState, type Decision as WireDecision, type Match } from "../gen/dragontooth/v1/match_pb.js";
import { matchInfo, matchResult, seatOf, type BySeat, type MatchResult, type Seat } from "../match_info.js";
import { SAFETY_MARGIN_MS, allowanceMs, thinkingTimeMs } from "./budget.js";
import { RoundTrips, ServerClock } from "./clocks.js";
import type { Notice, Summary } from "./notice.js";
import { MATCHES_AT_ONCE, type SessionOptions } from "./options.js";
import { Played, verdictOf, type Answer, type Due } from "./played.js";
import type { Failure } from "./thinking.js";

/**
 * How long to wait before a request is made again that the service could not grant just now and for which it names no
 * time.
 */
const RETRY_PAUSE_MS = 250;
/**
 * How long a new stream may take to tell of all matches that are not over. It counts only where they cannot be asked
 * for.
 */
const TOLD_LIMIT_MS = 10_000;

/** What a table has its session do. What cannot be sent any more is due again on the next stream. */
export interface Effects {
  accept(matchId: string): void;
  answer(answer: Answer): void;
  resign(matchId: string, failure: string): void;
  /** Ask the match's bot. */
  ask(played: Played, due: Due, signal: AbortSignal): void;
  /** Ask the service after so long how the match stands, since it may have ended while nobody listened. */
  check(matchId: string, pauseMs: number): void;
  /** Call `retry` after so long. */
  retry(matchId: string, pauseMs: number): void;
  tell(notice: Notice): void;
  fail(error: SessionError): void;
}

/** The matches of a session: what happens to them and what is to be done about it. It does no I/O. */
export class Table {
  readonly #options: SessionOptions;
  readonly #effects: Effects;
  readonly #matches = new Map<string, Played>();
  /** Invitations that wait until there is room, in the order in which they came. */
  readonly #invited = new Set<string>();
  /** Invitations that were accepted, until their match opens. */
  readonly #accepted = new Set<string>();
  readonly #clock: ServerClock;
  readonly #roundTrips = new RoundTrips();
  #playerId: string | undefined;
  #awaited: string | undefined;
  readonly summary: Summary = { matches: 0, won: 0, lost: 0, answers: 0, failures: 0 };

  constructor(options: SessionOptions, effects: Effects, now: number, wall: number) {
    this.#options = options;
    this.#effects = effects;
    this.#awaited = options.matchId;
    this.#clock = new ServerClock(now, wall);
  }

  /** Whether all is played that was to be played. */
  get isDone(): boolean {
    if (this.#options.matchId !== undefined) {
      return this.#awaited === undefined;
    }
    return this.#options.matches !== undefined && this.summary.matches >= this.#options.matches;
  }

  /** A stream is open, on which the service tells everything from the beginning. */
  connected(playerId: string): void {
    this.#playerId = playerId;
    this.#invited.clear();
    for (const played of this.#matches.values()) {
      played.fresh = false;
      played.standing = "unheard";
    }
    this.#effects.tell({ type: "connected", playerId });
    const awaited = this.#awaited === undefined ? [] : [this.#awaited];
    for (const matchId of new Set([...this.#matches.keys(), ...this.#accepted, ...awaited])) {
      this.#effects.check(matchId, 0);
    }
  }

  /** A seat is kept for the player. */
  invited(match: Match, seat: Seat): void {
    if (this.#accepted.has(match.id)) {
      this.#effects.accept(match.id);
    } else if (this.#options.accept?.(matchInfo(match, seat)) ?? true) {
      this.#invited.add(match.id);
      this.#acceptMore();
    } else {
      this.#warn(match.id, `an invitation to ${match.game} ${match.variant} is left alone: the bot accepts others`);
    }
  }

  opened(match: Match, seat: Seat): void {
    this.#invited.delete(match.id);
    this.#accepted.delete(match.id);
    const played = this.#matches.get(match.id);
    if (played !== undefined) {
      played.standing = "live";
    } else {
      const info = matchInfo(match, seat);
      this.#matches.set(match.id, new Played(info));
      this.#effects.tell({ type: "opened", match: info });
    }
  }

  decision(wire: WireDecision, now: number): void {
    const played = this.#matches.get(wire.matchId);
    if (played === undefined) {
      this.#warn(wire.matchId, "a decision of a match that was not opened");
    } else if (played.failure !== undefined) {
      this.#effects.resign(wire.matchId, played.failure);
    } else if (!played.thinksAbout(wire.decisionId)) {
      const answer = played.decide({ wire, times: this.#times(played, wire, now) }, now);
      if (answer !== undefined) {
        this.#effects.answer(answer);
      }
      this.#askNext(played, now);
    }
  }

  /** A bot has decided. */
  chosen(matchId: string, decisionId: bigint, action: string, now: number): void {
    const played = this.#matches.get(matchId);
    if (played === undefined || !played.thinksAbout(decisionId)) {
      return;
    }
    const answer = played.chosen(decisionId, action, now);
    if (answer !== undefined) {
      this.#effects.answer(answer);
    }
    this.#askNext(played, now);
  }

  /** A bot has come back from a decision whose answer is not wanted any more. */
  dropped(matchId: string, decisionId: bigint, now: number): void {
    const played = this.#matches.get(matchId);
    if (played?.thinksAbout(decisionId)) {
      played.dropped();
      this.#askNext(played, now);
    }
  }

  /**
   * A bot that fails once would fail again at the same decision: the opponent need not wait until its clock has run
   * out.
   */
  botFailed(matchId: string, { failure, place }: Failure): void {
    const played = this.#matches.get(matchId);
    if (played === undefined || played.failure !== undefined) {
      return;
    }
    played.failed(failure);
    this.summary.failures += 1;
    const told = place === undefined ? failure : `${failure} (${place})`;
    this.#effects.tell({ type: "bot_failed", matchId, failure: told });
    this.#effects.resign(matchId, failure);
  }

  accepted(accepted: PlayResponse_AnswerAccepted, now: number): void {
    const played = this.#matches.get(accepted.matchId);
    if (played !== undefined) {
      this.summary.answers += 1;
      played.fresh = true;
      const at = played.sentAt(accepted.decisionId);
      if (at !== undefined) {
        this.#roundTrips.add(now - at);
      }
    }
  }

  refused(refused: PlayResponse_Refused, error: ServiceError, now: number): void {
    const { matchId, decisionId } = refused;
    if (matchId === "") {
      this.#warn(undefined, `the service refuses a request that names no match: ${error}`);
    } else if (error.isTransient) {
      this.#warn(matchId, `the service cannot do it now: ${error}`);
      this.#effects.retry(matchId, error.retryAfterMs ?? RETRY_PAUSE_MS);
    } else if (decisionId !== 0n) {
      if (this.#matches.get(matchId)?.requestId === refused.requestId) {
        this.#answerRefused(matchId, error, now);
      }
    } else if (this.#accepted.delete(matchId)) {
      this.#warn(matchId, `an invitation cannot be accepted: ${error}`);
      this.#acceptMore();
    } else if (verdictOf(error.reason) !== "overtaken") {
      this.#warn(matchId, `the match cannot be resigned: ${error}`);
    }
  }

  /** Makes a request again that was refused for the time being. */
  retry(matchId: string, now: number): void {
    const played = this.#matches.get(matchId);
    if (this.#accepted.has(matchId)) {
      this.#effects.accept(matchId);
    } else if (played?.failure !== undefined) {
      this.#effects.resign(matchId, played.failure);
    } else {
      const answer = played?.answerAgain(now);
      if (answer !== undefined) {
        this.#effects.answer(answer);
      }
    }
  }

  /** How a match stands that was known before the stream was opened. */
  checked(match: Match, now: number): void {
    if (match.state === MatchState.ENDED) {
      this.closed(match, now);
    }
  }

  /** The service does not tell how a match stands that was known before the stream was opened. */
  unchecked(matchId: string, error: ServiceError): void {
    if (error.isTransient) {
      this.#effects.check(matchId, error.retryAfterMs ?? RETRY_PAUSE_MS);
    } else if (error.reason === "SCOPE_MISSING" && this.#isTold(matchId)) {
      // A token that does not allow to watch; the match goes on all the same.
    } else if (this.#awaited === matchId) {
      this.#effects.fail(
        new SessionError("match_unavailable", `the match ${matchId} cannot be played: ${error}`, error),
      );
    } else {
      this.#warn(matchId, `the match is gone: ${error}`);
      this.#forget(matchId);
    }
  }

  closed(match: Match, now: number): void {
    const played = this.#matches.get(match.id);
    if (played === undefined && !this.#accepted.has(match.id) && this.#awaited !== match.id) {
      this.#invited.delete(match.id);
      return;
    }
    const own = match.seats.find(({ playerId, joined }) => joined && playerId === this.#playerId);
    const seat = played?.info.seat ?? (own === undefined ? undefined : seatOf(own.seat));
    const result = matchResult(match, seat);
    this.summary.matches += 1;
    if (result.winner !== undefined && result.winner === seat) {
      this.summary.won += 1;
    } else if (result.winner !== undefined) {
      this.summary.lost += 1;
    }
    if (this.#awaited === match.id) {
      this.#awaited = undefined;
    }
    const thinking = played?.thinking;
    if (thinking !== undefined) {
      const seconds = ((now - thinking.since) / 1000).toFixed(3);
      this.#warn(match.id, `it ended while the bot thought about decision ${thinking.id}, for ${seconds} s by then`);
    }
    this.#effects.tell({ type: "closed", result });
    void this.#tellEnd(played?.bot, result);
    this.#forget(match.id);
  }

  /** Tells a bot how its match ended; whether it takes note at once or later, its failure ends nothing else. */
  async #tellEnd(bot: Bot | undefined, result: MatchResult): Promise<void> {
    try {
      await bot?.closed?.(result);
    } catch (error) {
      this.#warn(result.matchId, `the bot fails to take note of the end: ${error}`);
    }
  }

  heartbeat(serverTime: number, now: number): void {
    this.#clock.observe(serverTime, now);
  }

  /** Nothing is asked or answered any more. */
  stop(): void {
    for (const played of this.#matches.values()) {
      played.stop();
    }
  }

  #askNext(played: Played, now: number): void {
    const question = played.nextQuestion(now);
    if (question !== undefined) {
      this.#effects.ask(played, question.due, question.signal);
    }
  }

  #answerRefused(matchId: string, error: ServiceError, now: number): void {
    const played = this.#matches.get(matchId);
    switch (verdictOf(error.reason)) {
      case "bot_failed":
        if (played?.refused(error)) {
          this.#warn(matchId, `an answer is refused, and the bot asked again: ${error}`);
          this.#askNext(played, now);
        } else {
          this.botFailed(matchId, { failure: `its answer is refused: ${error}` });
        }
        break;
      case "overtaken":
        this.#warn(matchId, `an answer came too late: ${error}`);
        break;
      case "gone":
        this.#warn(matchId, `the match is gone: ${error}`);
        this.#forget(matchId);
        break;
      case "unclear":
        this.#warn(matchId, `an answer is refused: ${error}`);
        break;
    }
  }

  /**
   * Whether a match that cannot be asked for will be told of by itself, or has been. One that has been played and is
   * over is not: that is known after a while.
   */
  #isTold(matchId: string): boolean {
    const played = this.#matches.get(matchId);
    if (played?.standing === "unheard") {
      played.standing = "doubted";
      this.#effects.check(matchId, TOLD_LIMIT_MS);
      return true;
    }
    return played?.standing !== "doubted";
  }

  #forget(matchId: string): void {
    this.#matches.get(matchId)?.stop();
    this.#matches.delete(matchId);
    this.#accepted.delete(matchId);
    this.#invited.delete(matchId);
    this.#acceptMore();
  }

  #acceptMore(): void {
    for (const matchId of this.#invited) {
      if (!this.#hasRoom) {
        return;
      }
      if (this.#options.matchId === undefined || this.#options.matchId === matchId) {
        this.#invited.delete(matchId);
        this.#accepted.add(matchId);
        this.#effects.accept(matchId);
      }
    }
  }

  get #hasRoom(): boolean {
    const busy = this.#matches.size + this.#accepted.size;
    const rest = (this.#options.matches ?? Infinity) - this.summary.matches;
    return busy < rest && busy < (this.#options.matchesAtOnce ?? MATCHES_AT_ONCE);
  }

  /** When the choice should be made and when the clock runs out; none for no limit. */
  #times(played: Played, wire: WireDecision, now: number): Due["times"] {
    if (wire.deadline === undefined) {
      return undefined;
    }
    const deadline = timestampMs(wire.deadline);
    const control = played.info.timeControl;
    const stock = clocksMs(wire)[played.info.seat];
    const whole = stock === undefined ? undefined : allowanceMs(control, stock);
    if (played.fresh && whole !== undefined) {
      this.#clock.observe(deadline - whole, now);
    }
    const left = Math.min(this.#clock.untilMs(deadline, now), whole ?? Infinity);
    const keptMs = SAFETY_MARGIN_MS + this.#roundTrips.longestMs();
    return { until: now + thinkingTimeMs(control, stock, left, keptMs), end: now + left };
  }

  #warn(matchId: string | undefined, message: string): void {
    this.#effects.tell({ type: "warning", matchId, message });
  }
}

/** The clocks of a decision; none for a seat without one. */
export function clocksMs(wire: WireDecision): BySeat<number | undefined> {
  const of = (seat: Seat) => {
    const remaining = wire.clocks.find((clock) => seatOf(clock.seat) === seat)?.remaining;
    return remaining === undefined ? undefined : durationMs(remaining);
  };
  return { first: of("first"), second: of("second") };
}
