import { randomUUID } from "node:crypto";

import type { Bot } from "../bot.js";
import type { ServiceError } from "../errors.js";
import type {
  Decision as WireDecision,
  HistoryEvent as WireEvent,
  Thinking as WireThinking,
} from "../gen/dragontooth/v1/match_pb.js";
import type { MatchInfo } from "../match_info.js";
import type { Chosen } from "./bot_thinking.js";
import { Cancellation } from "./cancellation.js";

/** An answer to a decision. */
export interface Answer {
  readonly matchId: string;
  readonly decisionId: bigint;
  readonly action: string;
  readonly requestId: string;
  readonly thinking?: WireThinking;
}

/** Moments on the local clock. */
export interface Times {
  /** The moment by which to choose. */
  readonly choose: number;
  /** The moment when the clock runs out. */
  readonly end: number;
}

/** A decision that waits for the bot. */
export interface Due {
  readonly wire: WireDecision;
  /** The events of play that the bot does not know. */
  readonly since: readonly WireEvent[];
  /** Returns the moments of the decision; undefined without a limit. */
  readonly readTimes: () => Times | undefined;
  /** The refusal of the bot's previous choice. */
  readonly refused?: ServiceError;
  /** Number of choices refused so far. */
  readonly refusals?: number;
}

/** The most choices of a bot for one decision. */
const MAX_CHOICES = 16;

/** The meaning of a refused answer. */
export type Verdict =
  /** The bot chose an impossible action. */
  | "bot_failed"
  /** Something else happened first. */
  | "overtaken"
  /** The match can no longer be played. */
  | "gone"
  /** Any other reason. */
  | "unclear";

/** Returns the meaning of a refusal with this reason. */
export function verdictOf(reason: string | undefined): Verdict {
  switch (reason) {
    case "ILLEGAL_ACTION":
    case "ACTION_UNREADABLE":
    case "FIELD_INVALID":
      return "bot_failed";
    case "STALE_DECISION":
    case "NOT_YOUR_TURN":
    case "MATCH_ENDED":
    case "GAME_OVER":
    case "REQUEST_ID_REUSED":
      return "overtaken";
    case "MATCH_NOT_FOUND":
    case "NO_SEAT":
    case "LOG_DAMAGED":
      return "gone";
    default:
      return "unclear";
  }
}

/** A match in progress. */
export class Played {
  readonly info: MatchInfo;
  /** The match's bot; undefined before its first decision. */
  bot: Bot | undefined;
  /** The same, from when it is begun to be made; undefined in the end if that fails. */
  making: Promise<Bot | undefined> | undefined;
  /** True if an answer was accepted on the open stream: the next decision has only just become due. */
  fresh = false;
  /** True if the service has left out a thinking of the bot. */
  thinkingRefused = false;
  #failure: string | undefined;
  #stopped = false;
  #due: Due | undefined;
  #asked: Due | undefined;
  /** The last event of play that the bot knows. */
  #known = 0n;
  #thinking: { readonly id: bigint; readonly since: number; readonly cancellation: Cancellation } | undefined;
  #answer: (Omit<Answer, "matchId"> & { at: number; readonly renamed?: boolean }) | undefined;

  constructor(info: MatchInfo) {
    this.info = info;
  }

  /** Handles a decision. Returns the bot's answer if the bot has decided already. */
  decide(wire: WireDecision, readTimes: Due["readTimes"], now: number): Answer | undefined {
    if (this.answered === wire.decisionId) {
      return this.answerAgain(now);
    }
    // Decisions come again, and some are overtaken before the bot is asked for them.
    const waiting = this.#due?.since ?? [];
    const last = waiting.at(-1)?.sequence ?? this.#known;
    const news = wire.since.filter(({ sequence }) => sequence > last);
    this.#due = { wire, since: [...waiting, ...news], readTimes };
    this.#thinking?.cancellation.abort();
    return undefined;
  }

  /** Returns the question for the bot if one is due and the bot is idle. */
  nextQuestion(now: number): { readonly due: Due; readonly cancellation: Cancellation } | undefined {
    const due = this.#due;
    if (this.#thinking !== undefined || this.#stopped || due === undefined) {
      return undefined;
    }
    this.#due = undefined;
    this.#asked = due;
    this.#known = due.wire.decisionId;
    const cancellation = new Cancellation();
    this.#thinking = { id: due.wire.decisionId, since: now, cancellation };
    return { due, cancellation };
  }

  /** Returns true if the bot is thinking about this decision. */
  thinksAbout(decisionId: bigint): boolean {
    return this.#thinking?.id === decisionId;
  }

  /** The decision that the bot is thinking about, and since when. */
  get thinking(): { readonly id: bigint; readonly since: number } | undefined {
    return this.#thinking;
  }

  /** Handles a choice of the bot. Returns the answer, unless another decision is due by now. */
  chosen(decisionId: bigint, { action, thinking }: Chosen, now: number): Answer | undefined {
    this.#thinking = undefined;
    if (this.#due !== undefined || this.#stopped) {
      return undefined;
    }
    // Resending an answer must reuse its request id.
    const again = this.#asked?.refusals === undefined ? "" : `:${this.#asked.refusals}`;
    const requestId = `${this.info.id}:${decisionId}${again}`;
    this.#answer = { decisionId, action, requestId, ...(thinking && { thinking }), at: now };
    return this.answerAgain(now);
  }

  /** The bot returned, but its choice no longer matters. */
  dropped(): void {
    this.#thinking = undefined;
  }

  /** Records that the bot has failed: no more questions, and the match is resigned. */
  failed(failure: string): void {
    this.stop();
    this.#failure = failure;
  }

  /** The failure of the bot. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** True if no more questions follow: the bot has failed, or the match is over. */
  stop(): void {
    this.#thinking?.cancellation.abort();
    this.#thinking = undefined;
    this.#due = undefined;
    this.#answer = undefined;
    this.#stopped = true;
  }

  /** Handles a refused answer. Returns true if the bot is to be asked again. */
  refused(error: ServiceError): boolean {
    const asked = this.#asked;
    if (this.bot?.refused === undefined || asked === undefined || this.#due !== undefined || this.#stopped) {
      return false;
    }
    const refusals = (asked.refusals ?? 0) + 1;
    if (refusals >= MAX_CHOICES) {
      return false;
    }
    this.#answer = undefined;
    this.#due = { ...asked, refused: error, refusals };
    return true;
  }

  /**
   * Returns the answer under another request id, for one whose id was used before; undefined if it was renamed already,
   * or another decision is due by now.
   */
  renamed(now: number): Answer | undefined {
    const answer = this.#answer;
    if (answer === undefined || answer.renamed || this.#due !== undefined || this.#thinking !== undefined) {
      return undefined;
    }
    this.#answer = { ...answer, requestId: randomUUID(), renamed: true };
    return this.answerAgain(now);
  }

  /** The decision that the bot answered last. */
  get answered(): bigint | undefined {
    return this.#answer?.decisionId;
  }

  /** The request id of that answer. */
  get requestId(): string | undefined {
    return this.#answer?.requestId;
  }

  /** Returns the bot's last answer for sending it again. */
  answerAgain(now: number): Answer | undefined {
    if (this.#answer === undefined) {
      return undefined;
    }
    this.#answer.at = now;
    const { at: _, renamed: __, ...answer } = this.#answer;
    return { matchId: this.info.id, ...answer };
  }

  /** The moment when the answer was sent. */
  sentAt(decisionId: bigint): number | undefined {
    return this.#answer?.decisionId === decisionId ? this.#answer.at : undefined;
  }
}
