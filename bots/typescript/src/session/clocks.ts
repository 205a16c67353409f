/** For how long an observation counts, at least: longer ones would outlive a step of a clock. */
const WINDOW_MS = 60_000;
/** How many answers are remembered. */
const REMEMBERED = 16;
/** What an answer is taken to need before any was accepted. */
const FIRST_GUESS_MS = 20;
/** The longest round trip that is reckoned with: a longer one is taken for an accident. */
const LONGEST_MS = 1000;

/**
 * What the service's clock shows, as far as its messages tell.
 *
 * A time of the service that arrives now is a little in the past, so the service's clock is ahead of that observation;
 * the observation that is furthest ahead of the others is the best. Times of the service are milliseconds since 1970,
 * those of this program are of any clock that only goes forward.
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

  /** The service's clock shows at least `server` now. */
  observe(server: number, now: number): void {
    if (now - this.#windowStart > WINDOW_MS) {
      this.#bestBefore = this.#best;
      this.#best = -Infinity;
      this.#windowStart = now;
    }
    this.#best = Math.max(this.#best, server - this.#local(now));
  }

  /**
   * The time until `deadline` by the service's clock; zero if it has passed. As long as nothing was observed, the
   * local clock stands for the service's.
   */
  untilMs(deadline: number, now: number): number {
    const best = Math.max(this.#best, this.#bestBefore);
    const ahead = best === -Infinity ? 0 : best;
    return Math.max(0, deadline - (this.#local(now) + ahead));
  }

  #local(now: number): number {
    return this.#startedWall + (now - this.#started);
  }
}

/** How long the last answers took until the service had accepted them. */
export class RoundTrips {
  readonly #last: number[] = [FIRST_GUESS_MS];

  add(tookMs: number): void {
    this.#last.push(Math.min(tookMs, LONGEST_MS));
    if (this.#last.length > REMEMBERED) {
      this.#last.shift();
    }
  }

  /** What an answer has to reckon with. */
  longestMs(): number {
    return Math.max(...this.#last);
  }
}
