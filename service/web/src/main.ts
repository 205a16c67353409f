// The frame of the page, and which page an address leads to.
import { html, nothing, render, type TemplateResult } from "lit-html";

import { MatchPage } from "./match_page.js";
import { MatchesPage, PLAYER_ID } from "./matches_page.js";
import { drawWith, trouble, update, type Page } from "./page.js";
import { PlayPage } from "./play_page.js";
import { PlayerPage } from "./player_page.js";

/** A match's id. */
const MATCH_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An address that leads nowhere. */
class LostPage implements Page {
  readonly title = "Nothing here";
  readonly #sentence: string;

  constructor(sentence: string) {
    this.#sentence = sentence;
  }

  view(): TemplateResult {
    return html`<h1>${this.title}</h1>
      ${trouble(this.#sentence, html`<a href="#/matches">All matches</a>.`)}`;
  }

  close(): void {}
}

let page: (Page & { drawn?(root: HTMLElement): void }) | undefined;
let path = "";

function address(): { parts: string[]; query: URLSearchParams } {
  const [way = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { parts: way.split("/").filter((part) => part !== ""), query: new URLSearchParams(query) };
}

function pageAt(parts: readonly string[], query: URLSearchParams): Page {
  const [kind = "matches", id = "", step] = parts;
  switch (kind) {
    case "matches":
      return new MatchesPage(query);
    case "match":
      return MATCH_ID.test(id) ? new MatchPage(id, step) : new LostPage("This is not the id of a match.");
    case "player":
      return PLAYER_ID.test(id) ? new PlayerPage(id) : new LostPage("This is not the id of a player.");
    case "play":
      return new PlayPage(query);
    default:
      return new LostPage("The link leads to no page of this service.");
  }
}

/** Goes to the page that the address names; one that stays as it is only follows. */
function go(isNew: boolean): void {
  const { parts, query } = address();
  if (!isNew && page?.follow?.(parts, query)) {
    return;
  }
  const isFirst = page === undefined;
  page?.close();
  page = pageAt(parts, query);
  path = parts[0] ?? "matches";
  update();
  if (!isFirst) {
    // Who does not see the page hears that it is another.
    requestAnimationFrame(() => document.querySelector<HTMLElement>("main")?.focus());
    scrollTo(0, 0);
  }
}

function draw(): void {
  if (page === undefined) {
    return;
  }
  const link = (to: string, title: string) =>
    html`<a href="#/${to}" aria-current=${path === to ? "page" : nothing}>${title}</a>`;
  render(
    html`
      <a class="skip" href="#main" @click=${skip}>To the content</a>
      <header>
        <a class="brand" href="#/matches"><img src="/icon.svg" alt="" width="24" height="24" /> Dragontooth</a>
        <nav aria-label="Pages">${link("matches", "Matches")} ${link("play", "Play")}</nav>
      </header>
      <main id="main" tabindex="-1">${page.view()}</main>
    `,
    document.body,
  );
  document.title = `${page.title} · Dragontooth`;
  page.drawn?.(document.body);
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("main")?.focus();
}

function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  const isTaken = target.closest("input, select, textarea, summary, .choices") !== null || (event.key === " " && target.closest("button, a") !== null);
  if (!isTaken && !event.altKey && !event.ctrlKey && !event.metaKey) {
    page?.key?.(event);
  }
}

document.querySelector("noscript")?.remove();
drawWith(draw);
addEventListener("hashchange", () => go(false));
addEventListener("token", () => go(true));
addEventListener("keydown", onKey);
addEventListener("resize", update);
go(true);
