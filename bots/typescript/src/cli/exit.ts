/** Exit codes: part of the public contract, and the same as those of `dragontooth-bot`. */
export const EXIT = {
  /** Success, or stopped by a signal. */
  done: 0,
  /** The system refused something: a thread, the output. */
  system: 1,
  /** The command line is wrong, or the bot cannot be loaded. */
  usage: 2,
  /** The service cannot be reached, or not again in time. */
  unreachable: 3,
  /** The service refuses: the token, the match, the request. */
  refused: 4,
  /** Another program started to play with the same token. */
  superseded: 5,
  /** The bot failed and resigned in at least one match, even if a signal stopped it. */
  botFailed: 6,
} as const;

/** A failure of the program: a line for people and an exit code. */
export class Failure extends Error {
  constructor(
    readonly exit: number,
    message: string,
  ) {
    super(message);
  }
}

/** A mistake in the command line. */
export function usage(message: string): Failure {
  return new Failure(EXIT.usage, message);
}
