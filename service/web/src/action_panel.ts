// The decision of the player of this tab: every legal action as a button, fewer after each square that is picked.
import { Code, ConnectError } from "@connectrpc/connect";
import { html, nothing, type TemplateResult } from "lit-html";

import { games, isTemporary, matches, requestId, sentence } from "./api.js";
import { next, parts } from "./compose.js";
import { areasOf, type Side } from "./games.js";
import type { Decision } from "./gen/dragontooth/v1/match_pb.js";
import { trouble, update } from "./page.js";

/** The most actions that are shown before a square is picked. */
const MOST_AT_ONCE = 24;

/** Pause before a decision that did not come is asked for again. */
const AGAIN_MS = 1000;

/** What a press of a button does: plays an action, or narrows the choice. */
interface Choice {
  readonly label: string;
  readonly press: () => void;
  readonly isAction: boolean;
}

/** The buttons of a decision. */
export class ActionPanel {
  readonly #match: string;
  readonly #game: string;
  #decision: Decision | undefined;
  #side: Side = 1;
  /** The event at which the decision was asked for. */
  #askedAt = 0;
  #picked: string[] = [];
  /** The parts of a play in Backgammon that are chosen. */
  #parts: string[] = [];
  #sent: { action: string; id: string } | undefined;
  /** The decision for which an action is on its way. */
  #sending: Decision | undefined;
  #problem = "";
  /** True if the keyboard was here, and has to come back with the next decision. */
  #hadFocus = false;

  constructor(match: string, game: string) {
    this.#match = match;
    this.#game = game;
  }

  /** Asks for the decision that is due after an event. */
  async ask(sequence: number, side: Side): Promise<void> {
    if (this.#askedAt === sequence) {
      return;
    }
    this.#askedAt = sequence;
    this.#side = side;
    this.#forget();
    try {
      const { decision } = await games.getDecision({ matchId: this.#match });
      if (this.#askedAt === sequence) {
        this.#decision = decision;
        this.#problem = "";
        update();
      }
    } catch (error) {
      if (this.#askedAt === sequence) {
        // Without a decision the match is over, or goes on with the next event.
        this.#problem = ConnectError.from(error).code === Code.FailedPrecondition ? "" : sentence(error);
        setTimeout(() => this.#askAgain(sequence, side), AGAIN_MS);
        update();
      }
    }
  }

  /** Asks once more for the decision after an event, if it is still to come. */
  #askAgain(sequence: number, side: Side): void {
    if (this.#askedAt === sequence) {
      this.#askedAt = 0;
      void this.ask(sequence, side);
    }
  }

  /** True if it shows the decision after an event, or has asked for it. */
  isAbout(sequence: number): boolean {
    return this.#askedAt === sequence;
  }

  /** Forgets the decision: it is the turn of the other. */
  rest(): void {
    if (this.#decision !== undefined || this.#askedAt !== 0) {
      this.#askedAt = 0;
      this.#forget();
    }
  }

  #forget(): void {
    this.#hadFocus ||= Boolean(document.activeElement?.closest(".actions"));
    this.#decision = undefined;
    this.#picked = [];
    this.#parts = [];
    this.#sent = undefined;
  }

  /** The areas of the board that can be picked now. */
  get areas(): ReadonlySet<string> {
    const at = this.#picked.length;
    const areas = this.#candidates().map((action) => this.#areasOf(action)[at]);
    return new Set(areas.flatMap((area) => area ?? []));
  }

  get picked(): readonly string[] {
    return this.#picked;
  }

  /** Picks an area of the board; one that fits nothing begins anew. */
  pick(area: string): void {
    if (this.#decision === undefined) {
      return;
    }
    const before = this.#picked;
    this.#picked = [...before, area];
    let candidates = this.#candidates();
    if (candidates.length === 0) {
      this.#picked = before.includes(area) ? [] : [area];
      candidates = this.#candidates();
    }
    if (candidates.length === 0) {
      this.#picked = [];
    } else if (candidates.length === 1 && candidates[0] !== undefined && this.#picked.length === this.#areasOf(candidates[0]).length) {
      this.#isPlay ? this.#choosePart(candidates[0]) : void this.#play(candidates[0]);
    }
    update();
  }

  /** True if plays are composed: a play in Backgammon has parts. */
  get #isPlay(): boolean {
    return this.#game === "backgammon" && (this.#decision?.legalActions.some((action) => action.includes("/")) ?? false);
  }

  get #isSending(): boolean {
    return this.#sending !== undefined && this.#sending === this.#decision;
  }

  #areasOf(action: string): string[] {
    const areas = areasOf(this.#game, action, this.#side);
    // A path that hits on its way is pointed at by its ends.
    return this.#isPlay && areas.length > 2 ? [areas[0] ?? "", areas.at(-1) ?? ""] : areas;
  }

  /** The actions, or the parts of plays, that fit what is picked. */
  #candidates(): string[] {
    const all = this.#isPlay ? next(this.#decision?.legalActions ?? [], this.#parts).parts : (this.#decision?.legalActions ?? []);
    return all.filter((action) => {
      const areas = this.#areasOf(action);
      return this.#picked.every((area, at) => areas[at] === area);
    });
  }

  #choosePart(part: string): void {
    // A second press may come before the buttons are drawn again.
    if (!next(this.#decision?.legalActions ?? [], this.#parts).parts.includes(part)) {
      return;
    }
    this.#picked = [];
    this.#parts = [...this.#parts, part];
    this.#keepFocus();
    update();
  }

  #keepFocus(): void {
    this.#hadFocus = document.activeElement?.closest(".actions") !== null;
  }

  async #play(action: string): Promise<void> {
    const decision = this.#decision;
    if (decision === undefined || this.#isSending || ![...decision.legalActions, ...decision.offers].includes(action)) {
      return;
    }
    this.#keepFocus();
    // The same id again if it is not known what became of the first attempt.
    this.#sent = this.#sent?.action === action ? this.#sent : { action, id: requestId() };
    this.#sending = decision;
    this.#problem = "";
    update();
    try {
      const { decisionId } = decision;
      await games.submitAction({ matchId: this.#match, decisionId, action, requestId: this.#sent.id });
      // The next decision may have come before this answer.
      if (this.#decision === decision) {
        this.#forget();
      }
    } catch (error) {
      if (this.#decision === decision) {
        this.#problem = isTemporary(error) ? `${sentence(error)} Choose again to repeat it.` : sentence(error);
        this.#askedAt = isTemporary(error) ? this.#askedAt : 0;
      }
    } finally {
      if (this.#sending === decision) {
        this.#sending = undefined;
      }
      update();
    }
  }

  async #resign(): Promise<void> {
    try {
      await matches.resignMatch({ matchId: this.#match, requestId: requestId() });
    } catch (error) {
      this.#problem = sentence(error);
      update();
    }
  }

  view(): TemplateResult {
    const choices = this.#choices();
    const offers = this.#decision?.offers ?? [];
    return html`<section class="actions" aria-label="Your decision" @keydown=${(event: KeyboardEvent) => this.#key(event)}>
      <h2 aria-live="polite">${this.#decision === undefined ? "Waiting for your opponent" : "Your turn"}</h2>
      ${this.#problem === "" ? nothing : trouble(this.#problem)}
      ${this.#chosen()}
      <div class="choices" role="group" aria-label="Legal actions" aria-busy=${this.#isSending}>
        ${choices.map(
          ({ label, press, isAction }, at) =>
            html`<button
              class=${isAction ? "action" : "more"}
              tabindex=${at === 0 ? 0 : -1}
              ?disabled=${this.#isSending}
              @click=${press}
            >
              ${label}
            </button>`,
        )}
      </div>
      <details>
        <summary>Resign</summary>
        <div class="choices">
          ${offers.map(
            (offer) => html`<button ?disabled=${this.#isSending} @click=${() => void this.#play(offer)}>Offer: ${offer}</button>`,
          )}
          <button class="danger" @click=${() => void this.#resign()}>Resign the match</button>
        </div>
      </details>
    </section>`;
  }

  /** Brings the keyboard back after the page was drawn, unless it is in use elsewhere, or `isLast` tells that an earlier step is shown. */
  drawn(root: HTMLElement, isLast: boolean): void {
    if (this.#hadFocus && this.#decision !== undefined && !this.#isSending) {
      const first = root.querySelector<HTMLElement>(".choices button");
      if (first !== null) {
        this.#hadFocus = false;
        const active = document.activeElement ?? document.body;
        const isFree = active === document.body || (active.closest(".actions") !== null && active.closest("details") === null);
        if (isLast && isFree) {
          first.focus();
        }
      }
    }
  }

  #chosen(): TemplateResult | typeof nothing {
    if (this.#picked.length + this.#parts.length === 0) {
      return nothing;
    }
    const back = () => {
      this.#keepFocus();
      this.#picked.length > 0 ? (this.#picked = []) : (this.#parts = this.#parts.slice(0, -1));
      update();
    };
    return html`<p class="chosen">
      Chosen: <strong>${[...this.#parts, ...this.#picked].join(" ")}</strong>
      <button class="more" @click=${back}>Take back</button>
    </p>`;
  }

  #choices(): Choice[] {
    const candidates = this.#candidates();
    const act = (action: string, label = action): Choice => ({ label, isAction: true, press: () => void this.#play(action) });
    if (this.#isPlay) {
      const complete = next(this.#decision?.legalActions ?? [], this.#parts).complete;
      const more = candidates.map((part) => ({ label: part, isAction: false, press: () => this.#choosePart(part) }));
      const others = (this.#decision?.legalActions ?? []).filter((action) => parts(action).every((part) => !part.includes("/")));
      return [...(complete === undefined ? [] : [act(complete, `Play ${complete}`)]), ...more, ...others.map((action) => act(action))];
    }
    if (candidates.length <= MOST_AT_ONCE || this.#picked.length > 0) {
      return candidates.map((action) => act(action));
    }
    const first = new Set(candidates.map((action) => this.#areasOf(action)[0] ?? ""));
    const begin = [...first].filter((area) => area !== "");
    const pick = (area: string) => () => {
      this.#keepFocus();
      this.#picked = [area];
      update();
    };
    const rest = candidates.filter((action) => this.#areasOf(action).length === 0);
    return [...begin.map((area) => ({ label: `${area} …`, isAction: false, press: pick(area) })), ...rest.map((action) => act(action))];
  }

  /** Arrows go from button to button, so that a long list takes one press of the Tab key. */
  #key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const buttons = [...(target.closest(".choices")?.querySelectorAll("button") ?? [])];
    const at = buttons.indexOf(target as HTMLButtonElement);
    const goal = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at >= 0 && goal !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      buttons[Math.max(0, Math.min(buttons.length - 1, goal))]?.focus();
    }
  }
}
