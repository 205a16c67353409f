import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import type { Http2SessionManager } from "@connectrpc/connect-node";

import { ServiceError, serviceError } from "./errors.js";

/** Timeout for connecting, so that an address from which nothing comes back is passed over. */
const CONNECT_MS = 5_000;

/** An address of a service, and the way to it. */
export interface Replica {
  readonly address: string;
  readonly connection: Http2SessionManager;
  readonly transport: Transport;
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

  readonly unary: Transport["unary"] = (method, signal, timeoutMs, ...rest) =>
    this.#call(signal, timeoutMs, async ({ address, transport }, leftMs) => {
      try {
        return await transport.unary(method, signal, leftMs, ...rest);
      } catch (error) {
        const { code } = ConnectError.from(error);
        if (code === Code.Unavailable || code === Code.DeadlineExceeded) {
          this.leave(address);
        }
        throw error;
      }
    });

  /** The caller leaves the address of a stream that broke off. */
  readonly stream: Transport["stream"] = (method, signal, timeoutMs, ...rest) =>
    this.#call(signal, timeoutMs, ({ transport }, leftMs) => transport.stream(method, signal, leftMs, ...rest));

  /** Calls the first replica that can be reached. What was sent once is not sent again. */
  async #call<T>(
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    call: (replica: Replica, leftMs: number | undefined) => Promise<T>,
  ): Promise<T> {
    const ends = performance.now() + (timeoutMs ?? Infinity);
    const failures: { address: string; error: ServiceError }[] = [];
    const first = this.#current;
    for (let at = first; at < first + this.#all.length; at += 1) {
      const replica = this.#at(at);
      const leftMs = Math.max(Math.ceil(ends - performance.now()), 1);
      const failure = await connect(replica.connection, Math.min(leftMs, CONNECT_MS), signal);
      if (failure === undefined || signal?.aborted === true) {
        return await call(replica, timeoutMs === undefined ? undefined : leftMs);
      }
      failures.push({ address: replica.address, error: serviceError(failure) });
      this.leave(replica.address);
    }
    const message = failures.map(({ address, error }) => `${address}: ${error.message}`).join("; ");
    const isTls = failures.every(({ error }) => error.isTls);
    const cause = new ServiceError(message, { code: Code.Unavailable, isTls });
    throw new ConnectError(message, Code.Unavailable, undefined, undefined, cause);
  }

  #at(index: number): Replica {
    return this.#all[index % this.#all.length] as Replica;
  }
}

/** Connects, unless there is a connection. Returns what prevents it. */
async function connect(connection: Http2SessionManager, limitMs: number, signal: AbortSignal | undefined): Promise<unknown> {
  let giveUp = () => {};
  const givenUp = new Promise<unknown>((resolve) => {
    giveUp = () => resolve(new ConnectError("the connection timed out", Code.Unavailable));
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
