// What can be done with a match: taking it along, and checking it.
import { toJsonString } from "@bufbuild/protobuf";
import { html, nothing, type TemplateResult } from "lit-html";

import { LONG_PATIENCE_MS, matches, sentence } from "./api.js";
import type { Game } from "./gen/dragontooth/v1/game_service_pb.js";
import { ExportMatchResponseSchema } from "./gen/dragontooth/v1/match_service_pb.js";
import type { MatchLog } from "./match_log.js";
import { trouble } from "./page.js";
import { verify, type Finding, type NotedHead } from "./verify.js";

/** The most hashes that are noted while a match is watched. */
const MOST_NOTED = 100;

/** The downloads and the check of a match. */
export class MatchTools {
  readonly #id: string;
  readonly #changed: () => void;
  readonly #noted: NotedHead[] = [];
  #games: readonly Game[] = [];
  #findings: readonly Finding[] | undefined;
  #isBusy = false;
  #problem = "";

  constructor(id: string, changed: () => void) {
    this.#id = id;
    this.#changed = changed;
  }

  get hasGames(): boolean {
    return this.#games.length > 0;
  }

  know(games: readonly Game[]): void {
    this.#games = games;
    this.#changed();
  }

  /** Notes the hash of an event, to hold the chain against it later. */
  note(head: NotedHead): void {
    if (this.#noted.length < MOST_NOTED && !this.#noted.some(({ sequence }) => sequence === head.sequence)) {
      this.#noted.push(head);
    }
  }

  view(log: MatchLog): TemplateResult {
    const formats = this.#games.find((game) => game.name === log.match?.game)?.formats ?? [];
    return html`<section class="tools" aria-label="Record">
      <h2>Record</h2>
      <div class="choices">
        ${["text", ...formats, "json"].map(
          (format) => html`<button ?disabled=${this.#isBusy} @click=${() => void this.#do(() => this.#download(format))}>Download ${format}</button>`,
        )}
        <button class="action" ?disabled=${this.#isBusy} @click=${() => void this.#do(() => this.#verify(log))}>Verify</button>
      </div>
      ${this.#problem === "" ? nothing : trouble(this.#problem)}
      ${this.#findings === undefined
        ? nothing
        : html`<ul class="findings" aria-live="polite">
            ${this.#findings.map(
              ({ holds, text }) =>
                html`<li class=${holds === undefined ? "open" : holds ? "holds" : "broken"}>
                  <span class="hidden">${holds === undefined ? "Not checked:" : holds ? "Holds:" : "Does not hold:"}</span> ${text}
                </li>`,
            )}
          </ul>`}
    </section>`;
  }

  async #do(task: () => Promise<void>): Promise<void> {
    this.#isBusy = true;
    this.#problem = "";
    this.#changed();
    try {
      await task();
    } catch (error) {
      this.#problem = sentence(error);
    } finally {
      this.#isBusy = false;
      this.#changed();
    }
  }

  async #verify(log: MatchLog): Promise<void> {
    this.#findings = undefined;
    this.#findings = await verify(log, this.#noted);
  }

  async #download(format: string): Promise<void> {
    const request = { matchId: this.#id, format: format === "json" ? "" : format };
    const answer = await matches.exportMatch(request, { timeoutMs: LONG_PATIENCE_MS });
    const text = format === "json" ? toJsonString(ExportMatchResponseSchema, answer, { prettySpaces: 2 }) : answer.text;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    link.download = `${this.#id}.${format === "text" ? "txt" : format}`;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
