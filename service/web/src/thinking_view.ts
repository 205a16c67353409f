// What the players thought of their actions: the words of a step, and the curves of a match.
import { html, nothing, svg, type TemplateResult } from "lit-html";

import { sideNames, type SeatNumber } from "./games.js";
import type { Thinking } from "./gen/dragontooth/v1/match_pb.js";
import { milliseconds, spentText } from "./format.js";
import type { MatchLog, Step } from "./match_log.js";

/** The size of the chart in units of its drawing. */
const SIZE = { width: 300, height: 100 };

/** The difference of two probabilities from which the players disagree. */
const DISAGREEMENT = 0.2;

/** The value of a step from the view of seat 1, from 0 to 1. */
interface Value {
  readonly at: number;
  readonly game: number;
  readonly seat: SeatNumber;
  readonly value: number;
}

/** The thoughts about a step in words, and the line that the player expected. */
export function thoughtsOf(step: Step): TemplateResult | typeof nothing {
  const { thinking } = step;
  if (thinking === undefined) {
    return nothing;
  }
  const parts = [
    valueText(thinking),
    thinking.depth === undefined ? "" : `depth ${thinking.depth}`,
    thinking.nodes === undefined ? "" : `${thinking.nodes.toLocaleString("en")} nodes`,
    thinking.time === undefined ? "" : spentText(milliseconds(thinking.time) ?? 0),
    thinking.line.length === 0 ? "" : `expects ${thinking.line.join(", ")}`,
    ...thinking.tags.map(({ name, value }) => `${name}: ${value}`),
  ];
  const text = parts.filter((part) => part !== "").join(" · ");
  return html`<p class="thoughts"><span class="quiet">Thinks:</span> <bdi>${text}</bdi></p>`;
}

function valueText({ value }: Thinking): string {
  switch (value.case) {
    case "winProbability":
      return `wins ${(100 * value.value).toFixed(1)} %`;
    case "points":
      return `${value.value > 0 ? "+" : ""}${value.value} points`;
    default:
      return "";
  }
}

/** The curves of both players, if either has sent values. `choose` is called with the step that is clicked. */
export function thinkingChart(log: MatchLog, current: number, choose: (at: number) => void): TemplateResult | typeof nothing {
  const values = valuesOf(log.steps);
  if (values.length === 0) {
    return nothing;
  }
  const last = Math.max(1, log.steps.length - 1);
  const x = (at: number): number => (SIZE.width * at) / last;
  const y = (value: number): number => SIZE.height * (1 - value);
  const pick = (event: MouseEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    choose(Math.round(((event.clientX - box.left) / box.width) * last));
  };
  const names = ([1, 2] as const).map((seat) => {
    const side = sideNames(log.match?.game ?? "", log.last?.game ?? 1)[seat - 1] ?? "";
    return log.seat(seat)?.name || side;
  });
  const disagreements = disagreementsOf(values);
  const turns = turnsOf(values);
  const label = `Chances as both saw them; turns: ${turns.join(", ") || "none"}`;
  return html`<figure class="thinking">
    <svg viewBox="0 0 ${SIZE.width} ${SIZE.height}" preserveAspectRatio="none" role="img" aria-label=${label} @click=${pick}>
      ${disagreements.map(
        ({ from, to }) => svg`<rect class="disagreement" x=${x(from)} y="0" width=${Math.max(1, x(to) - x(from))} height=${SIZE.height} />`,
      )}
      <line x1="0" x2=${SIZE.width} y1=${y(0.5)} y2=${y(0.5)} />
      ${turns.map((at) => svg`<line class="turn" x1=${x(at)} x2=${x(at)} y1="0" y2=${SIZE.height} />`)}
      ${([1, 2] as const).flatMap((seat) =>
        curvesOf(values, seat).map(
          (curve) => svg`<polyline class="seat-${seat}" points=${curve.map(({ at, value }) => `${x(at)},${y(value)}`).join(" ")} />`,
        ),
      )}
      <line class="current" x1=${x(current)} x2=${x(current)} y1="0" y2=${SIZE.height} />
    </svg>
    <figcaption class="quiet">
      Chances of <bdi>${names[0]}</bdi>, as <span class="seat-1"><bdi>${names[0]}</bdi></span> and
      <span class="seat-2"><bdi>${names[1]}</bdi></span> saw them. Shaded: they disagree. Dashed: the game turned.
    </figcaption>
  </figure>`;
}

/** The values of all steps in one unit: probabilities, or points where there are no probabilities. */
function valuesOf(steps: readonly Step[]): Value[] {
  const found = steps.flatMap(({ thinking, seat, game }, at) =>
    thinking?.value.case === undefined || seat === undefined ? [] : [{ at, seat, game, ...thinking.value }],
  );
  const unit = found.some(({ case: unit }) => unit === "winProbability") ? "winProbability" : "points";
  const ofUnit = found.filter(({ case: own }) => own === unit);
  const greatest = Math.max(1e-6, ...ofUnit.map(({ value }) => Math.abs(value)));
  return ofUnit.map(({ at, game, seat, value }) => {
    const own = unit === "winProbability" ? value : 0.5 + value / greatest / 2;
    return { at, game, seat, value: seat === 1 ? own : 1 - own };
  });
}

/** The values of a seat, game by game. */
function curvesOf(values: readonly Value[], seat: SeatNumber): Value[][] {
  const curves = new Map<number, Value[]>();
  for (const value of values.filter((value) => value.seat === seat)) {
    curves.set(value.game, [...(curves.get(value.game) ?? []), value]);
  }
  return [...curves.values()];
}

/** The latest value of each seat at every value, within a game. */
function pairsOf(values: readonly Value[]): { at: number; game: number; both: [number, number] }[] {
  const latest: [Value | undefined, Value | undefined] = [undefined, undefined];
  return values.flatMap((value) => {
    latest[value.seat - 1] = value;
    const [first, second] = latest;
    const isPair = first !== undefined && second !== undefined && first.game === second.game;
    return isPair ? [{ at: value.at, game: value.game, both: [first.value, second.value] as [number, number] }] : [];
  });
}

/** The stretches in which the values of both players lie far apart. */
function disagreementsOf(values: readonly Value[]): { from: number; to: number }[] {
  const stretches: { from: number; to: number }[] = [];
  let isOpen = false;
  for (const { at, both } of pairsOf(values)) {
    const last = stretches.at(-1);
    if (isOpen && last !== undefined) {
      last.to = at;
    }
    const disagree = Math.abs(both[0] - both[1]) > DISAGREEMENT;
    if (disagree && !isOpen) {
      stretches.push({ from: at, to: at });
    }
    isOpen = disagree;
  }
  return stretches;
}

/** For each game, the step from which on the mean of both players favours the same side to the end, if it changed. */
function turnsOf(values: readonly Value[]): number[] {
  const turns = new Map<number, { at: number; ahead: number; turned: boolean }>();
  for (const { at, game, both } of pairsOf(values)) {
    const ahead = Math.sign(both[0] + both[1] - 1);
    const known = turns.get(game);
    if (known === undefined || (ahead !== 0 && known.ahead === 0)) {
      turns.set(game, { at, ahead, turned: false });
    } else if (ahead === -known.ahead && ahead !== 0) {
      turns.set(game, { at, ahead, turned: true });
    }
  }
  return [...turns.values()].filter(({ turned }) => turned).map(({ at }) => at);
}
