// The steps of a match as a list, each with what led to it.
import { html, nothing, type TemplateResult } from "lit-html";

import { spentText } from "./format.js";
import { sideNames } from "./games.js";
import type { MatchLog, Step } from "./match_log.js";

/** What led to a step, as a sentence. */
export function stepText(log: MatchLog, step: Step): TemplateResult {
  const who = sideOf(log, step);
  const end = step.end === undefined ? nothing : html`; <bdi>${step.end}</bdi>`;
  return html`Game ${step.game}: ${who} ${what(step)}${end}`;
}

/** An action that was refused is any text, which must not turn the text around it. */
function what(step: Step): TemplateResult | string {
  switch (step.kind) {
    case "start":
      return "start";
    case "action":
      return step.text;
    case "roll":
      return `roll ${step.text}`;
    case "pass":
      return "passes";
    case "refused":
      return html`tried <bdi>${step.text}</bdi> (${step.refusal})`;
  }
}

function sideOf(log: MatchLog, step: Step): string {
  return step.seat === undefined ? "" : (sideNames(log.match?.game ?? "", step.game)[step.seat - 1] ?? "");
}

/** The list, which keeps the step that is shown in sight. */
export class StepList {
  #shown = -1;
  #height = 0;

  view(log: MatchLog, current: number, choose: (at: number) => void): TemplateResult {
    const games = new Map<number, { step: Step; at: number }[]>();
    for (const [at, step] of log.steps.entries()) {
      const game = games.get(step.game) ?? [];
      game.push({ step, at });
      games.set(step.game, game);
    }
    return html`<section class="steps" aria-label="Steps" tabindex="0" data-current=${current}>
      ${[...games].map(
        ([game, steps]) => html`
          <h2>Game ${game}</h2>
          <ol>
            ${steps.map(({ step, at }) => this.#row(log, step, at, at === current, choose))}
          </ol>
        `,
      )}
    </section>`;
  }

  #row(log: MatchLog, step: Step, at: number, isCurrent: boolean, choose: (at: number) => void): TemplateResult {
    return html`<li>
      <button aria-current=${isCurrent ? "step" : nothing} @click=${() => choose(at)}>
        <span class="number">${at}</span>
        <span class="side-name">${sideOf(log, step)}</span>
        <span class="what">${what(step)}</span>
        ${step.spent === undefined ? nothing : html`<span class="spent">${spentText(step.spent)}</span>`}
      </button>
      ${step.end === undefined ? nothing : html`<p class="end"><bdi>${step.end}</bdi></p>`}
    </li>`;
  }

  /** Scrolls to the step that is shown, if it or the height of the list is another one than before. */
  drawn(root: HTMLElement): void {
    const list = root.querySelector<HTMLElement>(".steps");
    const current = Number(list?.dataset["current"] ?? -1);
    if (list !== null && (current !== this.#shown || list.clientHeight !== this.#height)) {
      [this.#shown, this.#height] = [current, list.clientHeight];
      const row = list.querySelector<HTMLElement>("[aria-current]");
      if (row !== null) {
        list.scrollTop = row.offsetTop - list.clientHeight / 2;
      }
    }
  }
}
