import { timestampMs } from "@bufbuild/protobuf/wkt";

import { fits } from "../accepted_game.js";
import { SessionError, type ServiceError } from "../errors.js";
import type { PlayResponse_AnswerAccepted, PlayResponse_Refused } from "../gen/dragontooth/v1/game_service_pb.js";
import { MatchState, type Decision as WireDecision, type Match } from "../gen/dragontooth/v1/match_pb.js";
import { clocksMs, matchInfo, matchResult, seatOf, type MatchInfo, type MatchResult, type Seat } from "../match_info.js";
import { Backoff } from "./backoff.js";
import { SAFETY_MARGIN_MS, allowanceMs, thinkingTimeMs } from "./budget.js";
import type { Chosen } from "./bot_thinking.js";
import type { Cancellation } from "./cancellation.js";
import { RoundTrips, ServerClock } from "./clocks.js";
import { failureOf, type Failure } from "./failure.js";
import type { Notice, Summary } from "./notice.js";
import { MATCHES_AT_ONCE, type SessionOptions } from "./options.js";
import { Played, verdictOf, type Answer, type Due, type Times } from "./played.js";

/**
 * A decision that is never due: the first event of a match creates it. The refusal of an answer to it says if a match
 * that the token may not read is over.
 */
const NEVER_DUE = 1n;

/** Effects that the matches ask their session to carry out. None throws. Unsent requests become due again on the next stream. */
export interface Effects {
  /** Accept an invitation to a match with this commitment to its seed. */
  accept(matchId: string, commitment: string): void;
  /** Decline an invitation for this reason. */
  decline(matchId: string, reason: string): void;
  answer(answer: Answer): void;
  resign(matchId: string, failure: string): void;
  /** Ask the match's bot for an action. */
  ask(played: Played, due: Due, cancellation: Cancellation): void;
  /** Read the match after a pause: it may have ended while no stream was open. */
  check(matchId: string, pauseMs: number): void;
  /** Call `retry` after a pause. */
  retry(matchId: string, pauseMs: number): void;
  tell(notice: Notice): void;
  fail(error: SessionError): void;
}

/** The matches of a session as a state machine: events in, effects out. It does no I/O. */
export class ActiveMatches {
  readonly #options: SessionOptions;
  readonly #effects: Effects;
  readonly #matches = new Map<string, Played>();
  /** Invitations that wait for a free place, in order of arrival, with the commitments to their seeds. */
  readonly #invited = new Map<string, string>();
  /** Invitations that were accepted, until their match opens, with the same. */
  readonly #accepted = new Map<string, string>();
  /** Invitations that were declined, until their match is over, with the reasons. */
  readonly #declined = new Map<string, string>();
  /** The pauses of matches about which the service has refused something for now, until it accepts something. */
  readonly #pauses = new Map<string, Backoff>();
  /** What the bots of matches that are over still do about that. */
  readonly #farewells = new Set<Promise<void>>();
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

  /** True if all matches are played. */
  get isDone(): boolean {
    if (this.#options.matchId !== undefined) {
      return this.#awaited === undefined;
    }
    return this.#options.matches !== undefined && this.summary.matches >= this.#options.matches;
  }

  /** True if a match is resigned that is not over yet. */
  get isResigning(): boolean {
    return [...this.#matches.values()].some(({ failure }) => failure !== undefined);
  }

  /** Handles a new stream, on which the service reports everything from the start. */
  connected(playerId: string): void {
    this.#playerId = playerId;
    this.#invited.clear();
    this.#declined.clear();
    this.#pauses.clear();
    for (const played of this.#matches.values()) {
      played.fresh = false;
    }
    this.#effects.tell({ type: "connected", playerId });
    const awaited = this.#awaited === undefined ? [] : [this.#awaited];
    for (const matchId of new Set([...this.#matches.keys(), ...this.#accepted.keys(), ...awaited])) {
      this.#effects.check(matchId, 0);
    }
  }

  /** Handles an invitation. A session of one match leaves the others for a later one. */
  invited(match: Match, seat: Seat): void {
    const only = this.#options.matchId;
    if (only !== undefined && only !== match.id) {
      return;
    }
    if (this.#accepted.has(match.id)) {
      this.#effects.accept(match.id, match.seedCommitment);
    } else if (this.#wants(matchInfo(match, seat))) {
      this.#invited.set(match.id, match.seedCommitment);
      this.#acceptMore();
    } else {
      const reason = `this bot does not accept these terms: ${match.game} ${match.variant} to ${match.target}`;
      this.#warn(match.id, `declining an invitation: ${reason}`);
      this.#decline(match.id, reason);
    }
  }

  #decline(matchId: string, reason: string): void {
    this.#declined.set(matchId, reason);
    this.#effects.decline(matchId, reason);
  }

  opened(match: Match, seat: Seat): void {
    this.#invited.delete(match.id);
    this.#accepted.delete(match.id);
    this.#pauses.delete(match.id);
    const played = this.#matches.get(match.id);
    if (played?.failure !== undefined) {
      // The resignation may be lost with the last stream, and while the opponent decides, no decision asks for it.
      this.#effects.resign(match.id, played.failure);
    } else if (played === undefined) {
      const info = matchInfo(match, seat);
      this.#matches.set(match.id, new Played(info));
      this.#effects.tell({ type: "opened", match: info });
    }
  }

  decision(wire: WireDecision, now: number): void {
    const played = this.#matches.get(wire.matchId);
    if (played === undefined) {
      this.#warn(wire.matchId, "decision for a match that was not opened");
    } else if (played.failure !== undefined) {
      this.#effects.resign(wire.matchId, played.failure);
    } else if (!played.thinksAbout(wire.decisionId)) {
      const answer = played.decide(wire, this.#timesReader(played, wire, now), now);
      if (answer !== undefined) {
        this.#effects.answer(answer);
      }
      this.#askNext(played, now);
    }
  }

  /** Handles a choice of a bot. */
  chosen(matchId: string, decisionId: bigint, chosen: Chosen, now: number): void {
    const played = this.#matches.get(matchId);
    if (played === undefined || !played.thinksAbout(decisionId)) {
      return;
    }
    if (chosen.leftOut !== undefined) {
      this.#warn(matchId, `the thinking was left out: ${chosen.leftOut}`);
    }
    const answer = played.chosen(decisionId, chosen, now);
    if (answer !== undefined) {
      this.#effects.answer(answer);
    }
    this.#askNext(played, now);
  }

  /** Handles a bot that returned from a decision whose answer no longer matters. */
  dropped(matchId: string, decisionId: bigint, now: number): void {
    const played = this.#matches.get(matchId);
    if (played?.thinksAbout(decisionId)) {
      played.dropped();
      this.#askNext(played, now);
    }
  }

  /**
   * Resigns the match of a bot that failed. It would fail again at the same decision, so waiting for the clock would
   * not help anyone.
   */
  botFailed(matchId: string, { failure, place }: Failure): void {
    const played = this.#matches.get(matchId);
    if (played === undefined || played.failure !== undefined) {
      return;
    }
    played.failed(failure);
    this.summary.failures += 1;
    this.#effects.resign(matchId, failure);
    const told = place === undefined ? failure : `${failure} (${place})`;
    this.#effects.tell({ type: "bot_failed", matchId, failure: told });
  }

  accepted(accepted: PlayResponse_AnswerAccepted, now: number): void {
    const played = this.#matches.get(accepted.matchId);
    if (played !== undefined) {
      this.summary.answers += 1;
      this.#pauses.delete(accepted.matchId);
      played.fresh = true;
      const fault = accepted.thinkingFault;
      if (fault !== undefined && !played.thinkingRefused) {
        played.thinkingRefused = true;
        this.#warn(accepted.matchId, `the thinking was left out: ${fault.field}: ${fault.description}`);
      }
      const at = played.sentAt(accepted.decisionId);
      if (at !== undefined) {
        this.#roundTrips.add(now - at);
      }
    }
  }

  refused(refused: PlayResponse_Refused, error: ServiceError, now: number): void {
    const { matchId, decisionId } = refused;
    if (matchId === "") {
      this.#warn(undefined, `the service refused a request without a match: ${error}`);
    } else if (decisionId === NEVER_DUE) {
      this.#probed(matchId, error);
    } else if (error.isTransient) {
      this.#warn(matchId, `refused for now: ${error}`);
      this.#effects.retry(matchId, this.#pauseMs(matchId, error));
    } else if (decisionId !== 0n) {
      if (this.#matches.get(matchId)?.requestId === refused.requestId) {
        this.#answerRefused(matchId, error, now);
      }
    } else if (this.#accepted.delete(matchId)) {
      this.#warn(matchId, `cannot accept the invitation: ${error}`);
      if (error.reason === "FIELD_INVALID") {
        // The name or the share of the session is invalid, and the inviter must not wait.
        this.#decline(matchId, `this bot cannot take its seat: ${error}`);
      }
      this.#acceptMore();
    } else if (this.#declined.delete(matchId)) {
      this.#warn(matchId, `cannot decline the invitation: ${error}`);
    } else if (verdictOf(error.reason) !== "overtaken") {
      this.#warn(matchId, `cannot resign: ${error}`);
    }
  }

  /** Retries a request that was refused transiently. */
  retry(matchId: string, now: number): void {
    const played = this.#matches.get(matchId);
    const commitment = this.#accepted.get(matchId);
    const reason = this.#declined.get(matchId);
    if (commitment !== undefined) {
      this.#effects.accept(matchId, commitment);
    } else if (reason !== undefined) {
      this.#effects.decline(matchId, reason);
    } else if (played?.failure !== undefined) {
      this.#effects.resign(matchId, played.failure);
    } else {
      const answer = played?.answerAgain(now);
      if (answer !== undefined) {
        this.#effects.answer(answer);
      }
    }
  }

  /** Handles the state of a match that was known before the stream was opened. */
  checked(match: Match, now: number): void {
    this.#pauses.delete(match.id);
    if (match.state === MatchState.ENDED) {
      this.closed(match, now);
    }
  }

  /** Handles the failure to read a match that was known before the stream was opened. */
  unchecked(matchId: string, error: ServiceError): void {
    if (error.isTransient) {
      this.#effects.check(matchId, this.#pauseMs(matchId, error));
    } else if (error.reason === "SCOPE_MISSING") {
      // For this question, a token needs no more than to play.
      this.#effects.answer({ matchId, decisionId: NEVER_DUE, action: "?", requestId: "" });
    } else {
      this.#lost(matchId, error);
    }
  }

  /** Handles the refusal of an answer that asks if the match is over. */
  #probed(matchId: string, error: ServiceError): void {
    const commitment = this.#accepted.get(matchId);
    if (error.reason === "MATCH_ENDED") {
      this.#endedUnseen(matchId);
    } else if (error.reason === "MATCH_NOT_FOUND" || error.reason === "LOG_DAMAGED") {
      this.#lost(matchId, error);
    } else if (error.reason === "NO_SEAT" && commitment !== undefined) {
      // The acceptance was lost with its stream. If the match is over, it is refused.
      this.#effects.accept(matchId, commitment);
    } else if (error.isTransient) {
      this.#effects.check(matchId, this.#pauseMs(matchId, error));
    }
  }

  /** Handles a match that has ended while no stream was open, and that the token may not read. */
  #endedUnseen(matchId: string): void {
    // The stream may have reported it by now.
    if (this.#matches.has(matchId) || this.#accepted.has(matchId) || this.#awaited === matchId) {
      this.#warn(matchId, "the match has ended; its result cannot be read without the scope watch");
      this.#over(matchId);
    }
  }

  /** Counts a match that is over, and makes room for others. */
  #over(matchId: string): void {
    this.summary.matches += 1;
    if (this.#awaited === matchId) {
      this.#awaited = undefined;
    }
    this.#forget(matchId);
  }

  /** Handles a match that cannot be played any more. */
  #lost(matchId: string, error: ServiceError): void {
    if (this.#awaited === matchId) {
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
      this.#declined.delete(match.id);
      this.#pauses.delete(match.id);
      return;
    }
    const own = match.seats.find(({ playerId, joined }) => joined && playerId === this.#playerId);
    const seat = played?.info.seat ?? (own === undefined ? undefined : seatOf(own.seat));
    const result = matchResult(match, seat);
    if (result.winner !== undefined && result.winner === seat) {
      this.summary.won += 1;
    } else if (result.winner !== undefined) {
      this.summary.lost += 1;
    }
    const thinking = played?.thinking;
    if (thinking !== undefined) {
      const seconds = ((now - thinking.since) / 1000).toFixed(3);
      this.#warn(match.id, `ended while the bot had been thinking about decision ${thinking.id} for ${seconds} s`);
    }
    this.#effects.tell({ type: "closed", result });
    const farewell = this.#tellEnd(played, result).finally(() => this.#farewells.delete(farewell));
    this.#farewells.add(farewell);
    this.#over(match.id);
  }

  /** Reports the end of a match to its bot. An exception there must not affect other matches. */
  async #tellEnd(played: Played | undefined, result: MatchResult): Promise<void> {
    try {
      const bot = played?.bot ?? (await played?.making);
      await bot?.closed?.(result);
    } catch (error) {
      this.#warn(result.matchId, `the bot failed in its handler for the end: ${failureOf(error).failure}`);
    }
  }

  heartbeat(serverTime: number, now: number): void {
    this.#clock.observe(serverTime, now);
  }

  /** Waits until every bot has handled the end of its match. */
  async farewells(): Promise<void> {
    await Promise.all(this.#farewells);
  }

  /** Stops all questions and answers. */
  stop(): void {
    for (const played of this.#matches.values()) {
      played.stop();
    }
  }

  #askNext(played: Played, now: number): void {
    const question = played.nextQuestion(now);
    if (question !== undefined) {
      this.#effects.ask(played, question.due, question.cancellation);
    }
  }

  #answerRefused(matchId: string, error: ServiceError, now: number): void {
    const played = this.#matches.get(matchId);
    // An earlier program of the player may have given another answer to this decision, which was refused.
    const renamed = error.reason === "REQUEST_ID_REUSED" ? played?.renamed(now) : undefined;
    if (renamed !== undefined) {
      this.#warn(matchId, `an answer is sent again under another request id: ${error}`);
      this.#effects.answer(renamed);
      return;
    }
    switch (verdictOf(error.reason)) {
      case "bot_failed":
        if (played?.refused(error)) {
          this.#warn(matchId, `an answer was refused, asking the bot again: ${error}`);
          this.#askNext(played, now);
        } else {
          this.botFailed(matchId, { failure: `its answer was refused: ${error}` });
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
        this.#warn(matchId, `an answer was refused: ${error}`);
        break;
    }
  }

  #forget(matchId: string): void {
    this.#matches.get(matchId)?.stop();
    this.#matches.delete(matchId);
    this.#accepted.delete(matchId);
    this.#invited.delete(matchId);
    this.#pauses.delete(matchId);
    this.#acceptMore();
  }

  /** Returns the pause before what was refused for now is tried again. */
  #pauseMs(matchId: string, error: ServiceError): number {
    const backoff = this.#pauses.get(matchId) ?? new Backoff();
    this.#pauses.set(matchId, backoff);
    return backoff.pauseMs(error.retryAfterMs);
  }

  #acceptMore(): void {
    for (const [matchId, commitment] of this.#invited) {
      if (!this.#hasRoom) {
        return;
      }
      this.#invited.delete(matchId);
      this.#accepted.set(matchId, commitment);
      this.#effects.accept(matchId, commitment);
    }
  }

  get #hasRoom(): boolean {
    const busy = this.#matches.size + this.#accepted.size;
    const rest = (this.#options.matches ?? Infinity) - this.summary.matches;
    return busy < rest && busy < (this.#options.matchesAtOnce ?? MATCHES_AT_ONCE);
  }

  /** Returns a function that computes the times of a decision that came at `now`. */
  #timesReader({ info, fresh }: Played, wire: WireDecision, now: number): Due["readTimes"] {
    return () => this.#times(info, fresh, wire, now);
  }

  #times(info: MatchInfo, fresh: boolean, wire: WireDecision, now: number): Times | undefined {
    if (wire.deadline === undefined) {
      return undefined;
    }
    const deadline = timestampMs(wire.deadline);
    const control = info.timeControl;
    const stock = clocksMs(wire)[info.seat];
    const whole = stock === undefined ? undefined : allowanceMs(control, stock);
    if (fresh && whole !== undefined) {
      this.#clock.observe(deadline - whole, now);
    }
    const left =
      whole === undefined ? this.#clock.untilMs(deadline, now) : this.#clock.leftMs(deadline, whole, now);
    const keptMs = SAFETY_MARGIN_MS + this.#roundTrips.longestMs();
    return { choose: now + thinkingTimeMs(control, stock, left, keptMs), end: now + left };
  }

  #wants(match: MatchInfo): boolean {
    return fits(this.#options.accepts ?? [], match) && (this.#options.accept?.(match) ?? true);
  }

  #warn(matchId: string | undefined, message: string): void {
    this.#effects.tell({ type: "warning", matchId, message });
  }
}
