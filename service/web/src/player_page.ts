// A player: its matches, and its score against each opponent.
import { html, nothing, type TemplateResult } from "lit-html";

import { matches, needsToken, players, sentence } from "./api.js";
import { counted } from "./format.js";
import { MatchState, Termination, type Match } from "./gen/dragontooth/v1/match_pb.js";
import { row } from "./matches_page.js";
import { toToken, trouble, update, type Page } from "./page.js";

/** A way on. */
const allMatches = html`<a href="#/matches">All matches</a>.`;

/** The number of newest matches from which the scores are counted. */
const COUNTED = 5000;

/** The most matches that the service sends at once. */
const PAGE_SIZE = 500;

/** The number of matches in the list. */
const SHOWN = 50;

interface Score {
  readonly id: string;
  name: string;
  won: number;
  drawn: number;
  lost: number;
}

/** The page of a player. */
export class PlayerPage implements Page {
  readonly #id: string;
  #name = "";
  #isVerified = false;
  #matches: Match[] = [];
  #state: "loading" | "part" | "all" = "loading";
  #problem: unknown;
  #isClosed = false;

  constructor(id: string) {
    this.#id = id;
    void this.#load();
  }

  get title(): string {
    return this.#name === "" ? "Player" : this.#name;
  }

  follow(parts: readonly string[]): boolean {
    return parts[0] === "player" && parts[1] === this.#id;
  }

  close(): void {
    this.#isClosed = true;
  }

  async #load(): Promise<void> {
    try {
      let pageToken = "";
      do {
        const page = await matches.listMatches({ playerId: this.#id, pageSize: PAGE_SIZE, pageToken });
        this.#matches.push(...page.matches);
        pageToken = page.nextPageToken;
        this.#findName(page.matches);
        update();
      } while (pageToken !== "" && this.#matches.length < COUNTED && !this.#isClosed);
      this.#state = pageToken === "" ? "all" : "part";
    } catch (error) {
      this.#problem = error;
    }
    // Only players with an issued token have a name of their own.
    await players.getPlayer({ playerId: this.#id }).then(
      ({ name }) => {
        this.#name = name || this.#name;
        this.#isVerified = name !== "";
      },
      () => undefined,
    );
    update();
  }

  #findName(page: readonly Match[]): void {
    const seats = page.flatMap((match) => match.seats).filter((seat) => seat.playerId === this.#id);
    this.#name ||= seats.find((seat) => seat.name !== "")?.name ?? "";
  }

  #scores(): Score[] {
    const scores = new Map<string, Score>();
    for (const match of this.#matches) {
      const own = match.seats.find((seat) => seat.playerId === this.#id);
      const other = match.seats.find((seat) => seat.playerId !== this.#id && seat.playerId !== "");
      const isDecided = match.gameNumber !== 0 && match.outcome?.termination !== Termination.ABORTED;
      if (match.outcome === undefined || own === undefined || other === undefined || !isDecided) {
        continue;
      }
      const score = scores.get(other.playerId) ?? { id: other.playerId, name: other.name, won: 0, drawn: 0, lost: 0 };
      scores.set(other.playerId, score);
      const { winner } = match.outcome;
      score[winner === own.seat ? "won" : winner === other.seat ? "lost" : "drawn"] += 1;
    }
    const played = ({ won, drawn, lost }: Score) => won + drawn + lost;
    return [...scores.values()].sort((one, other) => played(other) - played(one));
  }

  view(): TemplateResult {
    const live = this.#matches.filter((match) => match.state === MatchState.ACTIVE).length;
    const scores = this.#scores();
    return html`
      <h1><bdi>${this.#name === "" ? "A player without a name" : this.#name}</bdi></h1>
      <p class="quiet">
        ${this.#isVerified ? "The service vouches for this name." : "The player has given this name itself."} Id <code>${this.#id}</code>
      </p>
      <p><a class="button" href="#/play?opponent=${this.#id}">Play a match</a></p>
      ${this.#problem === undefined ? nothing : trouble(sentence(this.#problem), needsToken(this.#problem) ? toToken : allMatches)}
      ${scores.length === 0
        ? nothing
        : html`<h2>Against</h2>
            <div class="scroll" tabindex="0" role="region" aria-label="Score against each opponent">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Opponent</th>
                    <th scope="col">Won</th>
                    <th scope="col">Drawn</th>
                    <th scope="col">Lost</th>
                    <th scope="col">Score</th>
                  </tr>
                </thead>
                <tbody>
                  ${scores.map(
                    ({ id, name, won, drawn, lost }) =>
                      html`<tr>
                        <th scope="row"><a href="#/player/${id}"><bdi>${name === "" ? id.slice(0, 8) : name}</bdi></a></th>
                        <td>${won}</td>
                        <td>${drawn}</td>
                        <td>${lost}</td>
                        <td>${Math.round(((won + drawn / 2) / (won + drawn + lost)) * 100)} %</td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`}
      <h2>Matches</h2>
      <p class="quiet">
        ${this.#state === "loading" && this.#problem === undefined
          ? "Loading…"
          : `${counted(this.#matches.length, this.#state === "part" ? "newest match" : "match")}, ${live} being played.`}
        ${this.#matches.length > SHOWN ? html`<a href="#/matches?state=ended&q=${this.#id}">Those that have ended</a>` : nothing}
      </p>
      <ul class="rows">
        ${this.#matches.slice(0, SHOWN).map((match) => row(match))}
      </ul>
    `;
  }
}
