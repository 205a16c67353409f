import { timestampDate } from "@bufbuild/protobuf/wkt";

import type { Bot, BotFactory } from "../bot.js";
import type { Decision } from "../decision.js";
import { clocksMs, seatOf } from "../match_info.js";
import type { Due, Played } from "./played.js";
import { decisionSeed, randomFrom } from "./seed.js";

/**
 * Longest choice in characters. The service refuses far shorter ones and the bot may choose again; a longer one might
 * end the whole stream instead.
 */
const MAX_CHOICE = 8 * 1024;

/** The result of asking a bot. */
export type Thought = { readonly action: string } | Failure;

/** The failure of a bot, and its place in the code, which the opponent does not see. */
export interface Failure {
  readonly failure: string;
  readonly place?: string;
}

/**
 * Asks bots one after the other, so that the stream is read in between; bots that await something think concurrently.
 */
export class Thinking {
  readonly #make: BotFactory;
  readonly #seed: bigint;
  readonly #queue: (() => void)[] = [];

  constructor(bot: BotFactory | Bot, seed: bigint) {
    this.#make = typeof bot === "function" ? bot : () => bot;
    this.#seed = seed;
  }

  /** Asks the bot of a match, after creating it if necessary. */
  ask(played: Played, due: Due, signal: AbortSignal, tell: (thought: Thought) => void): void {
    this.#queue.push(() => {
      if (!signal.aborted) {
        void this.#choose(played, due, signal).then(tell);
      } else {
        tell({ failure: "the answer is no longer needed" });
      }
    });
    if (this.#queue.length === 1) {
      setImmediate(() => this.#next());
    }
  }

  #next(): void {
    this.#queue[0]?.();
    this.#queue.shift();
    if (this.#queue.length > 0) {
      setImmediate(() => this.#next());
    }
  }

  async #choose(played: Played, due: Due, signal: AbortSignal): Promise<Thought> {
    try {
      played.bot ??= await this.#make(played.info);
      const decision = decisionOf(played, due, signal, this.#seed);
      if (due.refused !== undefined) {
        const other: unknown = await played.bot.refused?.(decision, due.refused);
        const chosen = typeof other === "string" && other.length <= MAX_CHOICE;
        return chosen ? { action: other } : { failure: `its answer was refused: ${due.refused}` };
      }
      const action: unknown = await played.bot.choose(decision);
      if (typeof action !== "string") {
        const found = typeof action === "object" ? "an object" : String(action);
        return { failure: `choose returned ${found}, which is not a string` };
      }
      if (action.length > MAX_CHOICE) {
        return { failure: `choose returned ${action.length} characters; the limit is ${MAX_CHOICE}` };
      }
      return { action };
    } catch (error) {
      return describe(error);
    }
  }
}

function decisionOf(played: Played, due: Due, signal: AbortSignal, seed: bigint): Decision {
  const { wire, times } = due;
  const { info } = played;
  const ownSeed = decisionSeed(seed, info.title === "" ? info.id : info.title, info.seat, Number(wire.decisionId));
  const until = (time: number | undefined) => (time === undefined ? undefined : Math.max(0, time - performance.now()));
  return {
    match: info,
    game: info.game,
    id: Number(wire.decisionId),
    seat: seatOf(wire.seat) ?? info.seat,
    gameNumber: wire.gameNumber,
    ply: wire.ply,
    position: wire.position,
    legalActions: wire.legalActions,
    offers: wire.offers,
    roll: wire.roll === "" ? undefined : wire.roll,
    score: { first: wire.score?.first ?? 0, second: wire.score?.second ?? 0 },
    clocksMs: clocksMs(wire),
    deadline: wire.deadline === undefined ? undefined : timestampDate(wire.deadline),
    get budgetMs() {
      return until(times?.until);
    },
    get timeLeftMs() {
      return until(times?.end);
    },
    signal,
    seed: ownSeed,
    random: randomFrom(ownSeed),
  };
}

/** Returns the text of an error with its causes and the line where it was thrown. */
function describe(error: unknown): Failure {
  if (!(error instanceof Error)) {
    return { failure: String(error) };
  }
  const texts: string[] = [];
  for (let next: unknown = error; next instanceof Error && texts.length < 8; next = next.cause) {
    texts.push(`${next.name}: ${next.message}`);
  }
  const place = error.stack?.split("\n").find((line) => line.trimStart().startsWith("at "));
  const failure = texts.join(": ");
  return place === undefined ? { failure } : { failure, place: place.trim() };
}
