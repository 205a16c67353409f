// Plays in Backgammon are composed from parts of legal ones.
import { expect, test } from "vitest";

import { next, parts } from "../src/compose.js";

const PLAYS = ["24/18", "24/23 13/8", "13/8(2)", "8/5(2) 6/3(2)", "8/5(3) 6/3", "bar/20*"];

test("repeated parts are parts", () => {
  expect(parts("8/5(2) 6/3*(2)")).toEqual(["8/5", "8/5", "6/3*", "6/3*"]);
});

test("parts in any order lead to the play, and to no other", () => {
  expect(next(PLAYS, []).complete).toBeUndefined();
  expect(next(PLAYS, ["24/18"])).toEqual({ parts: [], complete: "24/18" });
  expect(next(PLAYS, ["13/8"])).toEqual({ parts: ["24/23", "13/8"], complete: undefined });
  expect(next(PLAYS, ["13/8", "24/23"])).toEqual({ parts: [], complete: "24/23 13/8" });
  expect(next(PLAYS, ["6/3", "8/5", "8/5"])).toEqual({ parts: ["6/3", "8/5"], complete: undefined });
  expect(next(PLAYS, ["6/3", "8/5", "8/5", "6/3"]).complete).toBe("8/5(2) 6/3(2)");
  expect(next(PLAYS, ["1/off"])).toEqual({ parts: [], complete: undefined });
});
