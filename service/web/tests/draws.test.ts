// The vectors of docs/fairness.md.
import { expect, test } from "vitest";

import { commitment, deal, roll, seedOfText, sharesOf, type Seeds } from "../src/draws.js";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

const MATCH = "01890a5d-ac96-774b-bcce-b302099a8057";
const SEEDS: Seeds = { server: Uint8Array.from({ length: 32 }, (_, at) => at), match: MATCH, shares: ["ann", "bob"] };

test("commitments, rolls and starts are those of the page", async () => {
  expect(hex(await commitment(MATCH, SEEDS.server))).toBe("e8fb8f8e5f1aa9993829187999269e7dd36c6b0a9b277e83fe14f49948936ffe");
  expect(await roll(SEEDS, 1, 1)).toBe("32");
  expect(await roll(SEEDS, 1, 2)).toBe("15");
  expect(await roll(SEEDS, 2, 40)).toBe("62");
  for (const [game, position] of [
    ["tzaar", "ttzZt/zRtRRz/rRTTZrT/ztTtZrrt/rRZZtrRT/tzrRTtTt/TRttTTr/ZTTtrz/TTTRt w o"],
    ["kamisado", "LOPRBYMG/8/8/8/8/8/8/gmybrpol b -"],
    ["linja", "6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6 r 1"],
  ] as const) {
    expect(await deal(SEEDS, game, "random", 1)).toBe(position);
  }
});

test("a given seed counts in both matches of an encounter alike", async () => {
  const server = await seedOfText("an encounter");
  expect(hex(await commitment("", server))).toBe("41e715018d8c218d16c8a2304200901cbcc45031eb3fb292982dfd2208425134");
  for (const [first, second] of [
    ["ann", "bob"],
    ["bob", "ann"],
  ] as const) {
    const seeds = { server, match: "", shares: sharesOf(first, second, true) };
    expect(await Promise.all([1, 2, 3].map((number) => roll(seeds, 1, number)))).toEqual(["35", "33", "22"]);
  }
});
