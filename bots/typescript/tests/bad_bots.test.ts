// Faulty bots: the match is decided by the documented rule, the session continues and reports the reason.
import { afterAll, beforeAll, expect, test } from "vitest";

import { play, type Bot, type Notice } from "../src/index.js";
import { Seat, Termination } from "../src/proto.js";
import { Organiser, newToken, random } from "./players.js";
import { Service } from "./programs.js";
import { Proxy } from "./proxy.js";

let service: Service;
let organiser: Organiser;

beforeAll(async () => {
  service = await Service.start();
  organiser = new Organiser(service.server);
});

afterAll(async () => {
  organiser.client.close();
  await service.remove();
});

const BAD: [string, Bot["choose"], RegExp][] = [
  ["throws", () => { throw new Error("out of ideas", { cause: new RangeError("too deep") }); }, /out of ideas.*too deep.*at /],
  ["throws what has no text", () => { throw Object.create(null); }, /no text/],
  ["throws an error whose place is no text", () => { throw Object.assign(new Error("odd"), { stack: 7 }); }, /odd/],
  ["throws an error that throws", () => { throw Object.assign(new Error(), { name: Symbol() }); }, /no text/],
  ["rejects", () => Promise.reject(new Error("later")), /later/],
  ["chooses nothing", () => undefined as never, /undefined, which is not a string/],
  ["chooses an object", () => ({ move: "a1a2" }) as never, /an object, which is not a string/],
  ["chooses garbage", () => "knight takes queen", /ACTION_UNREADABLE/],
  ["chooses an empty text", () => "", /refused/],
  ["chooses a text without end", () => "a1".repeat(4_000), /FIELD_INVALID/],
  ["chooses a text longer than a message", () => "a1".repeat(1_000_000), /choose returned 2000000 characters; the limit is/],
  ["chooses against the rules", () => "a1b1", /sideways.*ILLEGAL_ACTION/],
];

test.each(BAD)("a bot that %s resigns with the reason", async (_, choose, why) => {
  const tokens: [string, string] = [newToken(), newToken()];
  const bad = await organiser.match(tokens);
  const good = await organiser.match(tokens);
  const notices: Notice[] = [];
  const stop = new AbortController();
  const other = play({ server: service.server, token: tokens[1], bot: random }, stop.signal);
  const own = await play({
    server: service.server,
    token: tokens[0],
    bot: ({ id }) => (id === bad ? { choose } : random),
    matches: 2,
    onNotice: (notice) => notices.push(notice),
  });
  expect(own).toMatchObject({ matches: 2, failures: 1 });
  const { outcome } = await organiser.see(bad);
  expect(outcome).toMatchObject({ winner: Seat.SECOND, termination: Termination.RESIGNATION });
  expect((await organiser.see(good)).outcome?.termination).toBe(Termination.NORMAL);
  const [failed] = notices.filter((notice) => notice.type === "bot_failed");
  expect(failed?.matchId).toBe(bad);
  expect(failed?.failure).toMatch(why);
  // The public text, without the place in the author's files.
  expect(outcome?.reason).not.toBe("");
  expect(failed?.failure.replace(/ \(at .*\)$/, "")).toBe(outcome?.reason);
  stop.abort();
  await other;
});

test("a failure is reported in one short line", async () => {
  const tokens: [string, string] = [newToken(), newToken()];
  const matchId = await organiser.match(tokens);
  const stop = new AbortController();
  const other = play({ server: service.server, token: tokens[1], bot: random }, stop.signal);
  const choose = () => { throw new Error(`one\n\ttwo \u001b[2J\ud800 ${"é".repeat(1000)}`); };
  await play({ server: service.server, token: tokens[0], bot: { choose }, matches: 1 });
  // As many of two bytes as fit into 1024 with what stands around them.
  expect((await organiser.see(matchId)).outcome?.reason).toBe(`Error: one two [2J\ufffd ${"é".repeat(499)}…`);
  stop.abort();
  await other;
});

test("a bot may choose again after a refusal", async () => {
  const tokens: [string, string] = [newToken(), newToken()];
  const matchId = await organiser.match(tokens);
  const errors: unknown[] = [];
  const other = play({ server: service.server, token: tokens[1], bot: random, matches: 1 });
  const own = await play({
    server: service.server,
    token: tokens[0],
    bot: {
      choose: () => "xyzzy",
      refused(decision, error) {
        errors.push(error.reason);
        return error.reason === "ACTION_UNREADABLE" ? "a1b1" : random.choose(decision) as string;
      },
    },
    matches: 1,
  });
  await other;
  expect(own).toMatchObject({ matches: 1, failures: 0 });
  expect(own.answers).toBeGreaterThan(0);
  expect(errors.slice(0, 2)).toEqual(["ACTION_UNREADABLE", "ILLEGAL_ACTION"]);
  expect(errors.length).toBe(2 * own.answers);
  expect((await organiser.see(matchId)).outcome?.termination).toBe(Termination.NORMAL);
});

test("a bot that has no other choice after a refusal resigns", async () => {
  const tokens: [string, string] = [newToken(), newToken()];
  const matchId = await organiser.match(tokens);
  const other = play({ server: service.server, token: tokens[1], bot: random, matches: 1 });
  const bot: Bot = { choose: () => "xyzzy", refused: () => undefined };
  const own = await play({ server: service.server, token: tokens[0], bot, matches: 1 });
  await other;
  expect(own).toMatchObject({ matches: 1, failures: 1 });
  expect((await organiser.see(matchId)).outcome?.termination).toBe(Termination.RESIGNATION);
});

test("a bot that repeats a refused choice resigns", async () => {
  const tokens: [string, string] = [newToken(), newToken()];
  const matchId = await organiser.match(tokens);
  const other = play({ server: service.server, token: tokens[1], bot: random, matches: 1 });
  const bot: Bot = { choose: () => "xyzzy", refused: () => "xyzzy" };
  const notices: Notice[] = [];
  const onNotice = (notice: Notice) => notices.push(notice);
  const own = await play({ server: service.server, token: tokens[0], bot, matches: 1, onNotice });
  await other;
  expect(own).toMatchObject({ matches: 1, failures: 1 });
  expect(notices.filter(({ type }) => type === "warning").length).toBe(15);
  expect((await organiser.see(matchId)).outcome?.termination).toBe(Termination.RESIGNATION);
});

test("a bot that never answers loses by its clock, and others of its program play on", async () => {
  const tokens: [string, string] = [newToken(), newToken()];
  const limit = { seconds: 0n, nanos: 500_000_000 };
  const timeControl = { kind: { case: "perAction" as const, value: { limit } } };
  const bad = await organiser.match(tokens, { timeControl });
  const good = await organiser.match(tokens);
  const notices: Notice[] = [];
  const stop = new AbortController();
  const other = play({ server: service.server, token: tokens[1], bot: random }, stop.signal);
  const own = await play({
    server: service.server,
    token: tokens[0],
    bot: ({ id }) => (id === bad ? { choose: () => new Promise<string>(() => {}) } : random),
    matches: 2,
    onNotice: (notice) => notices.push(notice),
  });
  expect(own).toMatchObject({ matches: 2, failures: 0 });
  expect((await organiser.see(bad)).outcome).toMatchObject({
    winner: Seat.SECOND,
    termination: Termination.TIMEOUT,
  });
  const told = notices.find((notice) => notice.type === "warning" && notice.matchId === bad);
  expect(told).toMatchObject({ message: expect.stringMatching(/while the bot had been thinking about decision \d+ for \d+\.\d{3} s$/) });
  expect((await organiser.see(good)).outcome?.termination).toBe(Termination.NORMAL);
  stop.abort();
  await other;
});

test.each([
  ["at once", () => { throw new Error("no end"); }],
  ["later", () => Promise.reject(new Error("no end"))],
])("a bot that cannot be created, or fails %s in its end handler, does not end the session", async (_, closed) => {
  const tokens: [string, string] = [newToken(), newToken()];
  const bad = await organiser.match(tokens);
  await organiser.match(tokens);
  const notices: Notice[] = [];
  const stop = new AbortController();
  const other = play({ server: service.server, token: tokens[1], bot: random }, stop.signal);
  const own = await play({
    server: service.server,
    token: tokens[0],
    bot({ id }) {
      if (id === bad) {
        throw new Error("no bot today");
      }
      return { choose: random.choose, closed };
    },
    matches: 2,
    onNotice: (notice) => notices.push(notice),
  });
  expect(own).toMatchObject({ matches: 2, failures: 1 });
  expect(notices.some((notice) => notice.type === "bot_failed" && notice.failure.includes("no bot today"))).toBe(true);
  expect(notices.some((notice) => notice.type === "warning" && notice.message.includes("no end"))).toBe(true);
  stop.abort();
  await other;
});

test.each([
  ["there", false],
  ["lost", true],
])("a session that ends because a notice is not taken has resigned the match of its bot before, its connection being %s", async (_, isLost) => {
  const tokens: [string, string] = [newToken(), newToken()];
  const matchId = await organiser.match(tokens);
  const stop = new AbortController();
  const other = play({ server: service.server, token: tokens[1], bot: random }, stop.signal);
  const proxy = await Proxy.before(service.port);
  let lost = () => {};
  const bot: Bot = {
    async choose() {
      if (isLost) {
        proxy.cut();
        await new Promise<void>((resolve) => (lost = resolve));
      }
      throw new Error("out of ideas");
    },
  };
  const onNotice = ({ type }: Notice) => {
    if (type === "disconnected") {
      lost();
    } else if (type === "bot_failed") {
      throw new RangeError("no place to write");
    }
  };
  await expect(play({ server: proxy.server, token: tokens[0], bot, onNotice })).rejects.toThrow("no place to write");
  expect((await organiser.ended(matchId)).outcome?.termination).toBe(Termination.RESIGNATION);
  stop.abort();
  await other;
  await proxy.close();
});
