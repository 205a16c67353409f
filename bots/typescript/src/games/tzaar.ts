// The notation of TZAAR: `docs/rules/tzaar.md`.
import type { Seat } from "../match_info.js";
import { NotationError } from "./notation_error.js";

/** The kinds of pieces with their letters. */
const KINDS = { z: "tzaar", r: "tzarra", t: "tott" } as const;

/** A kind of piece. */
export type Kind = (typeof KINDS)[keyof typeof KINDS];

/** The actions that may be due with their letters. */
const DUE = { p: "placement", o: "opening", "1": "first", "2": "second" } as const;

/** The action that is due. */
export type Due = (typeof DUE)[keyof typeof DUE];

/** The ranks of the points of each file; the hole is not among them. */
const FILES: readonly (readonly [string, readonly number[]])[] = [
  ["a", ranks(5)],
  ["b", ranks(6)],
  ["c", ranks(7)],
  ["d", ranks(8)],
  ["e", ranks(9).filter((rank) => rank !== 5)],
  ["f", ranks(8)],
  ["g", ranks(7)],
  ["h", ranks(6)],
  ["i", ranks(5)],
];

/** The 60 points, `a1` to `i5`, file by file. */
export const POINTS: readonly string[] = FILES.flatMap(([file, ranks]) => ranks.map((rank) => `${file}${rank}`));

/** A piece, or a stack of pieces of one side. */
export interface Unit {
  /** `first` is White, in upper case. */
  readonly seat: Seat;
  /** The kind of its top piece. */
  readonly kind: Kind;
  /** Number of pieces: its strength. */
  readonly height: number;
}

/** A position. */
export interface Position {
  /** The units by their points, in the order of `POINTS`. */
  readonly units: ReadonlyMap<string, Unit>;
  readonly toMove: Seat;
  readonly due: Due;
}

/** Parses a position. Throws a `NotationError`. */
export function parse(text: string): Position {
  const fail = (fault: string): never => {
    throw new NotationError("tzaar", text, fault);
  };
  const fields = text.split(" ");
  const [board = "", side, due = ""] = fields;
  const files = board.split("/");
  if (fields.length !== 3 || files.length !== FILES.length) {
    return fail("expected nine files, the side to move and the action that is due");
  }
  const units = new Map<string, Unit>();
  for (const [index, [file, ranks]] of FILES.entries()) {
    const own = files[index] ?? "";
    const pieces = own.match(/\.|[zrtZRT](?:[12]\d|30|[2-9])?/g) ?? [];
    if (pieces.join("") !== own || pieces.length !== ranks.length) {
      fail(`file ${file} is not ${ranks.length} units or dots`);
    }
    for (const [place, piece] of pieces.entries()) {
      const letter = piece.slice(0, 1);
      if (letter !== ".") {
        const kind = KINDS[letter.toLowerCase() as keyof typeof KINDS];
        const seat = letter === letter.toUpperCase() ? "first" : "second";
        units.set(`${file}${ranks[place] ?? 0}`, { seat, kind, height: Number(piece.slice(1) || "1") });
      }
    }
  }
  if (side !== "w" && side !== "b") {
    return fail("the side to move is w or b");
  }
  if (!Object.hasOwn(DUE, due)) {
    return fail("the action that is due is p, o, 1 or 2");
  }
  return { units, toMove: side === "w" ? "first" : "second", due: DUE[due as keyof typeof DUE] };
}

/** Formats a position. */
export function format(position: Position): string {
  const board = FILES.map(([file, ranks]) =>
    ranks
      .map((rank) => {
        const unit = position.units.get(`${file}${rank}`);
        if (unit === undefined) {
          return ".";
        }
        const letter = keyOf(KINDS, unit.kind);
        const height = unit.height === 1 ? "" : unit.height;
        return `${unit.seat === "first" ? letter.toUpperCase() : letter}${height}`;
      })
      .join(""),
  );
  return `${board.join("/")} ${position.toMove === "first" ? "w" : "b"} ${keyOf(DUE, position.due)}`;
}

function ranks(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function keyOf<T extends Record<string, string>>(names: T, value: T[keyof T]): string {
  return Object.keys(names).find((key) => names[key] === value) ?? "";
}
