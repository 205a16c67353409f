// Values as people read them.
import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import { html, type TemplateResult } from "lit-html";

import { Termination, type Match, type MatchOutcome, type SeatInfo, type TimeControl } from "./gen/dragontooth/v1/match_pb.js";

/** A number of things: `1 point`, `3 points`. */
export function counted(count: number, noun: string): string {
  const plural = noun.endsWith("ch") ? `${noun}es` : `${noun}s`;
  return `${count} ${count === 1 ? noun : plural}`;
}

/** A length of time in milliseconds; undefined if it is not set. */
export function milliseconds(duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : Number(duration.seconds) * 1000 + duration.nanos / 1e6;
}

/** A time in milliseconds since 1970; undefined if it is not set. */
export function time(timestamp: Timestamp | undefined): number | undefined {
  return timestamp === undefined ? undefined : Number(timestamp.seconds) * 1000 + timestamp.nanos / 1e6;
}

/** The time on a clock: `1:05:09`, `5:09`, and tenths of a second in the last ten. */
export function clockText(ms: number): string {
  if (ms < 10_000) {
    return (Math.floor(ms / 100) / 10).toFixed(1);
  }
  const seconds = Math.floor(ms / 1000);
  const two = (number: number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** The time that an action took: `12 ms`, `3.4 s`, `2:05`. */
export function spentText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : clockText(ms);
}

function shortDuration(duration: Duration | undefined): string {
  const seconds = (milliseconds(duration) ?? 0) / 1000;
  const [value, unit] = seconds >= 120 && seconds % 60 === 0 ? [seconds / 60, "min"] : [seconds, "s"];
  return `${Number(value.toFixed(3))} ${unit}`;
}

/** The time controls of a match in words. */
export function timeControlsText(match: Match): string {
  const texts = match.seats.map((seat) => timeControlText(seat.timeControl));
  return [...new Set(texts)].join(" against ");
}

/** A time control in words. */
function timeControlText(control: TimeControl | undefined): string {
  switch (control?.kind.case) {
    case "perAction":
      return `${shortDuration(control.kind.value.limit)} per action`;
    case "fischer": {
      const { base, increment } = control.kind.value;
      return increment === undefined ? shortDuration(base) : `${shortDuration(base)} + ${shortDuration(increment)}`;
    }
    case "delay":
      return `${shortDuration(control.kind.value.base)}, delay ${shortDuration(control.kind.value.delay)}`;
    default:
      return "no clock";
  }
}

/** The name of the player in a seat. Nothing of it is markup, and it does not turn the text around it. */
export function nameOf(seat: SeatInfo | undefined): string {
  if (seat === undefined || seat.playerId === "") {
    return "free seat";
  }
  return seat.name === "" ? `player ${seat.playerId.slice(0, 8)}` : seat.name;
}

/** The player in a seat, as a link to its page. */
export function playerLink(seat: SeatInfo | undefined): TemplateResult {
  const name = html`<bdi>${nameOf(seat)}</bdi>`;
  if (seat === undefined || seat.playerId === "") {
    return html`<span class="free">${name}</span>`;
  }
  const mark = seat.nameVerified ? html`<abbr class="verified" title="The service vouches for this name.">✓</abbr>` : "";
  return html`<a href="#/player/${seat.playerId}">${name}</a>${mark}`;
}

const CAUSES: Readonly<Record<Termination, string>> = {
  [Termination.UNSPECIFIED]: "",
  [Termination.NORMAL]: "",
  [Termination.TIMEOUT]: "on time",
  [Termination.RESIGNATION]: "by resignation",
  [Termination.ABORTED]: "called off",
  [Termination.DISCONNECT]: "by absence",
  [Termination.ILLEGAL_ACTION]: "after illegal actions",
  [Termination.EXPIRED]: "expired: a seat stayed free",
  [Termination.DECLINED]: "the invitation was declined",
};

/** The end of a match in words. */
export function outcomeText(match: Match, outcome: MatchOutcome): string {
  const cause = CAUSES[outcome.termination];
  const winner = match.seats.find((seat) => seat.seat === outcome.winner && outcome.winner !== 0);
  const why = outcome.reason;
  const result =
    winner !== undefined ? `${nameOf(winner)} won ${cause}`.trim() : cause === "" ? "Drawn" : `No winner: ${cause}`;
  return why === "" ? result : `${result} (${why})`;
}

/** The day and the time of day, in the reader's zone. */
export function dateText(timestamp: Timestamp | undefined): string {
  const at = time(timestamp);
  return at === undefined ? "" : new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
