// The notation of Backgammon, an XGID followed by words: `docs/rules/backgammon.md`.
import type { BySeat, Seat } from "../match_info.js";
import { NotationError } from "./notation_error.js";

/** The longest match, and the most points in a match for money. */
const NUMBER = /^(0|[1-9]\d{0,4})$/;

/** The phase of a turn. */
export type Phase =
  /** The opening roll is due. */
  | { readonly kind: "opening" }
  /** The seat rolls or doubles. */
  | { readonly kind: "start" }
  /** The seat has chosen to roll. */
  | { readonly kind: "rolling" }
  /** The seat has doubled. */
  | { readonly kind: "doubled" }
  /** The double was dropped. */
  | { readonly kind: "dropped" }
  /** The dice are rolled. */
  | { readonly kind: "moving"; readonly dice: readonly [number, number] };

/** A position. */
export interface Position {
  /**
   * The checkers of each seat as that seat counts: at 1 to 24 those on its points, at 25 those on its bar, at 0 those
   * it has borne off.
   */
  readonly checkers: BySeat<readonly number[]>;
  /** The value of the cube, 1 at first, and its owner; undefined in the centre. */
  readonly cube: { readonly value: number; readonly owner: Seat | undefined };
  /** The seat whose turn it is; undefined before the opening roll. */
  readonly turn: Seat | undefined;
  readonly phase: Phase;
  /** The points of the match. */
  readonly score: BySeat<number>;
  /** The points that win the match; 0 for money. */
  readonly length: number;
  /** True in the Crawford game. */
  readonly crawford: boolean;
  /** True if the Jacoby rule applies, for money. */
  readonly jacoby: boolean;
  /** The game that the seat on turn offers to lose: 1 for a single one, 2 for a gammon, 3 for a backgammon. */
  readonly resignation: { readonly times: number; readonly accepted: boolean } | undefined;
  /** The highest offer of this turn that was declined. */
  readonly declined: number | undefined;
  /** The highest value of the cube; undefined without a limit. */
  readonly cubeLimit: number | undefined;
}

/** The checkers of each side. */
const CHECKERS = 15;
/** The index of a seat's bar. */
const BAR = 25;
/** The maximum cube field of an XGID without a limit, in doublings. */
const MAX_CUBE = 10;
/** Greatest number of doublings that a number can represent exactly. */
const DOUBLINGS_MAX = 30;

/** Parses a position as the service writes it. Throws a `NotationError`. */
export function parse(text: string): Position {
  const fail = (fault: string): never => {
    throw new NotationError("backgammon", text, fault);
  };
  const number = (text: string | undefined, what: string): number =>
    text !== undefined && NUMBER.test(text) ? Number(text) : fail(`${what} is not a number`);
  const [xgid = "", ...words] = text.split(" ");
  const fields = xgid.replace(/^XGID=/, "").split(":");
  const [board = "", cube, owner, turn, dice = "", bottom, top, rules, length, maxCube] = fields;
  if (fields.length !== 10) {
    return fail(`expected ten fields, found ${fields.length}`);
  }
  const maxDoublings = number(maxCube, "the highest cube");
  const sign = (text: string | undefined, what: string): Seat | undefined =>
    text === "0" ? undefined : text === "1" ? "first" : text === "-1" ? "second" : fail(`${what} is 1, -1 or 0`);
  const mover = sign(turn, "the turn");
  const points = number(length, "the length of the match");
  if (rules !== "0" && rules !== "1") {
    fail("the eighth field is 0 or 1");
  }
  const word = /^(?: (roll|dropped))?(?: (resign|resigned):([1-3]))?(?: declined:([1-3]))?(?: (capped))?$/.exec(
    words.map((word) => ` ${word}`).join(""),
  );
  if (word === null) {
    return fail("the words after the XGID are unknown");
  }
  const [, state, offer, times, declined, capped] = word;
  const doublings = number(cube, "the cube");
  return {
    checkers: checkersOf(board) ?? fail("the board is unreadable"),
    cube: {
      value: doublings > DOUBLINGS_MAX ? fail("the cube is too high") : 2 ** doublings,
      owner: sign(owner, "the cube's owner"),
    },
    turn: mover,
    phase: phaseOf(mover, dice, state) ?? fail("the dice do not fit the turn"),
    score: { first: number(bottom, "the score"), second: number(top, "the score") },
    length: points,
    crawford: rules === "1" && points > 0,
    jacoby: rules === "1" && points === 0,
    resignation: offer === undefined ? undefined : { times: Number(times), accepted: offer === "resigned" },
    declined: declined === undefined ? undefined : Number(declined),
    cubeLimit: capped === undefined ? undefined : 2 ** maxDoublings,
  };
}

/** Formats a position. */
export function format(position: Position): string {
  const { checkers, cube, turn, phase, score, length, resignation, declined, cubeLimit } = position;
  const board = Array.from({ length: 26 }, (_, place) => {
    const first = place === 0 ? 0 : (checkers.first[place] ?? 0);
    const second = place === BAR ? 0 : (checkers.second[BAR - place] ?? 0);
    return first > 0 ? letter("A", first) : second > 0 ? letter("a", second) : "-";
  });
  const sign = (seat: Seat | undefined) => (seat === undefined ? 0 : seat === "first" ? 1 : -1);
  const doublings = Math.round(Math.log2(cube.value));
  const dice =
    phase.kind === "moving" ? phase.dice.join("") : ["doubled", "dropped"].includes(phase.kind) ? "D" : "00";
  const fields = [
    board.join(""),
    doublings,
    sign(cube.owner),
    sign(turn),
    dice,
    score.first,
    score.second,
    position.crawford || position.jacoby ? 1 : 0,
    length,
    cubeLimit === undefined ? Math.max(doublings, MAX_CUBE) : Math.round(Math.log2(cubeLimit)),
  ];
  const words = [
    ...(phase.kind === "rolling" ? ["roll"] : phase.kind === "dropped" ? ["dropped"] : []),
    ...(resignation === undefined ? [] : [`${resignation.accepted ? "resigned" : "resign"}:${resignation.times}`]),
    ...(declined === undefined ? [] : [`declined:${declined}`]),
    ...(cubeLimit === undefined ? [] : ["capped"]),
  ];
  return [`XGID=${fields.join(":")}`, ...words].join(" ");
}

function checkersOf(board: string): BySeat<number[]> | undefined {
  if (!/^[-a-o][-A-Oa-o]{24}[-A-O]$/.test(board)) {
    return undefined;
  }
  const first = Array.from({ length: 26 }, () => 0);
  const second = [...first];
  for (const [place, text] of [...board].entries()) {
    if (/[A-O]/.test(text)) {
      first[place] = text.charCodeAt(0) - "A".charCodeAt(0) + 1;
    } else if (/[a-o]/.test(text)) {
      second[BAR - place] = text.charCodeAt(0) - "a".charCodeAt(0) + 1;
    }
  }
  for (const own of [first, second]) {
    own[0] = CHECKERS - own.reduce((sum, count) => sum + count, 0);
    if (own[0] < 0) {
      return undefined;
    }
  }
  return { first, second };
}

function phaseOf(turn: Seat | undefined, dice: string, state: string | undefined): Phase | undefined {
  if (dice === "00" && state !== "dropped") {
    if (turn === undefined) {
      return state === undefined ? { kind: "opening" } : undefined;
    }
    return { kind: state === "roll" ? "rolling" : "start" };
  }
  if (turn === undefined || state === "roll") {
    return undefined;
  }
  if (dice === "D") {
    return { kind: state === "dropped" ? "dropped" : "doubled" };
  }
  return /^[1-6][1-6]$/.test(dice) && state === undefined
    ? { kind: "moving", dice: [Number(dice[0]), Number(dice[1])] }
    : undefined;
}

function letter(one: "A" | "a", count: number): string {
  return String.fromCharCode(one.charCodeAt(0) + count - 1);
}
