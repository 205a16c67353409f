/** Notices that nothing was heard for a while. */
export class Watchdog {
  readonly #silent: () => void;
  #limitMs: number;
  #heardAt = performance.now();
  #timer: NodeJS.Timeout;
  #turn: NodeJS.Immediate | undefined;

  /** Calls `silent` once nothing was heard for `limitMs`, since `heard` or the beginning. */
  constructor(limitMs: number, silent: () => void) {
    this.#silent = silent;
    this.#limitMs = limitMs;
    this.#timer = setTimeout(this.#look, limitMs);
  }

  /** Something was heard. */
  heard(now: number): void {
    // A timer for each message would cost more than one that looks when the last message came.
    this.#heardAt = now;
  }

  /** Changes the limit. */
  setLimit(limitMs: number): void {
    this.stop();
    this.#limitMs = limitMs;
    this.#look();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
  }

  get #leftMs(): number {
    return this.#heardAt + this.#limitMs - performance.now();
  }

  readonly #look = (): void => {
    if (this.#leftMs > 0) {
      this.#timer = setTimeout(this.#look, this.#leftMs);
      return;
    }
    // Timers come before what has arrived: a bot may have computed for so long that nobody has read it.
    this.#turn = setImmediate(() => {
      if (this.#leftMs > 0) {
        this.#look();
      } else {
        this.#silent();
      }
    });
  };
}
