// What all pages have in common.
import { html, nothing, render, type TemplateResult } from "lit-html";

/** A page of this site. */
export interface Page {
  /** The title of the document. */
  readonly title: string;
  view(): TemplateResult;
  /** Handles a key that nothing else has taken. */
  key?(event: KeyboardEvent): void;
  /** Takes a change of the address within the page; returns false if another page is needed. */
  follow?(parts: readonly string[], query: URLSearchParams): boolean;
  close(): void;
}

let isDue = false;
let redraw: () => void = () => undefined;

/** Sets how the page is drawn. */
export function drawWith(draw: () => void): void {
  redraw = draw;
}

/** Draws the page again before the browser paints next. */
export function update(): void {
  if (!isDue) {
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      redraw();
    });
  }
}

/** Draws the page at once, where what is typed next has to meet what has changed. */
export function drawNow(): void {
  redraw();
}

/** A sentence about something that went wrong, with a way on. */
export function trouble(sentence: string, way?: TemplateResult): TemplateResult {
  return html`<p class="trouble" role="alert">${sentence} ${way ?? nothing}</p>`;
}

/** The way to a token. */
export const toToken = html`<a href="#/play">Enter a token</a>.`;

/** Draws into an element of its own. */
export function drawInto(element: HTMLElement, view: TemplateResult): void {
  render(view, element);
}
