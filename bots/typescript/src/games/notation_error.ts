/** A text that is no position of the game. */
export class NotationError extends Error {
  override readonly name = "NotationError";

  constructor(
    /** The game. */
    readonly game: string,
    /** The text. */
    readonly text: string,
    /** What is wrong with it. */
    readonly fault: string,
  ) {
    super(`${JSON.stringify(text)} is no position of ${game}: ${fault}`);
  }
}
