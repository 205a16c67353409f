import { durationMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { MessageInitShape } from "@bufbuild/protobuf";

import { hasReplicas } from "../address.js";
import { Client } from "../client.js";
import { ServiceError, SessionError, refusalOf, serviceError } from "../errors.js";
import { Code, createContextValues } from "@connectrpc/connect";
import type { PlayRequestSchema, PlayResponse } from "../gen/dragontooth/v1/game_service_pb.js";
import { CloseReason } from "../gen/dragontooth/v1/match_pb.js";
import { seatOf } from "../match_info.js";
import { offerMessage } from "../offer.js";
import { REACHED, REPLICA_MS } from "../replicas.js";
import { Backoff } from "./backoff.js";
import type { Cancellation } from "./cancellation.js";
import { failureText } from "./failure.js";
import type { Notice, Summary } from "./notice.js";
import { FIRST_PATIENCE_MS, MATCHES_AT_ONCE, PATIENCE_MS, type SessionOptions } from "./options.js";
import { Outbox } from "./outbox.js";
import type { Answer, Due, Played } from "./played.js";
import { ActiveMatches, type Effects } from "./active_matches.js";
import { randomSecret, share } from "./share.js";
import { Thinking } from "./thinking.js";
import { Watchdog } from "./watchdog.js";

/** Missing heartbeats after which the connection counts as lost. */
const MISSING_HEARTBEATS = 3;
/** Timeout for the first message of a stream where no other address may answer. */
const OPENING_MS = 10_000;
/**
 * Age after which the loss of a stream resets the backoff: clocks may be running, but a service that closes every stream
 * at once must not be flooded.
 */
const STEADY_MS = 1000;
/** Longest wait for what is still under way when the session ends. */
const FAREWELL_MS = 1000;
/** Timeout of a call that reads a match. */
const CHECK_MS = 10_000;

/** Reasons of the end of a stream for which another address may go on. */
const OF_THE_ADDRESS: readonly CloseReason[] = [CloseReason.DRAINING, CloseReason.LOG_UNAVAILABLE];

/** A message to the service. */
type Request = MessageInitShape<typeof PlayRequestSchema>;

/**
 * Plays all matches of a player.
 *
 * It reconnects after a lost connection, a restart of the service, and a stream that was closed because it was read too
 * slowly. It ends when it is stopped, when all its matches are played, or with a `SessionError`.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #client: Client;
  readonly #thinking: Thinking;
  readonly #matches: ActiveMatches;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #drawSecret: string;
  readonly #offer: ReturnType<typeof offerMessage>;
  #outbox: Outbox<Request> | undefined;
  /** Ends the open stream. */
  #cut: AbortController | undefined;
  /** What ends the session, and the moment until which resignations of its bots are sent before. */
  #failure: { readonly error: unknown; readonly farewellEnds: number } | undefined;
  #started = false;

  /** Throws a `TypeError` for an invalid option. */
  constructor(options: SessionOptions) {
    this.#options = options;
    this.#client = new Client(options);
    this.#offer = offerMessage({ matchesAtOnce: MATCHES_AT_ONCE, ...options });
    const { seed = 0n } = options;
    if (typeof seed !== "bigint") {
      throw new TypeError(`seed: expected a bigint such as 42n, not ${String(seed)}`);
    }
    this.#drawSecret = options.drawSecret ?? randomSecret();
    this.#thinking = new Thinking(options.bot, seed);
    this.#matches = new ActiveMatches(options, this.#effects(), performance.now(), Date.now());
  }

  /**
   * Plays until `stop` is aborted or all matches are played. Bots that are still thinking then are abandoned and their
   * choices are not sent; those that handle the end of their match get a second for it. A session runs once.
   *
   * Throws a `SessionError` if another program plays with the token, if the service refuses the token or to play, or
   * if there was no connection for longer than the session's patience; and what `accept` or `onNotice` throws.
   */
  async run(stop: AbortSignal = new AbortController().signal): Promise<Summary> {
    if (this.#started) {
      throw new TypeError("a session runs once");
    }
    this.#started = true;
    const cut = () => this.#cut?.abort();
    stop.addEventListener("abort", cut);
    try {
      return await this.#play(stop);
    } finally {
      stop.removeEventListener("abort", cut);
      this.#matches.stop();
      this.#clearTimers();
      this.#client.close();
      const done = new AbortController();
      void this.#matches.farewells().then(() => done.abort());
      await pause(FAREWELL_MS, done.signal);
    }
  }

  async #play(stop: AbortSignal): Promise<Summary> {
    const backoff = new Backoff();
    let patienceMs = this.#options.firstPatienceMs ?? FIRST_PATIENCE_MS;
    let lostAt = performance.now();
    const isOver = () => this.#hasEnded || this.#matches.isDone || stop.aborted;
    while (!isOver()) {
      const openedAt = performance.now();
      const { opened, address, failure } = await this.#serve();
      this.#clearTimers();
      if (isOver()) {
        break;
      }
      if (opened) {
        patienceMs = this.#options.patienceMs ?? PATIENCE_MS;
        lostAt = performance.now();
        if (lostAt - openedAt > STEADY_MS) {
          backoff.reset();
        }
      }
      if (!failure.isTransient) {
        this.#fail(finalError(failure));
        break;
      }
      const isNamed = address === this.#client.server || failure.message.includes(address);
      const place = isNamed ? "" : `${address}: `;
      const leftMs = patienceMs - (performance.now() - lostAt);
      if (leftMs <= 0) {
        const message = `no connection to ${this.#client.server} for ${patienceMs / 1000} s: ${place}${failure}`;
        this.#fail(new SessionError("lost", message, failure));
        break;
      }
      // Another address may go on at once.
      const isElsewhere = opened && lostAt - openedAt > STEADY_MS && this.#client.address !== address;
      const pauseMs = isElsewhere ? 0 : Math.min(backoff.pauseMs(failure.retryAfterMs), leftMs);
      this.#tell({ type: "disconnected", reason: `${place}${failure.message}`, pauseMs });
      if (!isOver()) {
        await pause(pauseMs, stop);
      }
    }
    if (this.#failure !== undefined) {
      throw this.#failure.error;
    }
    return { ...this.#matches.summary };
  }

  /** Opens a stream and serves it until it ends. */
  async #serve(): Promise<{ opened: boolean; address: string; failure: ServiceError }> {
    const outbox = new Outbox<Request>();
    const cut = new AbortController();
    this.#outbox = outbox;
    this.#cut = cut;
    let opened = false;
    let silent = false;
    let stays = false;
    const hasOthers = hasReplicas(this.#client.server);
    const openingMs = hasOthers ? REPLICA_MS : OPENING_MS;
    const watchdog = new Watchdog(openingMs, () => {
      silent = true;
      // The connection may be half open: the next stream gets a new one.
      this.#client.close();
      cut.abort();
    });
    // Where the stream is tried; the client has left the addresses that it passes over.
    let address = this.#client.server;
    const contextValues = createContextValues().set(REACHED, (reached) => {
      address = reached;
      watchdog.heard(performance.now());
      watchdog.setLimit(openingMs);
    });
    if (hasOthers) {
      // Until an address is reached, the client limits the time for each.
      watchdog.stop();
    }
    let failure = lost("the stream has ended");
    try {
      const { omitLegalActions = false, matchId } = this.#options;
      // A session of one match accepts no other.
      const value = matchId === undefined ? { omitLegalActions, offer: this.#offer } : { omitLegalActions };
      outbox.put({ request: { case: "start", value } });
      for await (const { response } of this.#client.games.play(outbox, { signal: cut.signal, contextValues })) {
        const now = performance.now();
        watchdog.heard(now);
        if (response.case === "ready") {
          opened = true;
          const interval = response.value.heartbeatInterval;
          watchdog.setLimit(MISSING_HEARTBEATS * Math.max(1000, interval === undefined ? 0 : durationMs(interval)));
        }
        const closing = this.#guard(() => this.#take(response, now));
        if (closing !== undefined) {
          failure = closing;
          stays = response.case === "closing" && !OF_THE_ADDRESS.includes(response.value.reason);
          break;
        }
        if (this.#matches.isDone || this.#hasEnded) {
          break;
        }
      }
    } catch (error) {
      const silence = opened ? "the service stopped sending heartbeats" : `no answer within ${openingMs / 1000} s`;
      failure = silent ? lost(silence) : serviceError(error);
    } finally {
      watchdog.stop();
      this.#outbox = undefined;
      this.#cut = undefined;
      outbox.close();
      cut.abort();
    }
    if (!stays) {
      this.#client.leave(address);
    }
    return { opened, address, failure };
  }

  /** Handles a message. Returns the reason if it is the last one. */
  #take(response: PlayResponse["response"], now: number): ServiceError | undefined {
    switch (response.case) {
      case "ready":
        this.#matches.connected(response.value.playerId);
        break;
      case "invitation":
      case "matchOpened": {
        const { match, seat: wireSeat } = response.value;
        const seat = seatOf(wireSeat);
        if (match !== undefined && seat !== undefined) {
          if (response.case === "invitation") {
            this.#matches.invited(match, seat);
          } else {
            this.#matches.opened(match, seat);
          }
        }
        break;
      }
      case "decision":
        this.#matches.decision(response.value, now);
        break;
      case "answerAccepted":
        this.#matches.accepted(response.value, now);
        break;
      case "refused":
        this.#matches.refused(response.value, refusalOf(response.value.status), now);
        break;
      case "matchClosed":
        if (response.value.match !== undefined) {
          this.#matches.closed(response.value.match, now);
        }
        break;
      case "heartbeat":
        if (response.value.serverTime !== undefined) {
          this.#matches.heartbeat(timestampMs(response.value.serverTime), now);
        }
        break;
      case "closing":
        return this.#closing(response.value.reason);
      case undefined:
        // A message from a newer version of the service.
        break;
    }
    return undefined;
  }

  #closing(reason: CloseReason): ServiceError {
    switch (reason) {
      case CloseReason.SUPERSEDED:
        this.#fail(new SessionError("superseded", "another program is now playing with the same token"));
        return lost("a newer stream has taken over");
      case CloseReason.DRAINING:
        return lost("the service is shutting down");
      case CloseReason.SLOW_READER:
        return lost("the service closed the stream: it was read too slowly");
      case CloseReason.CONNECTION_AGED:
        this.#client.close();
        return lost("the connection reached its maximum age");
      case CloseReason.TOKEN_ENDED:
        // The next attempt gets the reason.
        return lost("the service closed the stream: the token expired or was revoked");
      default:
        return lost("the service closed the stream");
    }
  }

  #effects(): Effects {
    return {
      accept: (matchId, commitment) => {
        const { name = "", drawSeed: seed = share(this.#drawSecret, commitment) } = this.#options;
        this.#send({ case: "acceptInvitation", value: { matchId, name, seed, requestId: `${matchId}:join` } });
      },
      decline: (matchId, reason) => {
        this.#send({ case: "declineInvitation", value: { matchId, reason, requestId: `${matchId}:decline` } });
      },
      answer: (answer: Answer) => this.#send({ case: "answer", value: answer }),
      resign: (matchId, failure) => {
        const value = { matchId, requestId: `${matchId}:resign`, reason: failureText(failure) };
        this.#send({ case: "resign", value });
      },
      ask: (played, due, cancellation) => this.#ask(played, due, cancellation),
      check: (matchId, pauseMs) => this.#later(pauseMs, () => void this.#check(matchId)),
      retry: (matchId, pauseMs) => this.#later(pauseMs, () => this.#matches.retry(matchId, performance.now())),
      tell: (notice) => this.#tell(notice),
      fail: (error) => this.#fail(error),
    };
  }

  #send(request: Request["request"]): void {
    this.#outbox?.put({ request } as Request);
  }

  #ask(played: Played, due: Due, cancellation: Cancellation): void {
    const matchId = played.info.id;
    this.#thinking.ask(played, due, cancellation, (thought) => {
      if (cancellation.isAborted) {
        this.#matches.dropped(matchId, due.wire.decisionId, performance.now());
      } else if ("action" in thought) {
        this.#matches.chosen(matchId, due.wire.decisionId, thought, performance.now());
      } else {
        this.#matches.botFailed(matchId, thought);
      }
    });
  }

  async #check(matchId: string): Promise<void> {
    try {
      const { match } = await this.#client.matches.getMatch({ matchId }, { timeoutMs: CHECK_MS });
      if (match !== undefined) {
        this.#matches.checked(match, performance.now());
      }
    } catch (error) {
      // Without a stream, the next one checks again.
      if (this.#outbox !== undefined) {
        this.#matches.unchecked(matchId, serviceError(error));
      }
    }
    if (this.#matches.isDone) {
      this.#cut?.abort();
    }
  }

  #later(pauseMs: number, what: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      what();
    }, pauseMs);
    this.#timers.add(timer);
  }

  #clearTimers(): void {
    for (const timer of this.#timers) {
      clearTimeout(timer);
    }
    this.#timers.clear();
  }

  #tell(notice: Notice): void {
    if (this.#failure === undefined) {
      this.#guard(() => this.#options.onNotice?.(notice));
    }
  }

  /**
   * Calls what calls a function of the options. What that throws ends the session: on another stream, or for another
   * match, it would throw again.
   */
  #guard<T>(what: () => T): T | undefined {
    try {
      return what();
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #fail(error: unknown): void {
    // A session that was superseded or refused must not connect again to resign.
    const farewellEnds = performance.now() + (error instanceof SessionError ? 0 : FAREWELL_MS);
    const before = this.#failure ?? { error, farewellEnds };
    this.#failure = { error: before.error, farewellEnds: Math.min(before.farewellEnds, farewellEnds) };
    if (this.#hasEnded) {
      this.#cut?.abort();
    } else {
      // Not a timer of the stream, since it limits the next one as well.
      setTimeout(() => this.#cut?.abort(), FAREWELL_MS).unref();
    }
  }

  /** True if the session has failed, and no resignation can be sent any more. */
  get #hasEnded(): boolean {
    const failure = this.#failure;
    return failure !== undefined && (!this.#matches.isResigning || performance.now() >= failure.farewellEnds);
  }
}

/** Plays until `stop` is aborted or all matches are played: see `Session.run`. */
export function play(options: SessionOptions, stop?: AbortSignal): Promise<Summary> {
  return new Session(options).run(stop);
}

function lost(message: string): ServiceError {
  return new ServiceError(message, { code: Code.Unavailable });
}

function finalError(failure: ServiceError): SessionError {
  if (failure.code === Code.Unauthenticated) {
    return new SessionError("token_refused", `the service refuses the token: ${failure}`, failure);
  }
  return new SessionError(failure.isTls ? "lost" : "refused", failure.toString(), failure);
}

/** Waits for a time or until `stop` is aborted. */
function pause(pauseMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stop.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, pauseMs);
    stop.addEventListener("abort", done);
  });
}
