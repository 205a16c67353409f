/** A text that is not a position of its game. */
export class NotationError extends Error {
  override readonly name = "NotationError";

  constructor(
    /** The game. */
    readonly game: string,
    /** The text. */
    readonly text: string,
    /** The fault in the text. */
    readonly fault: string,
  ) {
    super(`${JSON.stringify(text)} is not a valid position of ${game}: ${fault}`);
  }
}
