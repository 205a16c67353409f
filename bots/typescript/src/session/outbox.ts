/** The request queue of a stream: first in, first out, until it is closed. */
export class Outbox<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  put(item: T): void {
    if (!this.#closed) {
      this.#waiting.push(item);
      this.#wake?.();
    }
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        yield next;
      } else if (this.#closed) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }
}
