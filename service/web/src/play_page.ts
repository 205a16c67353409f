// Starting a match: a token, and what to play against whom.
import { Code, ConnectError } from "@connectrpc/connect";
import { html, nothing, type TemplateResult } from "lit-html";

import { catalogueOfGames, isTemporary, matches, needsToken, players, requestId, sentence, whoAmI } from "./api.js";
import { nameOf } from "./format.js";
import type { Game } from "./gen/dragontooth/v1/game_service_pb.js";
import { Seat, Visibility } from "./gen/dragontooth/v1/match_pb.js";
import type { WhoAmIResponse } from "./gen/dragontooth/v1/player_service_pb.js";
import { PLAYER_ID } from "./matches_page.js";
import { drawNow, trouble, update, type Page } from "./page.js";
import { newShare } from "./seats.js";
import { keepPlayerName, newToken, playerName, token, useToken } from "./session.js";

/** The number of newest matches whose players are offered as opponents. */
const OPPONENTS_OF = 200;

/** What the service takes for a token; browsers cannot even send some of the rest. */
const TOKEN = /^[!-~]{16,256}$/;

/** The time controls that are offered, in seconds. */
const CLOCKS = [
  { name: "no clock", base: 0, increment: 0 },
  { name: "1 min + 1 s", base: 60, increment: 1 },
  { name: "5 min + 3 s", base: 300, increment: 3 },
  { name: "15 min + 10 s", base: 900, increment: 10 },
  { name: "1 hour + 30 s", base: 3600, increment: 30 },
] as const;

/** The page on which matches are started. */
export class PlayPage implements Page {
  readonly title = "Play";
  #me: WhoAmIResponse | undefined;
  /** True if players choose their own tokens here. */
  #isOpen: boolean | undefined;
  #games: readonly Game[] = [];
  #game = "kamisado";
  #variant = "";
  #opponents = new Map<string, string>();
  readonly #opponent: string;
  #problem = "";
  #isBusy = false;
  /** A form that was sent and of which nobody knows what became. */
  #sent: { readonly form: string; readonly createId: string; readonly joinId: string; readonly seed: string } | undefined;

  constructor(query: URLSearchParams) {
    this.#opponent = opponentIn(query);
    void this.#load();
  }

  follow(parts: readonly string[], query: URLSearchParams): boolean {
    return parts[0] === "play" && opponentIn(query) === this.#opponent;
  }

  close(): void {}

  async #load(): Promise<void> {
    try {
      this.#games = await catalogueOfGames();
      this.#game = this.#games.find((game) => game.name === this.#game)?.name ?? this.#games[0]?.name ?? "";
      this.#me = await whoAmI(true);
      this.#isOpen ??= this.#me === undefined ? await takesOwnTokens() : this.#me.tokenId === "";
    } catch (error) {
      this.#problem = sentence(error);
      if (needsToken(error) && token() !== undefined) {
        // It has ended, or never was one: the page asks for another.
        useToken(undefined);
        this.#isOpen = await takesOwnTokens().catch(() => undefined);
      }
    }
    update();
    await this.#findOpponents();
  }

  async #findOpponents(): Promise<void> {
    try {
      const { matches: newest } = await matches.listMatches({ pageSize: OPPONENTS_OF });
      for (const seat of newest.flatMap((match) => match.seats)) {
        if (seat.playerId !== "" && seat.playerId !== this.#me?.playerId && !this.#opponents.has(seat.playerId)) {
          this.#opponents.set(seat.playerId, nameOf(seat));
        }
      }
      update();
    } catch {
      // An id can be entered all the same.
    }
  }

  view(): TemplateResult {
    const again = html`<button @click=${() => this.#tryAgain()}>Try again</button> ${token() === undefined ? nothing : this.#forget()}`;
    const isLost = this.#me === undefined && this.#isOpen === undefined;
    return html`
      <h1>Play</h1>
      ${this.#problem === "" ? nothing : trouble(this.#problem, isLost ? again : undefined)}
      ${isLost && this.#problem !== "" ? nothing : this.#identity()} ${this.#me === undefined ? nothing : this.#newMatch()}
    `;
  }

  #identity(): TemplateResult | typeof nothing {
    if (this.#me !== undefined) {
      const { name, playerId } = this.#me;
      return html`<p>
        You are <a href="#/player/${playerId}"><bdi>${name || playerName() || "a player without a name"}</bdi></a>, id <code>${playerId}</code>.
        ${this.#forget()}
      </p>`;
    }
    if (this.#isOpen === undefined) {
      return html`<p class="quiet">Loading…</p>`;
    }
    if (this.#isOpen) {
      return html`<form class="form" @submit=${(event: SubmitEvent) => this.#begin(event)}>
          <p>Anyone may play here. The page makes you a token, which this tab keeps until it is closed.</p>
          <label>Your name <input name="name" maxlength="64" autocomplete="nickname" .value=${playerName()} /></label>
          <button class="action">Begin</button>
        </form>
        <details>
          <summary>I have a token</summary>
          ${this.#tokenForm()}
        </details>`;
    }
    return html`<p>On this service only those play to whom its operator has given a token.</p>
      ${this.#tokenForm()}`;
  }

  #forget(): TemplateResult {
    return html`<button @click=${() => this.#use(undefined)}>Forget the token</button>`;
  }

  #tokenForm(): TemplateResult {
    return html`<form class="form" @submit=${(event: SubmitEvent) => this.#enter(event)}>
      <label>Token <input name="token" type="password" required minlength="16" maxlength="256" autocomplete="off" /></label>
      <button class="action">Use it</button>
      <p class="quiet">This tab keeps it until it is closed, and sends it to this service alone.</p>
    </form>`;
  }

  #newMatch(): TemplateResult {
    const game = this.#games.find((each) => each.name === this.#game);
    const variant = game?.variants.find((each) => each.name === this.#variant) ?? game?.variants[0];
    const targets = variant?.targets ?? [];
    return html`<form class="form" @submit=${(event: SubmitEvent) => void this.#create(event)}>
      <h2>A new match</h2>
      <label
        >Game
        <select name="game" @change=${(event: Event) => this.#choose(event, "game")}>
          ${this.#games.map((each) => html`<option value=${each.name} .selected=${each.name === game?.name}>${each.title}</option>`)}
        </select></label
      >
      <label
        >Variant
        <select name="variant" aria-describedby="variant-about" @change=${(event: Event) => this.#choose(event, "variant")}>
          ${game?.variants.map((each) => html`<option value=${each.name} .selected=${each.name === variant?.name}>${each.name}</option>`)}
        </select></label
      >
      <p class="quiet" id="variant-about">${variant?.summary}</p>
      <label
        >Points to win
        <input name="target" type="number" required min="1" max=${(variant?.targetMax ?? 0) || (targets.at(-1) ?? 1)} list="targets" .value=${String(targets[0] ?? 1)} />
        <datalist id="targets">${targets.map((target) => html`<option value=${target}></option>`)}</datalist></label
      >
      <p class="quiet">${targets.length > 1 ? `Usual: ${targets.join(", ")}.` : nothing}</p>
      <label
        >Clock
        <select name="clock">
          ${CLOCKS.map(({ name }, at) => html`<option value=${at}>${name}</option>`)}
        </select></label
      >
      <label
        >Your seat
        <select name="seat">
          <option value="1">first</option>
          <option value="2">second</option>
        </select></label
      >
      <label
        >Opponent
        <input name="opponent" list="opponents" maxlength="64" placeholder="anyone with the link" .value=${this.#opponent} autocomplete="off" />
        <datalist id="opponents">
          ${[...this.#opponents].map(([id, name]) => html`<option value=${id}>${name}</option>`)}
        </datalist></label
      >
      <p class="quiet">The id of a player, such as a bot that is connected: it is invited at once. Without one you get a link to share.</p>
      ${
        // An issued token has a name of its own.
        this.#me?.tokenId === ""
          ? html`<label>Your name <input name="name" maxlength="64" autocomplete="nickname" .value=${playerName()} /></label>`
          : nothing
      }
      <label>Title <input name="title" maxlength="100" autocomplete="off" /></label>
      <label class="check"><input type="checkbox" name="private" /> Only the players may see it</label>
      <button class="action" ?disabled=${this.#isBusy}>Create and take my seat</button>
    </form>`;
  }

  #choose(event: Event, what: "game" | "variant"): void {
    const { value } = event.target as HTMLSelectElement;
    if (what === "game") {
      this.#game = value;
      this.#variant = "";
    } else {
      this.#variant = value;
    }
    // A form that is sent before the next frame would ask for a variant of the game before.
    drawNow();
  }

  #begin(event: SubmitEvent): void {
    event.preventDefault();
    keepPlayerName(String(new FormData(event.target as HTMLFormElement).get("name") ?? "").trim());
    this.#use(newToken());
  }

  #enter(event: SubmitEvent): void {
    event.preventDefault();
    const own = String(new FormData(event.target as HTMLFormElement).get("token") ?? "").trim();
    if (TOKEN.test(own)) {
      this.#use(own);
    } else {
      this.#problem = "A token is 16 to 256 visible ASCII characters. A hidden one may have been copied with it.";
      update();
    }
  }

  #use(own: string | undefined): void {
    useToken(own);
    this.#me = undefined;
    this.#isOpen = undefined;
    this.#problem = "";
    void this.#load();
  }

  #tryAgain(): void {
    this.#problem = "";
    void this.#load();
    update();
  }

  async #create(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    const opponent = text("opponent").toLowerCase();
    if (opponent !== "" && !PLAYER_ID.test(opponent)) {
      this.#problem = "The opponent is a player's id: 32 digits from 0 to 9 and a to f, as dragontooth-bot whoami prints it.";
      update();
      return;
    }
    const own = text("seat") === "2" ? Seat.SECOND : Seat.FIRST;
    const other = own === Seat.FIRST ? Seat.SECOND : Seat.FIRST;
    const clock = CLOCKS[Number(text("clock"))] ?? CLOCKS[0];
    const written = JSON.stringify([...form]);
    // The same again if it is not known what became of the first attempt.
    const sent = this.#sent?.form === written ? this.#sent : { form: written, createId: requestId(), joinId: requestId(), seed: newShare() };
    this.#sent = sent;
    this.#isBusy = true;
    this.#problem = "";
    update();
    try {
      const { match } = await matches.createMatch({
        game: text("game"),
        variant: text("variant"),
        target: Number(text("target")),
        title: text("title"),
        visibility: form.get("private") === null ? Visibility.PUBLIC : Visibility.PRIVATE,
        reservations: [
          { seat: own, playerId: this.#me?.playerId ?? "" },
          ...(opponent === "" ? [] : [{ seat: other, playerId: opponent }]),
        ],
        ...(clock.base === 0
          ? {}
          : {
              timeControl: {
                kind: {
                  case: "fischer" as const,
                  value: { base: { seconds: BigInt(clock.base) }, increment: { seconds: BigInt(clock.increment) } },
                },
              },
            }),
        requestId: sent.createId,
      });
      const matchId = match?.id ?? "";
      await this.#join({ matchId, seat: own, name: text("name"), seed: sent.seed, requestId: sent.joinId });
      location.hash = `/match/${matchId}`;
    } catch (error) {
      this.#problem = sentence(error);
      if (!isTemporary(error)) {
        this.#sent = undefined;
      }
    } finally {
      this.#isBusy = false;
      update();
    }
  }

  /** Takes the seat of a match that has just been created; calls it off if that is refused, since nobody would come. */
  async #join(request: { matchId: string; seat: Seat; name: string; seed: string; requestId: string }): Promise<void> {
    try {
      await matches.joinMatch(request);
      keepPlayerName(request.name);
    } catch (error) {
      if (!isTemporary(error)) {
        await matches.abortMatch({ matchId: request.matchId, requestId: requestId() }).catch(() => undefined);
      }
      throw error;
    }
  }
}

/** The opponent that an address names; empty if it names none. */
function opponentIn(query: URLSearchParams): string {
  const opponent = query.get("opponent") ?? "";
  return PLAYER_ID.test(opponent) ? opponent : "";
}

/** Asks the service whether a token that nobody has issued makes a player. */
async function takesOwnTokens(): Promise<boolean> {
  try {
    await players.whoAmI({}, { headers: { authorization: `Bearer ${newToken()}` } });
    return true;
  } catch (error) {
    if (ConnectError.from(error).code === Code.Unauthenticated) {
      return false;
    }
    throw error;
  }
}
