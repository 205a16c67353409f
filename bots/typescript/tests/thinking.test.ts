// When bots are asked, without a service.
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";

import { Code, ServiceError, type Bot } from "../src/index.js";
import { DecisionSchema, MatchSchema } from "../src/proto.js";
import { matchInfo } from "../src/match_info.js";
import { withThinking } from "../src/session/bot_thinking.js";
import { Cancellation } from "../src/session/cancellation.js";
import { Played } from "../src/session/played.js";
import { Thinking, type Thought } from "../src/session/thinking.js";

/** Asks the bot of a match for a decision, after a refusal if there is one. */
function ask(thinking: Thinking, bot: Bot, id: string, refused?: ServiceError): Promise<Thought> {
  const played = new Played(matchInfo(create(MatchSchema, { id }), "first"));
  played.bot = bot;
  const wire = create(DecisionSchema, { decisionId: 4n });
  const due = { wire, since: [], readTimes: () => undefined, ...(refused === undefined ? {} : { refused }) };
  return new Promise((resolve) => thinking.ask(played, due, new Cancellation(), resolve));
}

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
  const asked = [1, 2, 3].map((number) => ask(thinking, bot, `${number}`));
  expect(await Promise.all(asked)).toEqual([{ action: "a1a2" }, { action: "a1a2" }, { action: "a1a2" }]);
  expect(seen.slice(0, 5)).toEqual(["asked", "turn", "asked", "turn", "asked"]);
});

test.each([
  ["an action", "a1a3", { action: "a1a3" }],
  ["a choice", { action: "a1a3", thinking: { depth: 7 } }, { action: "a1a3", thinking: expect.objectContaining({ depth: 7 }) }],
  ["nothing", undefined, { failure: expect.stringContaining("its answer was refused: ") }],
  ["no value", null, { failure: expect.stringContaining("its answer was refused: ") }],
  ["a number", 17, { failure: "refused returned 17, which is not a string" }],
  ["an object", { move: "a1a3" }, { failure: "refused returned an object, which is not a string" }],
  ["too much", "a".repeat(9_000), { failure: "refused returned 9000 characters; the limit is 8192" }],
])("after a refusal, %s is read as a choice is", async (_, choice, thought) => {
  const bot: Bot = { choose: () => "a1a2", refused: () => choice as never };
  const error = new ServiceError("no such action", { code: Code.InvalidArgument });
  expect(await ask(new Thinking(bot, 0n), bot, "1", error)).toEqual(thought);
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
