import type { Bot, BotFactory, Choice } from "../bot.js";
import { withThinking, type Chosen } from "./bot_thinking.js";
import type { Cancellation } from "./cancellation.js";
import { PendingDecision } from "./pending_decision.js";
import { failureOf, type Failure } from "./failure.js";
import type { Due, Played } from "./played.js";

/**
 * Longest choice in characters. The service refuses far shorter ones and the bot may choose again; a longer one might
 * end the whole stream instead.
 */
const MAX_CHOICE = 8 * 1024;

/** The result of asking a bot. */
export type Thought = Chosen | Failure;

/** The thought of a bot that is not asked. */
const NOT_NEEDED: Failure = { failure: "the answer is no longer needed" };

/** Time that bots may take before the event loop turns, so that the stream is read. */
const TURN_MS = 5;

/**
 * Asks bots one after the other, so that the stream is read in between; bots that await something think concurrently.
 */
export class Thinking {
  readonly #make: BotFactory;
  readonly #seed: bigint;
  readonly #queue: (() => void)[] = [];
  /** The number of bots that are asked and have not answered. */
  #asked = 0;
  /** The time that bots took since this last waited for a turn of the event loop. */
  #takenMs = 0;

  constructor(bot: BotFactory | Bot, seed: bigint) {
    this.#make = typeof bot === "function" ? bot : () => bot;
    this.#seed = seed;
  }

  /** Asks the bot of a match, after creating it if necessary. `tell` does not throw. */
  ask(played: Played, due: Due, cancellation: Cancellation, tell: (thought: Thought) => void): void {
    this.#queue.push(() => {
      if (!cancellation.isAborted) {
        void this.#think(played, due, cancellation).then(tell);
      } else {
        tell(NOT_NEEDED);
      }
    });
    if (this.#queue.length === 1) {
      this.#schedule();
    }
  }

  #schedule(): void {
    // A turn of the event loop costs as much as a quick bot, so that is asked without one.
    if (this.#asked === 0 && this.#takenMs < TURN_MS) {
      queueMicrotask(() => this.#next());
    } else {
      setImmediate(() => {
        this.#takenMs = 0;
        this.#next();
      });
    }
  }

  #next(): void {
    this.#queue[0]?.();
    this.#queue.shift();
    if (this.#queue.length > 0) {
      this.#schedule();
    }
  }

  async #think(played: Played, due: Due, cancellation: Cancellation): Promise<Thought> {
    const begun = performance.now();
    this.#asked += 1;
    try {
      return await this.#choose(played, due, cancellation);
    } finally {
      this.#asked -= 1;
      this.#takenMs += performance.now() - begun;
    }
  }

  async #choose(played: Played, due: Due, cancellation: Cancellation): Promise<Thought> {
    try {
      if (played.bot === undefined) {
        const making = Promise.resolve(this.#make(played.info));
        played.making = making.catch(() => undefined);
        played.bot = await making;
        if (cancellation.isAborted) {
          return NOT_NEEDED;
        }
      }
      const decision = new PendingDecision(played.info, due, cancellation, this.#seed);
      const { refused } = due;
      const [asked, choice]: [string, unknown] =
        refused === undefined
          ? ["choose", await played.bot.choose(decision)]
          : ["refused", await played.bot.refused?.(decision, refused)];
      if (refused !== undefined && (choice === undefined || choice === null)) {
        return { failure: `its answer was refused: ${refused}` };
      }
      const { action, thinking } = isChoice(choice) ? choice : { action: choice, thinking: undefined };
      if (typeof action !== "string") {
        const found = typeof action === "object" ? "an object" : String(action);
        return { failure: `${asked} returned ${found}, which is not a string` };
      }
      if (action.length > MAX_CHOICE) {
        return { failure: `${asked} returned ${action.length} characters; the limit is ${MAX_CHOICE}` };
      }
      return thinking === undefined ? { action } : withThinking(action, thinking);
    } catch (error) {
      return failureOf(error);
    }
  }
}

/** Returns true if a bot has returned an object with an action, rather than the action. */
function isChoice(choice: unknown): choice is Choice {
  return typeof choice === "object" && choice !== null && "action" in choice && typeof choice.action === "string";
}
