import { expect, test } from "vitest";

import { fits, parseAcceptedGame } from "../src/accepted_game.js";
import type { MatchInfo, TimeControl } from "../src/index.js";

test("terms that cannot be read", () => {
  const texts = ["", ":3", "linja:", "linja:0", "linja:7-3", "linja:1-4294967296", "linja/", "linja@", "linja@60", "linja@60+", "linja@0+1"];
  texts.push("linja@60d0", "linja@1.0005s", "linja@2592001s", "linja@1.5ms", "linja@-1s", "linja@none:3");
  for (const text of texts) {
    expect(parseAcceptedGame(text), text).toBeUndefined();
  }
});

test("terms that are left empty fit every match, as the service lists them", () => {
  const any = { game: "linja", variants: [], targetMin: 0, targetMax: 0, timeControls: [] };
  const match = { game: "linja", variant: "standard", target: 3, timeControl: { kind: "per_action", limitMs: 100 } } as MatchInfo;
  expect(fits([any], match)).toBe(true);
  expect(fits([{ ...any, variants: ["other"] }], match)).toBe(false);
  expect(fits([{ ...any, targetMin: 4 }], match)).toBe(false);
  expect(fits([{ ...any, targetMax: 2 }], match)).toBe(false);
  expect(fits([{ ...any, timeControls: [undefined] }], match)).toBe(false);
});

test("terms with a clock fit matches in which the player's seat has it", () => {
  const controls = new Map<string, TimeControl | undefined>([
    ["60.1+0.25", { kind: "fischer", baseMs: 60_100, incrementMs: 250 }],
    ["60d0.125", { kind: "delay", baseMs: 60_000, delayMs: 125 }],
    ["1.5s", { kind: "per_action", limitMs: 1500 }],
    ["100ms", { kind: "per_action", limitMs: 100 }],
    ["none", undefined],
  ]);
  for (const [text, control] of controls) {
    const game = parseAcceptedGame(`linja@${text}`);
    expect(game).toEqual({ game: "linja", timeControls: [control] });
    for (const [other, timeControl] of controls) {
      const match = { game: "linja", variant: "standard", target: 3, timeControl } as MatchInfo;
      expect(game !== undefined && fits([game], match)).toBe(text === other);
    }
  }
});
