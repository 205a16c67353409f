// The notation of Kamisado: `docs/rules/kamisado.md`.
import type { Seat } from "../match_info.js";
import { NotationError } from "./notation_error.js";

/** The colours, in the order of Black's home row from file a. */
export const COLOURS = ["brown", "green", "red", "yellow", "pink", "purple", "blue", "orange"] as const;

/** A colour of towers and squares. */
export type Colour = (typeof COLOURS)[number];

/** The letters of the colours, in the same order. */
const LETTERS = "bgrypmlo";

/** The colours of the squares: a row for each rank from 1, with a letter for each file from a. */
const BOARD = ["bgrypmlo", "mbylgpor", "lybmropg", "yrgbolmp", "pmlobgry", "gpormbyl", "ropglybm", "olmpyrgb"];

/** A tower. */
export interface Tower {
  /** `first` is Black, in lower case. */
  readonly seat: Seat;
  readonly colour: Colour;
  /** 0 for a plain tower to 3 for a triple sumo. */
  readonly teeth: number;
  /** Its square: `a1`. */
  readonly square: string;
}

/** The demand on the seat to move. */
export type Demand =
  | { readonly kind: "tower"; readonly colour: Colour }
  | { readonly kind: "any" }
  | { readonly kind: "refill" };

/** A position. */
export interface Position {
  /** Sixteen, by rank from 8 and within it by file from a. */
  readonly towers: readonly Tower[];
  readonly toMove: Seat;
  readonly demand: Demand;
  /** In some deadlocks, the tower that gets the tooth. */
  readonly heir: { readonly seat: Seat; readonly colour: Colour } | undefined;
}

/** The colour of a square, `a1`. */
export function squareColour(square: string): Colour {
  const colour = colourOf(BOARD[Number(square[1]) - 1]?.["abcdefgh".indexOf(square[0] ?? "")] ?? "");
  if (colour === undefined || square.length !== 2) {
    throw new TypeError(`${JSON.stringify(square)} is not a square`);
  }
  return colour;
}

/** Parses a position. Throws a `NotationError`. */
export function parse(text: string): Position {
  const fail = (fault: string): never => {
    throw new NotationError("kamisado", text, fault);
  };
  const fields = text.split(" ");
  const [placement = "", side = "", required = "", heir] = fields;
  if (fields.length < 3 || fields.length > 4) {
    return fail(`expected three fields, or four in a deadlock, found ${fields.length}`);
  }
  const towers = placement.split("/").flatMap((row, index) => {
    const rank = 8 - index;
    const pieces = row.match(/[bgrypmloBGRYPMLO]\+{0,3}|[1-8]/g) ?? [];
    if (pieces.join("") !== row || /\d\d/.test(row)) {
      fail(`rank ${rank} is unreadable`);
    }
    let file = 0;
    const found: Tower[] = [];
    for (const piece of pieces) {
      const tower = towerOf(piece[0] ?? "");
      if (tower !== undefined) {
        found.push({ ...tower, teeth: piece.length - 1, square: `${"abcdefgh"[file] ?? "?"}${rank}` });
      }
      file += tower === undefined ? Number(piece) : 1;
    }
    return file === 8 ? found : fail(`rank ${rank} has ${file} squares, not 8`);
  });
  if (placement.split("/").length !== 8) {
    fail("expected eight ranks");
  }
  if (towers.length !== 16 || new Set(towers.map(towerLetter)).size !== 16) {
    fail("each side has one tower of each colour");
  }
  const toMove = { b: "first", w: "second" }[side] as Seat | undefined;
  return {
    towers,
    toMove: toMove ?? fail("the side to move is b or w"),
    demand: demandOf(required) ?? fail("the third field is a colour's letter, - or *"),
    heir: heir === undefined ? undefined : (towerOf(heir) ?? fail("the fourth field is a tower's letter")),
  };
}

/** Formats a position. */
export function format(position: Position): string {
  const rows = [8, 7, 6, 5, 4, 3, 2, 1].map((rank) => {
    const squares = [..."abcdefgh"].map((file) => {
      const tower = position.towers.find(({ square }) => square === `${file}${rank}`);
      return tower === undefined ? " " : towerLetter(tower) + "+".repeat(tower.teeth);
    });
    return squares.join("").replace(/ +/g, (empty) => String(empty.length));
  });
  const { demand, heir } = position;
  const required = demand.kind === "tower" ? letterOf(demand.colour) : demand.kind === "any" ? "-" : "*";
  const fields = [rows.join("/"), position.toMove === "first" ? "b" : "w", required];
  return [...fields, ...(heir === undefined ? [] : [towerLetter(heir)])].join(" ");
}

function colourOf(letter: string): Colour | undefined {
  return letter.length === 1 ? COLOURS[LETTERS.indexOf(letter)] : undefined;
}

function letterOf(colour: Colour): string {
  return LETTERS[COLOURS.indexOf(colour)] ?? "";
}

function towerOf(letter: string): { seat: Seat; colour: Colour } | undefined {
  const colour = colourOf(letter.toLowerCase());
  return colour && { seat: letter === letter.toLowerCase() ? "first" : "second", colour };
}

function towerLetter({ seat, colour }: { readonly seat: Seat; readonly colour: Colour }): string {
  return seat === "first" ? letterOf(colour) : letterOf(colour).toUpperCase();
}

function demandOf(text: string): Demand | undefined {
  if (text === "-" || text === "*") {
    return { kind: text === "-" ? "any" : "refill" };
  }
  const colour = colourOf(text);
  return colour && { kind: "tower", colour };
}
