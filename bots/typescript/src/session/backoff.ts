/** Longest first pause. */
const FIRST_MS = 100;
/** Longest pause. */
const CAP_MS = 10_000;

/**
 * Exponential backoff with a cap. The pauses are jittered so that many clients do not reconnect at the same moment.
 */
export class Backoff {
  #nextMs = FIRST_MS;

  /** Starts again from the shortest pause, after a success. */
  reset(): void {
    this.#nextMs = FIRST_MS;
  }

  /**
   * Returns the pause after another failure, between half and all of the longest one allowed now. If `askedMs` is longer than half, it takes the
   * place of the half, up to the cap.
   */
  pauseMs(askedMs: number | undefined, random: number = Math.random()): number {
    const longest = this.#nextMs;
    this.#nextMs = Math.min(longest * 2, CAP_MS);
    const asked = Math.min(askedMs ?? 0, CAP_MS);
    return Math.max(asked, longest / 2) + (longest / 2) * random;
  }
}
