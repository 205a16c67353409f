// When bots are asked, without a service.
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";

import type { Bot } from "../src/index.js";
import { DecisionSchema, MatchSchema } from "../src/proto.js";
import { matchInfo } from "../src/match_info.js";
import { withThinking } from "../src/session/bot_thinking.js";
import { Cancellation } from "../src/session/cancellation.js";
import { Played } from "../src/session/played.js";
import { Thinking } from "../src/session/thinking.js";

/** Longer than bots may take together before the stream is read. */
const LONG_MS = 6;

test("the event loop turns between bots that compute for long", async () => {
  const seen: string[] = [];
  const bot: Bot = {
    choose: () => {
      seen.push("asked");
      setImmediate(() => seen.push("turn"));
      const end = performance.now() + LONG_MS;
      while (performance.now() < end);
      return "a1a2";
    },
  };
  const thinking = new Thinking(bot, 0n);
  const due = { wire: create(DecisionSchema, { decisionId: 4n }), since: [], readTimes: () => undefined };
  const asked = [1, 2, 3].map(
    (number) =>
      new Promise((resolve) => {
        const played = new Played(matchInfo(create(MatchSchema, { id: `${number}` }), "first"));
        played.bot = bot;
        thinking.ask(played, due, new Cancellation(), resolve);
      }),
  );
  expect(await Promise.all(asked)).toEqual([{ action: "a1a2" }, { action: "a1a2" }, { action: "a1a2" }]);
  expect(seen.slice(0, 5)).toEqual(["asked", "turn", "asked", "turn", "asked"]);
});

test("a text is refused as the line of a thinking", () => {
  const line = "d1d7" as unknown as readonly string[];
  expect(withThinking("d1d7", { depth: 1, line })).toEqual({
    action: "d1d7",
    leftOut: 'line: expected a list of actions, not the text "d1d7"',
  });
});

test("a cancelled answer aborts its signal, whenever a bot asks for it", () => {
  const early = new Cancellation();
  const { signal } = early;
  expect(signal.aborted).toBe(false);
  early.abort();
  expect(signal.aborted).toBe(true);
  const late = new Cancellation();
  late.abort();
  expect(late.signal.aborted).toBe(true);
});
