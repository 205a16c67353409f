import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";

/** Listens and never takes a connection: its thread is blocked. */
const LISTENER = `
  const { parentPort } = require("node:worker_threads");
  const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/** The connections that a queue with a backlog of 1 holds: Linux compares with "greater", and drops what comes then. */
const HELD = 2;

/** An address from which nothing comes back, like that of a host that is gone. */
export class BlackHole {
  readonly server: string;
  readonly #worker: Worker;
  readonly #held: readonly Socket[];

  private constructor(port: number, worker: Worker, held: readonly Socket[]) {
    this.server = `http://127.0.0.1:${port}`;
    this.#worker = worker;
    this.#held = held;
  }

  static async open(): Promise<BlackHole> {
    const worker = new Worker(LISTENER, { eval: true });
    const [port] = (await once(worker, "message")) as [number];
    const held = Array.from({ length: HELD }, () => connect(port, "127.0.0.1"));
    await Promise.all(held.map((socket) => once(socket, "connect")));
    return new BlackHole(port, worker, held);
  }

  async close(): Promise<void> {
    this.#held.forEach((socket) => socket.destroy());
    await this.#worker.terminate();
  }
}
