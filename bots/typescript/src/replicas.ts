import { Code, ConnectError, createContextKey, type Transport } from "@connectrpc/connect";
import type { Http2SessionManager } from "@connectrpc/connect-node";

import { ServiceError, serviceError } from "./errors.js";

/** Timeout for connecting to a replica, and for an answer that another one may give. */
export const REPLICA_MS = 5_000;

/** What a stream calls with the address to which it is sent. */
export const REACHED = createContextKey<(address: string) => void>(() => {});

/** An address of a service, and the way to it. */
export interface Replica {
  readonly address: string;
  readonly connection: Http2SessionManager;
  readonly transport: Transport;
}

/** A replica that has failed a call. */
interface Failed {
  readonly replica: Replica;
  readonly failure: ServiceError;
}

/** The way to a service with several addresses: calls go to one of them until it fails, then to the next in the list. */
export class Replicas implements Transport {
  readonly #all: readonly Replica[];
  #current = 0;

  /** Takes at least one replica. */
  constructor(all: readonly Replica[]) {
    this.#all = all;
  }

  /** The address to which calls go. */
  get address(): string {
    return this.#at(this.#current).address;
  }

  /** Lets the next address take the calls, unless another than this one has them already. */
  leave(address: string): void {
    if (this.address === address) {
      this.#current += 1;
    }
  }

  /** The last replica that can be tried has the time of the call. */
  readonly unary: Transport["unary"] = (method, signal, timeoutMs, ...rest) =>
    this.#call(signal, timeoutMs, ({ transport }, leftMs, isLast) =>
      transport.unary(method, signal, isLast ? leftMs : Math.min(leftMs ?? Infinity, REPLICA_MS), ...rest),
    );

  /** The caller leaves the address of a stream that broke off. */
  readonly stream: Transport["stream"] = (method, signal, timeoutMs, header, input, contextValues) =>
    this.#call(signal, timeoutMs, ({ address, transport }, leftMs) => {
      contextValues?.get(REACHED)(address);
      return transport.stream(method, signal, leftMs, header, input, contextValues);
    });

  /** Calls the first replica that can be reached in time. What was sent once is not sent again. */
  async #call<T>(
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    call: (replica: Replica, leftMs: number | undefined, isLast: boolean) => Promise<T>,
  ): Promise<T> {
    const ends = performance.now() + (timeoutMs ?? Infinity);
    const leftMs = () => Math.max(Math.ceil(ends - performance.now()), 1);
    const failures: Failed[] = [];
    const first = this.#current;
    const last = first + this.#all.length - 1;
    for (let at = first; at <= last && (at === first || performance.now() < ends); at += 1) {
      const replica = this.#at(at);
      const isShort = leftMs() < REPLICA_MS && failures.some(({ failure }) => failure.code === Code.DeadlineExceeded);
      const fail = (failure: ServiceError): void => {
        failures.push({ replica, failure });
        // One that had only what others have left of the time may be well.
        if (!isShort || failure.code !== Code.DeadlineExceeded) {
          this.leave(replica.address);
        }
      };
      const unreached = await connect(replica.connection, Math.min(leftMs(), REPLICA_MS), signal);
      if (unreached !== undefined && signal?.aborted !== true) {
        fail(serviceError(unreached));
        continue;
      }
      try {
        return await call(replica, timeoutMs === undefined ? undefined : leftMs(), at === last);
      } catch (error) {
        const failure = serviceError(error);
        if (failure.code !== Code.Unavailable && failure.code !== Code.DeadlineExceeded) {
          throw error;
        }
        fail(failure);
        throw failure.reason === undefined ? allFailed(failures, failure.code) : error;
      }
    }
    throw allFailed(failures, Code.Unavailable);
  }

  #at(index: number): Replica {
    return this.#all[index % this.#all.length] as Replica;
  }
}

/** The error of a call that all of these replicas have failed. */
function allFailed(failures: readonly Failed[], code: Code): ConnectError {
  const message = failures.map(({ replica, failure }) => `${replica.address}: ${failure.message}`).join("; ");
  const isTls = failures.every(({ failure }) => failure.isTls);
  const cause = new ServiceError(message, { code, isTls });
  return new ConnectError(message, code, undefined, undefined, cause);
}

/** Connects, unless there is a connection. Returns what prevents it. */
async function connect(connection: Http2SessionManager, limitMs: number, signal: AbortSignal | undefined): Promise<unknown> {
  let giveUp = () => {};
  const givenUp = new Promise<unknown>((resolve) => {
    giveUp = () => resolve(new ConnectError("the connection timed out", Code.DeadlineExceeded));
  });
  const timer = setTimeout(giveUp, limitMs);
  signal?.addEventListener("abort", giveUp);
  try {
    const connected = connection.connect().then((state) => (state === "error" ? connection.error() : undefined));
    return await Promise.race([connected, givenUp]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}
