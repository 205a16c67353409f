import type { MatchInfo } from "./match_info.js";

/** A game that a player accepts, with its terms. */
export interface AcceptedGame {
  readonly game: string;
  /** The variants; all by default. */
  readonly variants?: readonly string[];
  /** The least number of points that win the match. */
  readonly targetMin?: number;
  /** The greatest number of points that win the match. */
  readonly targetMax?: number;
}

/** Returns true if a match has the terms of one of these games, or if there are none. */
export function fits(games: readonly AcceptedGame[], match: MatchInfo): boolean {
  const fitsOne = ({ game, variants, targetMin = 0, targetMax = Infinity }: AcceptedGame) =>
    match.game === game &&
    (variants?.includes(match.variant) ?? true) &&
    targetMin <= match.target &&
    match.target <= targetMax;
  return games.length === 0 || games.some(fitsOne);
}

/** Reads `GAME[/VARIANT][:TARGET[-TARGET]]`; undefined for anything else. */
export function parseAcceptedGame(text: string): AcceptedGame | undefined {
  const found = /^([^/:@]+)(?:\/([^/:@]+))?(?::(\d+)(?:-(\d+))?)?$/.exec(text);
  if (found === null) {
    return undefined;
  }
  const [, game = "", variant, least, greatest = least] = found;
  const terms = variant === undefined ? { game } : { game, variants: [variant] };
  if (least === undefined) {
    return terms;
  }
  const [targetMin, targetMax] = [Number(least), Number(greatest)];
  return 0 < targetMin && targetMin <= targetMax ? { ...terms, targetMin, targetMax } : undefined;
}
