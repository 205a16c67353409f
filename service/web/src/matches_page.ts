// The matches of the service: those that are played now move, the others are a list.
import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { repeat } from "lit-html/directives/repeat.js";

import { catalogueOfGames, isTemporary, matches, needsToken, sentence } from "./api.js";
import { boardAddress } from "./board.js";
import { dateText, nameOf, outcomeText, playerLink, timeControlsText } from "./format.js";
import { MatchState, type Match } from "./gen/dragontooth/v1/match_pb.js";
import type { Game } from "./gen/dragontooth/v1/game_service_pb.js";
import { watchList } from "./list_watch.js";
import { toToken, trouble, update, type Page } from "./page.js";
import { withStream } from "./streams.js";

/** The least time between two looks at the list while the page is visible. */
const LOOK_MS = 2000;

/** The number of matches on a page without a search. The first one grows to twice as many. */
const SHOWN = 24;

/** The number of newest matches among which a search looks. */
const SEARCHED = 1000;

/** The most matches that the service sends at once. */
const PAGE_SIZE = 500;

/** The most matches of a search that are shown. */
const MOST_SHOWN = 200;

const STATES = [
  ["live", "Live", MatchState.ACTIVE],
  ["open", "Open", MatchState.OPEN],
  ["ended", "Ended", MatchState.ENDED],
] as const;

/** A player's id. */
export const PLAYER_ID = /^[0-9a-f]{32}$/;

/** The page of all matches. */
export class MatchesPage implements Page {
  readonly title = "Matches";
  #query: URLSearchParams;
  #found: readonly Match[] | undefined;
  #hasMore = false;
  #problem: unknown;
  #games: readonly Game[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Ends the look at the list that is under way. */
  #end = new AbortController();
  /** The tokens of the pages before this one, the first of which has none. */
  #pages: string[] = [""];
  #next = "";

  constructor(query: URLSearchParams) {
    this.#query = query;
    catalogueOfGames().then(
      (games) => {
        this.#games = games;
        update();
      },
      () => undefined,
    );
    document.addEventListener("visibilitychange", this.#seen);
    void this.#look();
  }

  follow(parts: readonly string[], query: URLSearchParams): boolean {
    if (parts.length > 1 || (parts[0] ?? "matches") !== "matches") {
      return false;
    }
    if (query.toString() !== this.#query.toString()) {
      this.#query = query;
      this.#begin();
    } else {
      // It may have been another for a moment, which a field still shows.
      update();
    }
    return true;
  }

  /** Looks at the first page. */
  #begin(): void {
    this.#found = undefined;
    this.#pages = [""];
    void this.#look();
  }

  close(): void {
    this.#end.abort();
    clearTimeout(this.#timer);
    document.removeEventListener("visibilitychange", this.#seen);
  }

  readonly #seen = () => {
    if (document.visibilityState === "visible") {
      void this.#look();
    } else {
      // Other tabs have a use for the stream.
      this.#end.abort();
    }
  };

  get #state(): (typeof STATES)[number] {
    return STATES.find(([name]) => name === this.#query.get("state")) ?? STATES[0];
  }

  get #search(): string {
    return this.#query.get("q")?.trim() ?? "";
  }

  /** Looks at the list, and again after a while; a newer look ends an older one. */
  async #look(): Promise<void> {
    this.#end.abort();
    this.#end = new AbortController();
    const { signal } = this.#end;
    const begun = Date.now();
    clearTimeout(this.#timer);
    try {
      const isWatched = this.#pages.length === 1 && !this.#isText && (await withStream(() => this.#watch(signal)));
      if (!isWatched) {
        await this.#list(signal);
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#problem = error;
      }
    }
    update();
    // A text is searched for once.
    const isOver = this.#problem === undefined ? this.#isText : !isTemporary(this.#problem);
    if (!signal.aborted && document.visibilityState === "visible" && !isOver) {
      this.#timer = setTimeout(() => void this.#look(), Math.max(0, begun + LOOK_MS - Date.now()));
    }
  }

  /** True if a text is searched for, which the service does not do. */
  get #isText(): boolean {
    return this.#search !== "" && !PLAYER_ID.test(this.#search);
  }

  get #filter(): { state: MatchState; game: string; playerId: string } {
    return { state: this.#state[2], game: this.#query.get("game") ?? "", playerId: this.#isText ? "" : this.#search };
  }

  /** Watches the first page, until it is too long or too short. */
  async #watch(signal: AbortSignal): Promise<void> {
    const request = { filter: this.#filter, pageSize: SHOWN, moves: this.#state[0] === "live" };
    await watchList(request, signal, ({ found, next }) => {
      this.#show(signal, found, next);
      return found.length <= 2 * SHOWN && (found.length >= SHOWN || next === "");
    });
  }

  #show(signal: AbortSignal, found: readonly Match[], next: string, hasMore = next !== ""): void {
    if (!signal.aborted) {
      this.#found = found;
      this.#next = next;
      this.#hasMore = hasMore;
      this.#problem = undefined;
      update();
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const filter = this.#filter;
    if (!this.#isText) {
      const page = await matches.listMatches({ ...filter, pageSize: SHOWN, pageToken: this.#pages.at(-1) ?? "" });
      this.#show(signal, page.matches, page.nextPageToken);
      return;
    }
    const all: Match[] = [];
    let pageToken = "";
    do {
      const page = await matches.listMatches({ ...filter, pageSize: PAGE_SIZE, pageToken });
      all.push(...page.matches);
      pageToken = page.nextPageToken;
    } while (pageToken !== "" && all.length < SEARCHED);
    const search = this.#search.toLowerCase();
    this.#show(signal, all.filter((match) => contains(match, search)), "", pageToken !== "");
  }

  view(): TemplateResult {
    const [state, label] = this.#state;
    return html`
      <h1>Matches</h1>
      <div class="filters">
        <nav class="tabs" aria-label="State">
          ${STATES.map(
            ([name, title]) =>
              html`<a href=${this.#link({ state: name })} aria-current=${name === state ? "page" : nothing}>${title}</a>`,
          )}
        </nav>
        <form role="search" @submit=${(event: SubmitEvent) => this.#submit(event)}>
          <label
            >Game
            <select name="game" @change=${(event: Event) => this.#go({ game: (event.target as HTMLSelectElement).value })}>
              <option value="" .selected=${live(!this.#query.get("game"))}>all games</option>
              ${this.#games.map(
                (game) =>
                  html`<option value=${game.name} .selected=${live(game.name === this.#query.get("game"))}>${game.title}</option>`,
              )}
            </select></label
          >
          <label
            >Player or title
            <input type="search" name="q" maxlength="200" autocomplete="off" .value=${this.#search} /></label
          >
          <button>Search</button>
        </form>
      </div>
      ${this.#problem === undefined
        ? nothing
        : trouble(sentence(this.#problem), this.#wayOn(this.#problem))}
      ${this.#listView(state, label)}
    `;
  }

  #wayOn(problem: unknown): TemplateResult {
    return needsToken(problem) ? toToken : isTemporary(problem) ? html`Trying again.` : html`<a href="#/matches">All matches</a>.`;
  }

  #listView(state: string, label: string): TemplateResult | typeof nothing {
    const found = this.#found;
    if (found === undefined) {
      return this.#problem === undefined ? html`<p class="quiet">Loading…</p>` : nothing;
    }
    const shown = found.slice(0, MOST_SHOWN);
    return html`
      ${found.length === 0
        ? html`<p class="quiet">
            No ${label.toLowerCase()} matches${this.#search === "" ? "" : ` for “${this.#search}”`}.
            ${state === "live" ? html`<a href="#/play">Play one</a>, or see those that have <a href=${this.#link({ state: "ended" })}>ended</a>.` : nothing}
          </p>`
        : nothing}
      <ul class=${state === "live" ? "cards" : "rows"}>
        ${repeat(
          shown,
          (match) => match.id,
          (match) => (state === "live" ? card(match) : row(match)),
        )}
      </ul>
      ${found.length > shown.length ? html`<p class="quiet">The first ${shown.length} of ${found.length}.</p>` : nothing}
      ${this.#search !== "" && this.#hasMore && this.#next === ""
        ? html`<p class="quiet">The search looked at the newest ${SEARCHED} matches.</p>`
        : nothing}
      ${this.#pages.length > 1 || this.#next !== ""
        ? html`<p class="pager">
            <button ?disabled=${this.#pages.length === 1} @click=${() => this.#turn(-1)}>Newer</button>
            <button ?disabled=${this.#next === ""} @click=${() => this.#turn(1)}>Older</button>
          </p>`
        : nothing}
    `;
  }

  #turn(by: 1 | -1): void {
    // A second press may come before the page that was asked for.
    if (by === 1 ? this.#pages.at(-1) === this.#next : this.#pages.length === 1) {
      return;
    }
    if (by === 1) {
      this.#pages = [...this.#pages, this.#next];
    } else {
      // The page that is left follows the one before it.
      this.#next = this.#pages.at(-1) ?? "";
      this.#pages = this.#pages.slice(0, -1);
    }
    void this.#look();
  }

  #changed(changes: Record<string, string>): URLSearchParams {
    const query = new URLSearchParams(this.#query);
    for (const [name, value] of Object.entries(changes)) {
      value === "" ? query.delete(name) : query.set(name, value);
    }
    return query;
  }

  #link(changes: Record<string, string>): string {
    return `#/matches?${this.#changed(changes)}`;
  }

  #go(changes: Record<string, string>): void {
    if (this.#changed(changes).toString() === this.#query.toString()) {
      // The address stays, so nothing else would tell of it.
      this.#begin();
    } else {
      location.hash = this.#link(changes).slice(1);
    }
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    this.#go({ q: String(form.get("q") ?? ""), game: String(form.get("game") ?? "") });
  }
}

function contains(match: Match, text: string): boolean {
  const texts = [match.title, match.id, ...match.seats.flatMap((seat) => [seat.name, seat.playerId])];
  return texts.some((each) => each.toLowerCase().includes(text));
}

function score(match: Match): string {
  return `${match.score?.first ?? 0}–${match.score?.second ?? 0}`;
}

/** A match that is played now, with its board. */
function card(match: Match): TemplateResult {
  const [first, second] = match.seats;
  return html`<li>
    <a class="card" href="#/match/${match.id}">
      <img src=${boardAddress(match.game, match.position)} alt="" width="200" height="200" />
      <span class="names">
        <bdi>${nameOf(first)}</bdi> <span class="score">${score(match)}</span> <bdi>${nameOf(second)}</bdi>
      </span>
      <span class="quiet">${match.game}, game ${match.gameNumber} to ${match.target}</span>
      ${match.title === "" ? nothing : html`<span class="quiet"><bdi>${match.title}</bdi></span>`}
    </a>
  </li>`;
}

/** A match in a list. */
export function row(match: Match): TemplateResult {
  const [first, second] = match.seats;
  const title = match.title === "" ? match.game : match.title;
  return html`<li class="row">
    <a href="#/match/${match.id}"><bdi>${title}</bdi></a>
    <span>${playerLink(first)} <span class="score">${score(match)}</span> ${playerLink(second)}</span>
    <span class="quiet"
      >${match.game} to ${match.target}, ${timeControlsText(match)}${match.outcome === undefined
        ? match.state === MatchState.OPEN
          ? " · waiting for players"
          : " · being played"
        : html` · <bdi>${outcomeText(match, match.outcome)}</bdi>`}</span
    >
    <span class="quiet">${dateText(match.endTime ?? match.createTime)}</span>
  </li>`;
}
