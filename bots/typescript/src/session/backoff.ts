/** The longest first pause. */
const FIRST_MS = 100;
/** The longest pause. */
const CAP_MS = 10_000;

/**
 * The pauses between tries: each up to twice as long as the one before, with a cap, and drawn so that many clients do
 * not come back at the same moment.
 */
export class Backoff {
  #nextMs = FIRST_MS;

  /** A try succeeded: the next pause is a first one. */
  reset(): void {
    this.#nextMs = FIRST_MS;
  }

  /** The pause after one more failure: between half and all of the longest one, or that much more than `askedMs`. */
  pauseMs(askedMs: number | undefined, random: number = Math.random()): number {
    const longest = this.#nextMs;
    this.#nextMs = Math.min(longest * 2, CAP_MS);
    const least = askedMs === undefined ? longest / 2 : Math.min(askedMs, CAP_MS);
    return least + (longest / 2) * random;
  }
}
