// The free seats of a match, and taking one.
import { html, nothing, type TemplateResult } from "lit-html";

import { isTemporary, matches, needsToken, requestId, sentence } from "./api.js";
import type { SeatInfo } from "./gen/dragontooth/v1/match_pb.js";
import type { MatchLog } from "./match_log.js";
import { trouble, update } from "./page.js";
import { hex, keepPlayerName, newToken, playerName, token, useToken } from "./session.js";

/** A share of the draws of a match, which nobody can guess. */
export function newShare(): string {
  return hex(crypto.getRandomValues(new Uint8Array(32)));
}

/** The seats of an open match. */
export class Seats {
  readonly #id: string;
  #problem = "";
  #isCopied = false;
  /** A request to join of which nobody knows what became. */
  #sent: { readonly name: string; readonly seed: string; readonly requestId: string } | undefined;

  constructor(id: string) {
    this.#id = id;
  }

  view(log: MatchLog, me: string): TemplateResult | typeof nothing {
    const seats = log.match?.seats ?? [];
    const free = seats.filter((seat) => !seat.joined);
    if (free.length === 0 || log.outcome !== undefined) {
      return nothing;
    }
    const isSeated = seats.some((seat) => seat.joined && seat.playerId === me && me !== "");
    const isInvited = free.some((seat) => seat.playerId === me && me !== "");
    const canJoin = !isSeated && (isInvited || free.some((seat) => seat.playerId === ""));
    return html`<section class="seats" aria-label="Seats">
      <h2>Waiting for players</h2>
      ${this.#problem === "" ? nothing : trouble(this.#problem)}
      ${canJoin
        ? html`<form @submit=${(event: SubmitEvent) => void this.#join(event, log)}>
            <label>Your name <input name="name" maxlength="64" .value=${playerName()} autocomplete="nickname" /></label>
            <button class="action">Join the match</button>
            ${isInvited ? html`<button type="button" @click=${() => void this.#decline()}>Decline</button>` : nothing}
          </form>`
        : nothing}
      ${free.some((seat: SeatInfo) => seat.playerId === "") ? this.#invitation() : html`<p class="quiet">The seat is reserved; its player has not come yet.</p>`}
      ${isSeated ? html`<p><button class="danger" @click=${() => void this.#callOff()}>Call it off</button></p>` : nothing}
    </section>`;
  }

  #invitation(): TemplateResult {
    const link = `${location.origin}/#/match/${this.#id}`;
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(link);
        this.#isCopied = true;
      } catch {
        this.#problem = "The browser does not copy here; select the link instead.";
      }
      update();
    };
    return html`
      <p>Send this link to your opponent, or watch the seat be taken:</p>
      <p class="link"><code>${link}</code> <button @click=${() => void copy()}>${this.#isCopied ? "Copied" : "Copy"}</button></p>
      <p>A bot takes it with:</p>
      <p class="link"><code>dragontooth-bot play --bot greedy --match ${this.#id}</code></p>
    `;
  }

  async #join(event: SubmitEvent, log: MatchLog): Promise<void> {
    event.preventDefault();
    const name = String(new FormData(event.target as HTMLFormElement).get("name") ?? "").trim();
    keepPlayerName(name);
    if (token() === undefined) {
      useToken(newToken());
    }
    // The same again if it is not known what became of the first attempt.
    this.#sent = this.#sent?.name === name ? this.#sent : { name, seed: newShare(), requestId: requestId() };
    try {
      await matches.joinMatch({ matchId: log.match?.id ?? "", ...this.#sent });
      // Who plays sees more than who watches, so the page begins again.
      dispatchEvent(new Event("token"));
    } catch (error) {
      this.#problem = sentence(error);
      if (!isTemporary(error)) {
        this.#sent = undefined;
      }
      // Another token is kept: the seat may be taken with it.
      if (needsToken(error)) {
        useToken(undefined);
      }
      update();
    }
  }

  async #decline(): Promise<void> {
    await this.#end(matches.declineInvitation({ matchId: this.#id, requestId: requestId() }));
  }

  async #callOff(): Promise<void> {
    await this.#end(matches.abortMatch({ matchId: this.#id, requestId: requestId() }));
  }

  /** Waits for a call that ends the match; an event tells that it has ended. */
  async #end(call: Promise<unknown>): Promise<void> {
    try {
      await call;
    } catch (error) {
      this.#problem = sentence(error);
      update();
    }
  }
}
