/** Exit codes: part of the public contract, and the same as those of `dragontooth-bot`. */
export const EXIT = {
  /** It did what it was told, or stopped when it was told to. */
  done: 0,
  /** The system refused it something. */
  system: 1,
  /** The command line is wrong, or the bot cannot be loaded. */
  usage: 2,
  /** The service cannot be reached, or could not be reached again in time. */
  unreachable: 3,
  /** The service refuses: the token, the match, the request. */
  refused: 4,
  /** Another program has begun to play with the same token. */
  superseded: 5,
  /** All was played, but in some match the bot failed and resigned. */
  botFailed: 6,
} as const;

/** Why the program does not do what it was told: a line for people and an exit code. */
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
