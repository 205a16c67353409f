import type { Bot } from "../bot.js";
import type { ServiceError } from "../errors.js";
import type { Decision as WireDecision } from "../gen/dragontooth/v1/match_pb.js";
import type { MatchInfo } from "../match_info.js";

/** An answer to a decision. */
export interface Answer {
  readonly matchId: string;
  readonly decisionId: bigint;
  readonly action: string;
  readonly requestId: string;
}

/** A decision that waits for the bot. */
export interface Due {
  readonly wire: WireDecision;
  /** When the choice should be made and when the clock runs out, by the program's clock; none for no limit. */
  readonly times: { readonly until: number; readonly end: number } | undefined;
  /** Why the service refused what the bot chose before. */
  readonly refused?: ServiceError;
  /** How many choices the service has refused. */
  readonly refusals?: number;
}

/** What a refusal of an answer means. */
export type Verdict =
  /** The bot chose something that cannot be played. */
  | "bot_failed"
  /** Something else happened first. */
  | "overtaken"
  /** The match cannot be played any more. */
  | "gone"
  /** The service does not say what helps. */
  | "unclear";

/** What a refusal with this reason means. */
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

/** What the stream that is open tells of a match. */
export type Standing =
  /** Nothing yet. */
  | "unheard"
  /** Nothing yet, and it cannot be asked for. */
  | "doubted"
  /** That it is not over. */
  | "live";

/** A match that is played in a session. */
export class Played {
  readonly info: MatchInfo;
  /** The match's bot; none before its first decision. */
  bot: Bot | undefined;
  /** Whether an answer was accepted on the stream that is open: then a decision that comes is due since just now. */
  fresh = false;
  standing: Standing = "live";
  #failure: string | undefined;
  #stopped = false;
  #due: Due | undefined;
  #asked: Due | undefined;
  #thinking: { readonly id: bigint; readonly since: number; readonly abort: AbortController } | undefined;
  #answer: { readonly decisionId: bigint; readonly action: string; readonly requestId: string; at: number } | undefined;

  constructor(info: MatchInfo) {
    this.info = info;
  }

  /** Takes a decision. It gives the bot's answer if the bot has decided already. */
  decide(due: Due, now: number): Answer | undefined {
    if (this.answered === due.wire.decisionId) {
      return this.answerAgain(now);
    }
    this.#due = due;
    this.#thinking?.abort.abort();
    return undefined;
  }

  /** The question for the bot, if one is due and the bot is free. */
  nextQuestion(now: number): { readonly due: Due; readonly signal: AbortSignal } | undefined {
    const due = this.#due;
    if (this.#thinking !== undefined || this.#stopped || due === undefined) {
      return undefined;
    }
    this.#due = undefined;
    this.#asked = due;
    const abort = new AbortController();
    this.#thinking = { id: due.wire.decisionId, since: now, abort };
    return { due, signal: abort.signal };
  }

  /** Whether the bot thinks about this decision. */
  thinksAbout(decisionId: bigint): boolean {
    return this.#thinking?.id === decisionId;
  }

  /** The decision about which the bot thinks, and since when. */
  get thinking(): { readonly id: bigint; readonly since: number } | undefined {
    return this.#thinking;
  }

  /** The bot has chosen. It gives the answer, unless another decision is due by now. */
  chosen(decisionId: bigint, action: string, now: number): Answer | undefined {
    this.#thinking = undefined;
    if (this.#due !== undefined || this.#stopped) {
      return undefined;
    }
    // The same answer to the same decision is the same request, however often it is sent.
    const again = this.#asked?.refusals === undefined ? "" : `:${this.#asked.refusals}`;
    this.#answer = { decisionId, action, requestId: `${this.info.id}:${decisionId}${again}`, at: now };
    return this.answerAgain(now);
  }

  /** The bot has come back with nothing that is wanted. */
  dropped(): void {
    this.#thinking = undefined;
  }

  /** The bot has failed: nothing is asked any more, and the match is given up. */
  failed(failure: string): void {
    this.stop();
    this.#failure = failure;
  }

  /** How the bot failed. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Nothing is asked any more: the bot has failed, or the match is over. */
  stop(): void {
    this.#thinking?.abort.abort();
    this.#thinking = undefined;
    this.#due = undefined;
    this.#answer = undefined;
    this.#stopped = true;
  }

  /** The service refused the answer: the bot is asked once more. Whether it wants to be. */
  refused(error: ServiceError): boolean {
    const asked = this.#asked;
    if (this.bot?.refused === undefined || asked === undefined || this.#due !== undefined || this.#stopped) {
      return false;
    }
    this.#answer = undefined;
    this.#due = { ...asked, refused: error, refusals: (asked.refusals ?? 0) + 1 };
    return true;
  }

  /** The decision that the bot has answered last. */
  get answered(): bigint | undefined {
    return this.#answer?.decisionId;
  }

  /** The request of that answer. */
  get requestId(): string | undefined {
    return this.#answer?.requestId;
  }

  /** The bot's last answer once more. */
  answerAgain(now: number): Answer | undefined {
    if (this.#answer === undefined) {
      return undefined;
    }
    this.#answer.at = now;
    const { decisionId, action, requestId } = this.#answer;
    return { matchId: this.info.id, decisionId, action, requestId };
  }

  /** When the answer was sent. */
  sentAt(decisionId: bigint): number | undefined {
    return this.#answer?.decisionId === decisionId ? this.#answer.at : undefined;
  }
}
