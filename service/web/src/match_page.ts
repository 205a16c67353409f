// A match: its board, its clocks, its steps.
import { html, nothing, type TemplateResult } from "lit-html";

import { ActionPanel } from "./action_panel.js";
import { catalogueOfGames, matches, whoAmI } from "./api.js";
import { Board, boardAddress } from "./board.js";
import { Clocks } from "./clocks.js";
import { clockText, counted, milliseconds, outcomeText, playerLink, nameOf, timeControlsText } from "./format.js";
import { areasOf, sideNames, sideOfSeat, type SeatNumber } from "./games.js";
import { MatchState, Visibility, type Match } from "./gen/dragontooth/v1/match_pb.js";
import type { Step } from "./match_log.js";
import { MatchTools } from "./match_tools.js";
import { toToken, trouble, update, type Page } from "./page.js";
import { Seats } from "./seats.js";
import { token } from "./session.js";
import { StepList, stepText } from "./step_list.js";
import { thinkingChart, thoughtsOf } from "./thinking_view.js";
import { Watch, type Connection } from "./watch.js";

/** Steps a second of a replay. */
const SPEEDS = [0.5, 1, 2, 5, 20];

/** Interval at which running clocks are drawn. */
const TICK_MS = 100;

/** Interval at which the page asks who is absent, of which no event tells. */
const LOOK_MS = 5000;

/** Time after the last change of the step until the address names it: browsers refuse some hundred changes in ten or thirty seconds. */
const ADDRESS_MS = 500;

/** The page of a match. */
export class MatchPage implements Page {
  readonly #id: string;
  readonly #watch: Watch;
  readonly #board: Board;
  readonly #clocks = new Clocks();
  /** The faces of the clocks, which run without the rest of the page: with a long list of steps it takes long to draw. */
  readonly #faces = [newFace(), newFace()] as const;
  readonly #list = new StepList();
  readonly #tools: MatchTools;
  readonly #seats: Seats;
  #panel: ActionPanel | undefined;
  /** The match as the service shows it, at some event. */
  #shown: Match | undefined;
  #me = "";
  /** The token with which the match is watched. */
  readonly #token = token();
  /** The step that is shown; undefined shows the last one, and each new one. */
  #at: number | undefined;
  #replay: ReturnType<typeof setInterval> | undefined;
  #address: ReturnType<typeof setTimeout> | undefined;
  #speed = 2;
  #lastConnection = "";
  #isClosed = false;
  readonly #tick: ReturnType<typeof setInterval>;
  readonly #looks: ReturnType<typeof setInterval>;

  constructor(id: string, at: string | undefined) {
    this.#id = id;
    this.#board = new Board(update, (area) => this.#pick(area));
    this.#tools = new MatchTools(id, update);
    this.#seats = new Seats(id);
    this.#at = stepNumber(at);
    this.#watch = new Watch(id, () => this.#changed());
    this.#tick = setInterval(() => {
      const { log } = this.#watch;
      if (log.mover !== undefined && this.#clocks.start(log, log.mover) !== undefined) {
        ([1, 2] as const).forEach((seat) => this.#clock(seat, this.#steps[this.#current]));
      }
    }, TICK_MS);
    this.#looks = setInterval(() => {
      if (this.#watch.connection === "live" && this.#watch.log.match?.disconnectGrace !== undefined) {
        void this.#look();
      }
    }, LOOK_MS);
    this.#ask();
  }

  get title(): string {
    const match = this.#watch.log.match;
    return match === undefined ? "Match" : match.seats.map((seat) => nameOf(seat)).join(" – ");
  }

  follow(parts: readonly string[]): boolean {
    if (parts[0] !== "match" || parts[1] !== this.#id) {
      return false;
    }
    clearTimeout(this.#address);
    this.#at = stepNumber(parts[2]);
    update();
    return true;
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#tick);
    clearInterval(this.#looks);
    clearInterval(this.#replay);
    clearTimeout(this.#address);
    this.#board.close();
    this.#panel?.rest();
    this.#watch.close();
  }

  #changed(): void {
    if (this.#isClosed) {
      return;
    }
    const { connection, log } = this.#watch;
    if (connection === "live" || connection === "ended") {
      this.#ask();
      if (connection !== this.#lastConnection) {
        void this.#look();
      }
    }
    this.#lastConnection = connection;
    if (log.match !== undefined && log.last !== undefined && this.#at === undefined) {
      // It is on its way while the page waits for the next frame.
      this.#board.show(this.#picture(log.match.game, this.#steps.length - 1));
    }
    const own = this.#ownSeat();
    if (own !== undefined && this.#token === undefined) {
      // An event tells that the seat was taken, if no answer does. Who plays sees more than who watches.
      dispatchEvent(new Event("token"));
      return;
    }
    if (own !== undefined && log.match !== undefined && log.outcome === undefined) {
      this.#panel ??= new ActionPanel(this.#id, log.match.game);
      if (log.mover === own && connection !== "connecting") {
        void this.#panel.ask(log.sequence, sideOfSeat(log.match.game, log.last?.game ?? 1, own));
      } else if (log.mover !== own || !this.#panel.isAbout(log.sequence)) {
        this.#panel.rest();
      }
    } else {
      this.#panel?.rest();
      this.#panel = undefined;
    }
    update();
  }

  /** Asks for what the events do not tell, unless it is known; a service that restarts may not have answered before. */
  #ask(): void {
    if (this.#me === "") {
      whoAmI().then(
        (me) => {
          if (me !== undefined && this.#me === "") {
            this.#me = me.playerId;
            this.#changed();
          }
        },
        () => undefined,
      );
    }
    if (!this.#tools.hasGames) {
      catalogueOfGames().then(
        (games) => this.#tools.know(games),
        () => undefined,
      );
    }
  }

  /** Asks for the match: the clock that runs, who is absent, the hash of the last event. */
  async #look(): Promise<void> {
    try {
      const { match } = await matches.getMatch({ matchId: this.#id });
      if (match !== undefined) {
        this.#shown = match;
        this.#clocks.note(match);
        this.#tools.note({ sequence: Number(match.headSequence), hash: match.headHash });
        update();
      }
    } catch {
      // What the events tell is enough; the state of the watch says what is wrong.
    }
  }

  #ownSeat(): SeatNumber | undefined {
    const seat = this.#watch.log.match?.seats.find((each) => each.joined && each.playerId === this.#me && this.#me !== "");
    return seat === undefined ? undefined : (seat.seat as SeatNumber);
  }

  #pick(area: string): void {
    if (this.#current === this.#steps.length - 1) {
      this.#panel?.pick(area);
    }
  }

  get #steps(): readonly Step[] {
    return this.#watch.log.steps;
  }

  /** The number of the step that is shown. */
  get #current(): number {
    const last = this.#steps.length - 1;
    return Math.min(this.#at ?? last, last);
  }

  #go(at: number | undefined): void {
    const last = this.#steps.length - 1;
    this.#at = at === undefined || (at >= last && this.#watch.log.outcome === undefined) ? undefined : Math.max(0, Math.min(at, last));
    update();
    clearTimeout(this.#address);
    this.#address = setTimeout(() => {
      history.replaceState(null, "", `#/match/${this.#id}${this.#at === undefined ? "" : `/${this.#at}`}`);
    }, ADDRESS_MS);
  }

  #stop(): void {
    clearInterval(this.#replay);
    this.#replay = undefined;
  }

  #toggleReplay(): void {
    if (this.#replay !== undefined) {
      this.#stop();
      update();
      return;
    }
    if (this.#current === this.#steps.length - 1) {
      this.#go(0);
    }
    this.#run();
  }

  #run(): void {
    this.#stop();
    this.#replay = setInterval(() => {
      const next = this.#current + 1;
      this.#go(next);
      if (next >= this.#steps.length - 1) {
        this.#stop();
      }
    }, 1000 / this.#speed);
    update();
  }

  key(event: KeyboardEvent): void {
    const goal: Record<string, (() => void) | undefined> = {
      ArrowLeft: () => this.#go(this.#current - 1),
      ArrowRight: () => this.#go(this.#current + 1),
      Home: () => this.#go(0),
      End: () => this.#go(this.#watch.log.outcome === undefined ? undefined : this.#steps.length - 1),
      " ": () => this.#toggleReplay(),
    };
    const go = goal[event.key];
    if (go !== undefined) {
      event.preventDefault();
      if (event.key !== " ") {
        this.#stop();
      }
      go();
    }
  }

  view(): TemplateResult {
    const { log, connection, problem } = this.#watch;
    const match = log.match;
    if (match === undefined) {
      return html`<h1>Match</h1>
        ${problem === ""
          ? html`<p class="quiet">Loading…</p>`
          : trouble(problem, wayOn(connection, problem))}`;
    }
    const step = this.#steps[this.#current];
    if (step !== undefined) {
      this.#board.show(this.#picture(match.game, this.#current));
      const isLast = this.#current === this.#steps.length - 1;
      this.#board.mark(isLast ? (this.#panel?.areas ?? new Set()) : new Set(), isLast ? (this.#panel?.picked ?? []) : []);
    }
    const beyond = this.#at !== undefined && this.#at >= this.#steps.length && (connection === "live" || connection === "ended");
    return html`
      <h1 class="match-title"><bdi>${match.title === "" ? `A match of ${match.game}` : match.title}</bdi></h1>
      <p class="quiet facts">${this.#facts(match)}</p>
      ${problem === "" ? nothing : trouble(problem, wayOn(connection, problem))}
      ${beyond
        ? trouble(
            `The match has no step ${this.#at}${log.outcome === undefined ? " yet" : ""}; this is the last one.`,
            html`<a href="#/match/${this.#id}">${log.outcome === undefined ? "Follow it" : "Show it"}</a>.`,
          )
        : nothing}
      <div class="match">
        <div class="stage">
          ${this.#player(2, step)}
          ${step === undefined ? html`<p class="quiet waiting">The match begins when both seats are taken.</p>` : this.#board.element}
          ${this.#player(1, step)}
          ${step === undefined ? nothing : this.#controls(step)} ${step === undefined ? nothing : thoughtsOf(step)}
        </div>
        <div class="side">
          <div role="status">
            ${log.outcome === undefined ? nothing : html`<p class="outcome"><bdi>${outcomeText(match, log.outcome)}</bdi></p>`}
          </div>
          ${this.#seats.view(log, this.#me)}
          ${this.#panel === undefined || step === undefined ? nothing : this.#panel.view()}
          ${thinkingChart(log, this.#current, (at) => this.#choose(at))}
          ${step === undefined ? nothing : this.#list.view(log, this.#current, (at) => this.#choose(at))}
          ${this.#tools.view(log)}
        </div>
      </div>
    `;
  }

  /** The address of the picture of a step, with a mark on what has moved. */
  #picture(game: string, at: number): string {
    const [previous, step] = [this.#steps[at - 1], this.#steps[at]];
    // A refill moves all towers, and a roll none.
    const moves = step?.kind === "action" && areasOf(game, step.text, 1).length > 0;
    return boardAddress(game, step?.position ?? "", moves && previous?.game === step.game ? previous.position : undefined);
  }

  /** Called after the page was drawn. */
  drawn(root: HTMLElement): void {
    this.#list.drawn(root);
    this.#panel?.drawn(root, this.#current === this.#steps.length - 1);
  }

  #choose(at: number): void {
    this.#stop();
    this.#go(at);
  }

  #facts(match: Match): TemplateResult {
    const shown = this.#shown ?? match;
    const delay = milliseconds(match.spectatorDelay) ?? 0;
    const parts = [
      `${match.game}, ${match.variant}`,
      `to ${counted(match.target, "point")}`,
      timeControlsText(match),
      match.visibility === Visibility.PRIVATE ? "private" : "",
      delay === 0 || shown.state === MatchState.ENDED ? "" : `shown ${delay / 1000} s late`,
      this.#watch.connection === "live" ? "live" : this.#watch.connection === "lost" ? "connection lost" : "",
    ];
    return html`${parts.filter((part) => part !== "").join(" · ")}`;
  }

  #player(number: SeatNumber, step: Step | undefined): TemplateResult {
    const log = this.#watch.log;
    const seat = log.seat(number);
    const game = log.match?.game ?? "";
    const isToMove = this.#current === this.#steps.length - 1 && log.mover === number;
    const side = step === undefined ? "" : sideNames(game, step.game)[number - 1];
    const absent = this.#shown?.absences.some((absence) => Number(absence.seat) === number && log.outcome === undefined);
    return html`<div class="player ${isToMove ? "to-move" : ""}">
      <span class="who">${playerLink(seat)} <span class="quiet">${side}${absent ? " · absent" : ""}</span></span>
      <span class="points" title="points">${step?.score[number - 1] ?? 0}</span>
      ${this.#clock(number, step)}
    </div>`;
  }

  /** The face of a clock, with the time that it shows now. */
  #clock(number: SeatNumber, step: Step | undefined): HTMLElement | typeof nothing {
    const log = this.#watch.log;
    // Who plays sees no delay.
    const delay = this.#ownSeat() === undefined ? (milliseconds(log.match?.spectatorDelay) ?? 0) : 0;
    const now = Date.now() + this.#watch.clockError - delay;
    const isLast = this.#current === this.#steps.length - 1;
    const left = isLast ? this.#clocks.left(log, number, now) : (step?.remaining[number - 1] ?? this.#clocks.start(log, number));
    if (left === undefined) {
      return nothing;
    }
    const [face, text] = [this.#faces[number - 1] as HTMLElement, clockText(left)];
    if (face.textContent !== text) {
      face.textContent = text;
      face.classList.toggle("low", left < 10_000);
    }
    return face;
  }

  #controls(step: Step): TemplateResult {
    const last = this.#steps.length - 1;
    const button = (label: string, sign: string, isOff: boolean, press: () => void) =>
      html`<button aria-label=${label} title=${label} ?disabled=${isOff} @click=${press}>${sign}</button>`;
    const go = (at: number | undefined) => () => {
      this.#stop();
      this.#go(at);
    };
    const at = this.#current;
    // A position does not know that the match is over, and says who moves.
    const isOver = at === last && this.#watch.log.outcome !== undefined;
    return html`
      <p class="status" aria-live="polite">
        <strong>${stepText(this.#watch.log, step)}</strong> ${isOver ? nothing : html`<span class="quiet">${this.#board.status}</span>`}
      </p>
      <div class="controls">
        ${button("First step", "|◀", at === 0, go(0))} ${button("One step back", "◀", at === 0, go(at - 1))}
        ${button(this.#replay === undefined ? "Replay" : "Pause", this.#replay === undefined ? "▷" : "❚❚", last === 0, () => this.#toggleReplay())}
        ${button("One step on", "▶", at === last, go(at + 1))} ${button("Last step", "▶|", this.#at === undefined || at === last, go(last))}
        <label class="speed"
          ><span class="hidden">Steps a second</span>
          <select @change=${(event: Event) => this.#setSpeed(Number((event.target as HTMLSelectElement).value))}>
            ${SPEEDS.map((speed) => html`<option value=${speed} ?selected=${speed === this.#speed}>${speed}/s</option>`)}
          </select></label
        >
        ${this.#watch.log.outcome === undefined
          ? html`<button class="follow" aria-pressed=${this.#at === undefined} @click=${go(undefined)}>Follow</button>`
          : nothing}
        <label class="slider"
          ><span class="hidden">Step</span>
          <input type="range" min="0" max=${last} .value=${String(at)} aria-valuetext=${`${at} of ${last}`} @input=${(event: Event) => go(Number((event.target as HTMLInputElement).value))()} />
        </label>
        <span class="quiet count">${at} of ${last}</span>
      </div>
    `;
  }

  #setSpeed(speed: number): void {
    this.#speed = speed;
    if (this.#replay !== undefined) {
      this.#run();
    }
  }
}

function newFace(): HTMLElement {
  const face = document.createElement("span");
  face.className = "clock";
  face.setAttribute("role", "timer");
  face.setAttribute("aria-label", "time left");
  return face;
}

/** The way on from a problem. */
function wayOn(connection: Connection, problem: string): TemplateResult {
  if (connection !== "failed") {
    return html`Trying again.`;
  }
  return problem.includes("token") ? toToken : html`<a href="#/matches">All matches</a>.`;
}

/** The number of a step in an address; undefined for the last one. */
function stepNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}
