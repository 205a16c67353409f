// Positions: what is read is what the rules say, over vectors and random games.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

import { expect, test } from "vitest";

import { NotationError, backgammon, kamisado, linja, tzaar } from "../src/games/index.js";
import { randomFrom } from "../src/index.js";
import { program } from "./programs.js";

const DATA = resolve(import.meta.dirname, "../../../games/tests/it");

/** The vectors of a game's rules: the first column of a data file. */
function vectors(file: string, separator: string | undefined): string[] {
  const lines = readFileSync(resolve(DATA, file), "utf8").split("\n");
  const texts = lines.filter((line) => line !== "" && !line.startsWith("#"));
  return separator === undefined ? texts : texts.map((line) => line.split(separator)[0] ?? "");
}

const NOTATIONS = { kamisado, linja, tzaar, backgammon };

type Game = keyof typeof NOTATIONS;

function readBack(game: Game, text: string): string {
  const notation = NOTATIONS[game];
  return notation.format(notation.parse(text) as never);
}

test.each([
  ["kamisado", "data/positions.txt", undefined],
  ["linja", "linja/data/positions.txt", undefined],
  ["tzaar", "tzaar/data/positions.txt", undefined],
  ["backgammon", "backgammon/data/states.txt", " | "],
] as const)("the vectors of %s are read back as they are written", (game, file, separator) => {
  const texts = vectors(file, separator);
  expect(texts.length).toBeGreaterThan(10);
  for (const text of texts) {
    expect(readBack(game, text)).toBe(text);
  }
});

test.each([
  ["kamisado", "data/unreadable_positions.txt"],
  ["linja", "linja/data/unreadable_positions.txt"],
  ["tzaar", "tzaar/data/unreadable_positions.txt"],
] as const)("an invalid position of %s is refused, or parsed as what it says", (game, file) => {
  // Whether a game can have a position is the rules' to say, not the notation's.
  const texts = vectors(file, " => ");
  let refused = 0;
  for (const text of texts) {
    try {
      expect(readBack(game, text)).toBe(text);
    } catch (error) {
      expect(error, text).toBeInstanceOf(NotationError);
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(texts.length / 3);
});

test("an invalid position of backgammon raises only a notation error", () => {
  for (const text of vectors("backgammon/data/unreadable_positions.txt", " => ")) {
    try {
      backgammon.parse(text);
    } catch (error) {
      expect(error, text).toBeInstanceOf(NotationError);
    }
  }
  for (const text of ["", "start", "XGID=", "XGID=-b----E-C---eE---c-e----B-:0:0:1:77:0:0:0:7:10"]) {
    expect(() => backgammon.parse(text)).toThrow(NotationError);
  }
});

test("the start of each game is what the rules page says", () => {
  const start = kamisado.parse("OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -");
  expect(start).toMatchObject({ toMove: "first", demand: { kind: "any" }, heir: undefined });
  expect(start.towers.map(({ square, colour }) => kamisado.squareColour(square) === colour)).not.toContain(false);
  expect(start.towers.find(({ square }) => square === "d8")).toMatchObject({ seat: "second", colour: "pink", teeth: 0 });
  expect(linja.parse("5,2,1,1,1,1,1,0/0,1,1,1,1,1,1,6 r 2:2")).toEqual({
    pieces: { first: [5, 2, 1, 1, 1, 1, 1, 0], second: [0, 1, 1, 1, 1, 1, 1, 6] },
    toMove: "first",
    steps: 2,
    extra: false,
  });
  const fixed = tzaar.parse("ttttT/TrrrRT/TRzzZRT/TRZtTZRT/TRZTtzrt/trztTzrt/trzZZrt/trRRRt/tTTTT w o");
  expect(fixed).toMatchObject({ toMove: "first", due: "opening" });
  expect(tzaar.POINTS).toHaveLength(60);
  expect(fixed.units.size).toBe(60);
  expect(fixed.units.get("a5")).toEqual({ seat: "first", kind: "tott", height: 1 });
  expect(fixed.units.get("e6")).toEqual({ seat: "second", kind: "tott", height: 1 });
  for (const [kind, count] of [["tzaar", 6], ["tzarra", 9], ["tott", 15]] as const) {
    for (const seat of ["first", "second"] as const) {
      expect([...fixed.units.values()].filter((unit) => unit.kind === kind && unit.seat === seat)).toHaveLength(count);
    }
  }
  const money = backgammon.parse("XGID=-b----E-C---eE---c-e----B-:1:-1:-1:D:3:2:1:0:10");
  expect(money).toMatchObject({
    cube: { value: 2, owner: "second" },
    turn: "second",
    phase: { kind: "doubled" },
    score: { first: 3, second: 2 },
    length: 0,
    crawford: false,
    jacoby: true,
    cubeLimit: undefined,
  });
  const capped = "XGID=-b----E-C---eE---c-e----B-:5:1:1:00:0:0:0:0:6 roll declined:1 capped";
  expect(backgammon.parse(capped)).toMatchObject({ declined: 1, cubeLimit: 64 });
  expect(backgammon.format(backgammon.parse(capped))).toBe(capped);
  // The start: two on 24, five on 13, three on 8, five on 6, for each side as it counts.
  const own = Array.from({ length: 26 }, (_, point) => ({ 24: 2, 13: 5, 8: 3, 6: 5 })[point] ?? 0);
  expect(money.checkers).toEqual({ first: own, second: own });
});

/** What the rules say of a position, from the project's own program. */
interface Analysis {
  readonly position: string;
  readonly seat: "first" | "second" | null;
  readonly legal: readonly string[];
  readonly rolls?: readonly string[];
  readonly roll?: string;
}

/** Asks `dragontooth-bot analyze`, a question after the other. */
async function* analyses(): AsyncGenerator<Analysis, void, object> {
  const child = spawn(program("dragontooth-bot"), ["analyze"], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let answer: Analysis = { position: "", seat: null, legal: [] };
  try {
    for (;;) {
      const question = yield answer;
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value } = await lines.next();
      answer = JSON.parse(String(value)) as Analysis;
    }
  } finally {
    child.stdin.end();
  }
}

/** What must hold between a position as data and what the rules allow in it. */
const MEANINGS: Record<Game, (text: string, analysis: Analysis) => void> = {
  kamisado(text, { legal, seat }) {
    const position = kamisado.parse(text);
    expect(position.toMove).toBe(seat);
    for (const action of legal.filter((action) => position.demand.kind !== "refill" || action.length === 4)) {
      const tower = position.towers.find(({ square }) => square === action.slice(0, 2));
      expect(tower?.seat).toBe(seat);
      if (position.demand.kind === "tower") {
        expect(tower?.colour).toBe(position.demand.colour);
      }
    }
  },
  linja(text, { legal, seat }) {
    const position = linja.parse(text);
    expect(position.toMove).toBe(seat);
    for (const action of legal) {
      const [from = 0, to = 0] = action.split(">").map(Number);
      expect(position.pieces[seat ?? "first"][from]).toBeGreaterThan(0);
      const steps = Math.abs(to - from);
      expect(steps === (position.steps ?? 1) || to === 0 || to === 7).toBe(true);
    }
  },
  tzaar(text, { legal, seat }) {
    const position = tzaar.parse(text);
    expect(position.toMove).toBe(seat);
    for (const action of legal) {
      const [, from = "", kind = "", to = ""] = /^(..)([x+])(..)$/.exec(action) ?? [];
      if (kind !== "") {
        expect(position.units.get(from)?.seat).toBe(seat);
        expect(position.units.get(to)?.seat === seat).toBe(kind === "+");
        expect(kind === "x" || position.due === "second").toBe(true);
      } else {
        expect(action === "-" || position.due === "placement").toBe(true);
      }
    }
  },
  backgammon(text, { legal, seat, roll }) {
    const position = backgammon.parse(text);
    const { phase, turn, checkers, resignation } = position;
    const answers = phase.kind === "doubled" || resignation !== undefined;
    expect(answers ? turn !== seat : turn === seat).toBe(true);
    if (phase.kind === "moving" && !answers) {
      expect([...phase.dice].sort().join("")).toBe([...(roll ?? "")].sort().join(""));
      for (const action of legal) {
        const from = action.startsWith("bar") ? 25 : Number(/^\d+/.exec(action)?.[0]);
        expect(checkers[seat ?? "first"][from]).toBeGreaterThan(0);
      }
    } else {
      expect(legal.every((action) => /^[a-z]+$/.test(action))).toBe(true);
    }
    for (const own of [checkers.first, checkers.second]) {
      expect(own.reduce((sum, count) => sum + count, 0)).toBe(15);
    }
  },
};

const ACTIONS_AT_MOST = 400;

test.each([
  ["kamisado", "standard", 20],
  ["kamisado", "random", 20],
  ["linja", "standard", 10],
  ["tzaar", "random", 10],
  ["tzaar", "tournament", 3],
  ["backgammon", "standard", 8],
] as const)("random games of %s, %s: text, data, text", async (game, variant, games) => {
  const rules = analyses();
  await rules.next();
  const seed = 20260101n;
  const random = randomFrom(seed);
  let positions = 0;
  for (let number = 0; number < games; number += 1) {
    let analysis = (await rules.next({ game, variant, seed: `${seed} ${number}` })).value as Analysis;
    let last = "";
    for (let ply = 0; ply < ACTIONS_AT_MOST; ply += 1) {
      expect(readBack(game, analysis.position)).toBe(analysis.position);
      positions += 1;
      if (analysis.seat !== null) {
        MEANINGS[game](analysis.position, { ...analysis, roll: last });
      }
      const choices = analysis.seat === null ? (analysis.rolls ?? []) : analysis.legal;
      const choice = choices[Math.floor(random() * choices.length)];
      if (choice === undefined) {
        break;
      }
      last = analysis.seat === null ? choice : last;
      const question = { game, variant, position: analysis.position, actions: [choice] };
      analysis = (await rules.next(question)).value as Analysis;
    }
  }
  await rules.return();
  expect(positions).toBeGreaterThan(games * 8);
});
