/**
 * Marks an answer that may become unnecessary.
 *
 * The signal is made when a bot asks for it: few do, and it costs more than the rest of a decision.
 */
export class Cancellation {
  #isAborted = false;
  #controller: AbortController | undefined;

  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** A signal that is aborted with this. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) {
      this.#controller.abort();
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}
