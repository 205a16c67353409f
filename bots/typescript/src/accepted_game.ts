import type { MatchInfo, TimeControl } from "./match_info.js";

/** A game that a player accepts, with its terms. */
export interface AcceptedGame {
  readonly game: string;
  /** The variants; all by default, or if the list is empty. */
  readonly variants?: readonly string[];
  /** The least number of points that win the match. */
  readonly targetMin?: number;
  /** The greatest number of points that win the match; 0 for no limit. */
  readonly targetMax?: number;
  /** The time controls of the player's own seat, undefined for no clock; any by default, or if the list is empty. */
  readonly timeControls?: readonly (TimeControl | undefined)[];
}

/** The longest time: 30 days. */
const MAX_TIME_MS = 2_592_000_000;
/** The greatest target that a message can have. */
const MAX_TARGET = 2 ** 32 - 1;

/** Returns true if a match has the terms of one of these games, or if there are none. */
export function fits(games: readonly AcceptedGame[], match: MatchInfo): boolean {
  const fitsOne = ({ game, variants = [], targetMin = 0, targetMax = 0, timeControls = [] }: AcceptedGame) =>
    match.game === game &&
    (variants.length === 0 || variants.includes(match.variant)) &&
    targetMin <= match.target &&
    (targetMax === 0 || match.target <= targetMax) &&
    (timeControls.length === 0 || timeControls.some((control) => isSame(control, match.timeControl)));
  return games.length === 0 || games.some(fitsOne);
}

/**
 * Reads `GAME[/VARIANT][:TARGET[-TARGET]][@TIME]`; undefined for anything else. TIME is `60+0.5` (seconds and increment), `60d0.5` (seconds
 * and delay), `1s` or `100ms` (for each action), or `none`.
 */
export function parseAcceptedGame(text: string): AcceptedGame | undefined {
  const found = /^([^/:@]+)(?:\/([^/:@]+))?(?::(\d+)(?:-(\d+))?)?(?:@([^/:@]+))?$/.exec(text);
  if (found === null) {
    return undefined;
  }
  const [, game = "", variant, least, greatest = least, time] = found;
  const timeControls = time === undefined ? [] : parseTimeControl(time);
  if (timeControls === undefined) {
    return undefined;
  }
  const terms = {
    game,
    ...(variant === undefined ? {} : { variants: [variant] }),
    ...(timeControls.length === 0 ? {} : { timeControls }),
  };
  if (least === undefined) {
    return terms;
  }
  const [targetMin, targetMax] = [Number(least), Number(greatest)];
  const isRange = 0 < targetMin && targetMin <= targetMax && targetMax <= MAX_TARGET;
  return isRange ? { ...terms, targetMin, targetMax } : undefined;
}

/** Returns the time control alone in a list; undefined for a text that is none. */
function parseTimeControl(text: string): [TimeControl | undefined] | undefined {
  if (text === "none") {
    return [undefined];
  }
  const found = /^(?:(\d+(?:\.\d{1,3})?)(?:([+d])(\d+(?:\.\d{1,3})?)|s)|(\d+)ms)$/.exec(text);
  if (found === null) {
    return undefined;
  }
  const [, seconds, kind, more = "0", ms] = found;
  const inMs = (number: string) => Math.round(Number(number) * 1000);
  const first = seconds === undefined ? Number(ms) : inMs(seconds);
  const second = inMs(more);
  const least = kind === "d" ? 1 : 0;
  if (first < 1 || first > MAX_TIME_MS || second < least || second > MAX_TIME_MS) {
    return undefined;
  }
  switch (kind) {
    case "+":
      return [{ kind: "fischer", baseMs: first, incrementMs: second }];
    case "d":
      return [{ kind: "delay", baseMs: first, delayMs: second }];
    default:
      return [{ kind: "per_action", limitMs: first }];
  }
}

function isSame(one: TimeControl | undefined, other: TimeControl | undefined): boolean {
  const times = (control: TimeControl | undefined) => {
    switch (control?.kind) {
      case undefined:
        return [];
      case "per_action":
        return [control.limitMs];
      case "fischer":
        return [control.baseMs, control.incrementMs];
      case "delay":
        return [control.baseMs, control.delayMs];
    }
  };
  return one?.kind === other?.kind && times(one).join() === times(other).join();
}
