// The notation of Linja: `docs/rules/linja.md`.
import type { BySeat, Seat } from "../match_info.js";
import { NotationError } from "./notation_error.js";

/** The pieces of each side. */
const PIECES = 12;

/** A position. */
export interface Position {
  /** Number of pieces of each side on rows 0 to 7; `first` is Red and moves up. */
  readonly pieces: BySeat<readonly number[]>;
  readonly toMove: Seat;
  /** The distance of the second move in rows; undefined if the first move is due. */
  readonly steps: number | undefined;
  /** True in an extra turn. */
  readonly extra: boolean;
}

/** Parses a position. Throws a `NotationError`. */
export function parse(text: string): Position {
  const fail = (fault: string): never => {
    throw new NotationError("linja", text, fault);
  };
  const match = /^([\d,]+)\/([\d,]+) ([rb]) (?:1|2:([1-9]))(x?)$/.exec(text);
  if (match === null) {
    return fail("expected counts, the side to move and the move that is due");
  }
  const [, red = "", black = "", side, steps, extra] = match;
  const [first, second] = [counts(red) ?? fail("Red's counts"), counts(black) ?? fail("Black's counts")];
  return {
    pieces: { first, second },
    toMove: side === "r" ? "first" : "second",
    steps: steps === undefined ? undefined : Number(steps),
    extra: extra === "x",
  };
}

/** Formats a position. */
export function format(position: Position): string {
  const { pieces, toMove, steps, extra } = position;
  const due = steps === undefined ? "1" : `2:${steps}`;
  const sides = `${pieces.first.join(",")}/${pieces.second.join(",")}`;
  return `${sides} ${toMove === "first" ? "r" : "b"} ${due}${extra ? "x" : ""}`;
}

function counts(text: string): number[] | undefined {
  const numbers = text.split(",");
  const isRight = numbers.length === 8 && numbers.every((number) => /^(\d|1[0-2])$/.test(number));
  const read = numbers.map(Number);
  return isRight && read.reduce((sum, count) => sum + count, 0) === PIECES ? read : undefined;
}
