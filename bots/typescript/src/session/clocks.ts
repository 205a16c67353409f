/** Minimum lifetime of an observation. A longer one would outlive a step of a clock. */
const WINDOW_MS = 60_000;
/** Number of round trips remembered. */
const REMEMBERED = 16;
/** Assumed round trip before any answer was accepted. */
const FIRST_GUESS_MS = 20;
/** Longest round trip that counts: a longer one is an outlier. */
const LONGEST_MS = 1000;

/**
 * An estimate of the service's clock from the times in its messages.
 *
 * A time that arrives now was read a little earlier, so the service's clock is ahead of it. The observation furthest
 * ahead is the best one. Times of the service are milliseconds since 1970; local times come from any monotonic clock.
 */
export class ServerClock {
  readonly #started: number;
  readonly #startedWall: number;
  #best = -Infinity;
  #bestBefore = -Infinity;
  #windowStart: number;

  constructor(now: number, wall: number) {
    this.#started = now;
    this.#startedWall = wall;
    this.#windowStart = now;
  }

  /** Records that the service's clock shows at least `server` now. */
  observe(server: number, now: number): void {
    if (now - this.#windowStart > WINDOW_MS) {
      this.#bestBefore = this.#best;
      this.#best = -Infinity;
      this.#windowStart = now;
    }
    this.#best = Math.max(this.#best, server - this.#local(now));
  }

  /**
   * Returns the time until `deadline` on the service's clock; zero if it has passed. Before the first observation it
   * assumes that both clocks agree.
   */
  untilMs(deadline: number, now: number): number {
    const best = Math.max(this.#best, this.#bestBefore);
    const ahead = best === -Infinity ? 0 : best;
    return Math.max(0, deadline - (this.#local(now) + ahead));
  }

  /**
   * Returns the time until `deadline` of a seat that has `wholeMs` for its decision. Before the first observation, a
   * deadline that seems to have passed shows that the local clock is ahead: a service sends no decision that is too late.
   */
  leftMs(deadline: number, wholeMs: number, now: number): number {
    const left = this.untilMs(deadline, now);
    const isUnknown = Math.max(this.#best, this.#bestBefore) === -Infinity;
    return isUnknown && left === 0 ? wholeMs : Math.min(left, wholeMs);
  }

  #local(now: number): number {
    return this.#startedWall + (now - this.#started);
  }
}

/** Recent times from sending an answer until the service accepted it. */
export class RoundTrips {
  readonly #last: number[] = [FIRST_GUESS_MS];

  add(tookMs: number): void {
    this.#last.push(Math.min(tookMs, LONGEST_MS));
    if (this.#last.length > REMEMBERED) {
      this.#last.shift();
    }
  }

  /** The longest recent round trip. */
  longestMs(): number {
    return Math.max(...this.#last);
  }
}
