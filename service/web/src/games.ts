// What the page knows of the games: whose turn a position is, and which areas of the board an action names.

/** The side whose pieces the notation of the game names first, or the other. */
export type Side = 1 | 2;

/** A seat: the first is the one that opens the match. */
export type SeatNumber = 1 | 2;

interface Facts {
  /** The names of the sides. */
  readonly sides: readonly [string, string];
  /** True if the second seat has the first side in this game of a match. */
  swaps?(game: number): boolean;
  /** The side that decides in a position; undefined if none does. */
  mover(position: string): Side | undefined;
  /** The areas of the board that an action names, in its order. */
  areas(action: string, side: Side): string[];
}

const squares = (action: string) => action.match(/[a-i][1-9]/g) ?? [];

const GAMES: Readonly<Record<string, Facts>> = {
  kamisado: {
    sides: ["Black", "White"],
    mover: (position) => sideOf(position.split(" ")[1], "b", "w"),
    areas: squares,
  },
  tzaar: {
    sides: ["White", "Black"],
    swaps: (game) => game % 2 === 0,
    mover: (position) => sideOf(position.split(" ")[1], "w", "b"),
    areas: squares,
  },
  linja: {
    sides: ["Red", "Black"],
    mover: (position) => sideOf(position.split(" ")[1], "r", "b"),
    areas: (action) => action.split(">"),
  },
  backgammon: {
    sides: ["White", "Red"],
    mover: backgammonMover,
    areas: (action, side) => places(action).map((place) => pointOf(place, side)),
  },
};

function sideOf(text: string | undefined, first: string, second: string): Side | undefined {
  return text === first ? 1 : text === second ? 2 : undefined;
}

function backgammonMover(position: string): Side | undefined {
  const [xgid = "", ...words] = position.split(" ");
  const [, , , turn, dice] = xgid.split(":");
  const side = sideOf(turn, "1", "-1");
  const answers = words.some((word) => word.startsWith("resign:")) || (dice === "D" && !words.includes("dropped"));
  return side !== undefined && answers ? (side === 1 ? 2 : 1) : side;
}

/** The places of a play in Backgammon, as the mover counts them. */
function places(play: string): string[] {
  return play.includes("/") ? play.replaceAll(/\*|\(\d\)/g, "").split(/[ /]/) : [];
}

function pointOf(place: string, side: Side): string {
  return /^\d/.test(place) ? String(side === 1 ? Number(place) : 25 - Number(place)) : `${place}${side}`;
}

/** The names of the sides of the first and the second seat in a game of a match. */
export function sideNames(game: string, number: number): [string, string] {
  const facts = GAMES[game];
  const [first, second] = facts?.sides ?? ["First", "Second"];
  return facts?.swaps?.(number) ? [second, first] : [first, second];
}

/** The side of a seat in a game of a match; the other way round it is the same. */
export function sideOfSeat(game: string, number: number, seat: SeatNumber): Side {
  return GAMES[game]?.swaps?.(number) ? (seat === 1 ? 2 : 1) : seat;
}

/** The seat that decides in a position of a match; undefined if none does. */
export function moverOf(game: string, number: number, position: string): SeatNumber | undefined {
  const side = GAMES[game]?.mover(position);
  return side === undefined ? undefined : sideOfSeat(game, number, side);
}

/** The areas of the board that an action names, in its order. */
export function areasOf(game: string, action: string, side: Side): string[] {
  return GAMES[game]?.areas(action, side) ?? [];
}
