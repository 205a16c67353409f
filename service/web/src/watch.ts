// Watching a match: every event once and in order, whatever happens to the connection, the service or another tab.
import { fromBinary, toBinary } from "@bufbuild/protobuf";

import { fellSilent, isTemporary, matches, sentence } from "./api.js";
import { time } from "./format.js";
import { CloseReason, MatchEventSchema, type MatchEvent } from "./gen/dragontooth/v1/match_pb.js";
import { MatchLog } from "./match_log.js";
import { inOneTab, tabsShare, withStream } from "./streams.js";
import { token } from "./session.js";

/** Silence after which a stream counts as lost; the service sends something at least every ten seconds. */
export const SILENCE_MS = 25_000;

/** Silence after which a stream that has not begun counts as lost. */
export const FIRST_SILENCE_MS = 8000;

/** Pause between two looks at a match for which there is no stream left. */
const POLL_MS = 1000;

/** The shortest and the longest pause before a stream that failed is opened again. */
const PAUSE_MS = { least: 250, most: 5000 };

/** What tabs tell each other about a match. */
type Word =
  /** A tab has the events up to this one, and asks for those after it. */
  | { readonly kind: "has"; readonly sequence: number }
  /** Events in order. */
  | { readonly kind: "events"; readonly events: readonly Uint8Array[] }
  /** The state of the stream of the tab that has one. */
  | { readonly kind: "state"; readonly connection: Connection; readonly problem: string; readonly clockError: number };

/** The state of the way to the service. */
export type Connection = "connecting" | "live" | "lost" | "ended" | "failed";

/** A match that is being watched. */
export class Watch {
  readonly log = new MatchLog();
  connection: Connection = "connecting";
  /** Why there is nothing more to come, or nothing for now. */
  problem = "";
  /** The time of the service minus the time here, in milliseconds. */
  clockError = 0;
  readonly #id: string;
  readonly #changed: () => void;
  readonly #end = new AbortController();
  readonly #events: MatchEvent[] = [];
  readonly #channel: BroadcastChannel | undefined;
  /** True if this tab watches for the others. */
  #leads = false;
  /** True if the match went on while it was watched. */
  #wasLive = false;

  /** Watches until it is closed; `changed` is called after every change. */
  constructor(id: string, changed: () => void) {
    this.#id = id;
    this.#changed = changed;
    // A tab with a token may see more than others, so it watches for itself.
    if (token() === undefined && tabsShare()) {
      this.#channel = new BroadcastChannel(`match ${id}`);
      this.#channel.onmessage = (message: MessageEvent<Word>) => this.#hear(message.data);
      this.#tell({ kind: "has", sequence: 0 });
    }
    void this.#run();
  }

  close(): void {
    this.#end.abort();
    this.#channel?.close();
  }

  /** Watches in one tab for all, and in the next when that is closed. */
  async #run(): Promise<void> {
    const name = this.#channel === undefined ? `watch ${this.#id} ${newName()}` : `watch ${this.#id}`;
    try {
      await inOneTab(name, this.#end.signal, () => this.#lead());
    } catch (error) {
      if (!this.#end.signal.aborted) {
        throw error;
      }
    }
  }

  async #lead(): Promise<void> {
    this.#leads = true;
    let pause = PAUSE_MS.least;
    while (!this.#end.signal.aborted && !this.#isOver()) {
      const before = this.log.sequence;
      try {
        const streamed = await withStream(() => this.#follow(false));
        if (!streamed) {
          await this.#follow(true);
          await this.#wait(POLL_MS);
          continue;
        }
      } catch (error) {
        this.#fail(error);
      }
      pause = this.log.sequence > before ? PAUSE_MS.least : Math.min(pause * 2, PAUSE_MS.most);
      if (!this.#isOver()) {
        await this.#wait(pause);
      }
    }
    if (this.connection === "ended" && this.#wasLive && token() !== undefined) {
      // A player gets the opponent's thoughts when the match is over. If this fails, the next visit shows them.
      await this.#follow(true, 0).catch(() => undefined);
    }
  }

  /** Reads one stream to its end; `once` ends it as soon as all past events and the service's time have come. */
  async #follow(once: boolean, after = this.log.sequence): Promise<void> {
    const stream = new AbortController();
    const end = () => stream.abort();
    this.#end.signal.addEventListener("abort", end);
    let silence = setTimeout(end, FIRST_SILENCE_MS);
    let isCaughtUp = false;
    try {
      const request = { matchId: this.#id, afterSequence: BigInt(after) };
      for await (const { response } of matches.watchMatch(request, { signal: stream.signal, timeoutMs: 0 })) {
        clearTimeout(silence);
        silence = setTimeout(end, SILENCE_MS);
        switch (response.case) {
          case "batch":
            this.#take(response.value.events);
            this.#tell({ kind: "events", events: response.value.events.map((event) => toBinary(MatchEventSchema, event)) });
            break;
          case "heartbeat":
            this.clockError = (time(response.value.serverTime) ?? Date.now()) - Date.now();
            this.#isLive();
            if (once && isCaughtUp) {
              return;
            }
            break;
          case "caughtUp":
            isCaughtUp = true;
            this.#isLive();
            break;
          case "closing":
            this.#closing(response.value.reason);
            return;
        }
      }
    } catch (error) {
      // Nobody waits for a stream that this tab has ended. The events that came are kept.
      if (!this.#end.signal.aborted) {
        throw stream.signal.aborted ? fellSilent() : error;
      }
    } finally {
      clearTimeout(silence);
      this.#end.signal.removeEventListener("abort", end);
      stream.abort();
    }
    if (!this.#end.signal.aborted) {
      this.#become("lost", "The connection was lost.");
    }
  }

  #take(events: readonly MatchEvent[]): void {
    for (const event of events) {
      const before = this.log.sequence;
      if (!this.log.add(event)) {
        // Another tab has begun in the middle.
        this.#tell({ kind: "has", sequence: before });
        return;
      }
      if (this.log.sequence > before) {
        this.#events.push(event);
      }
    }
    this.#changed();
  }

  #isLive(): void {
    this.#wasLive ||= this.log.outcome === undefined;
    this.#become(this.log.outcome === undefined ? "live" : "ended", "");
  }

  #closing(reason: CloseReason): void {
    switch (reason) {
      case CloseReason.MATCH_ENDED:
        this.#isLive();
        break;
      case CloseReason.TOKEN_ENDED:
        this.#become("failed", "Your token is no longer valid.");
        break;
      case CloseReason.LOG_DAMAGED:
        this.#become("failed", "The service cannot read this match: its log is damaged.");
        break;
      case CloseReason.DRAINING:
        this.#become("lost", "The service is restarting.");
        break;
      default:
        // Nothing is lost: the next stream goes on from here.
        this.#become("connecting", "");
    }
  }

  #fail(error: unknown): void {
    this.#become(isTemporary(error) ? "lost" : "failed", sentence(error));
  }

  #isOver(): boolean {
    return this.connection === "failed" || this.connection === "ended";
  }

  #become(connection: Connection, problem: string): void {
    this.connection = connection;
    this.problem = problem;
    this.#tellState();
    this.#changed();
  }

  #tellState(): void {
    const { connection, problem, clockError } = this;
    // A tab that sees more or less than this one finds out by itself.
    if (this.#leads && connection !== "failed") {
      this.#tell({ kind: "state", connection, problem, clockError });
    }
  }

  #tell(word: Word): void {
    if (!this.#end.signal.aborted) {
      this.#channel?.postMessage(word);
    }
  }

  #hear(word: Word): void {
    switch (word.kind) {
      case "has": {
        const more = this.#events.slice(word.sequence);
        if (this.#leads && more.length > 0) {
          this.#tell({ kind: "events", events: more.map((event) => toBinary(MatchEventSchema, event)) });
          this.#tellState();
        }
        break;
      }
      case "events":
        this.#take(word.events.map((bytes) => fromBinary(MatchEventSchema, bytes)));
        break;
      case "state":
        if (!this.#leads && this.log.sequence > 0) {
          this.clockError = word.clockError;
          this.#become(word.connection, word.problem);
        }
        break;
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#end.signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#end.signal.addEventListener("abort", done);
    });
  }
}

function newName(): string {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}
