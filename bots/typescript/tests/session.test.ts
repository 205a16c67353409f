// Sessions on a real service: whole matches, lost connections, services that end and come back.
import { afterEach, beforeEach, expect, test } from "vitest";

import { create } from "@bufbuild/protobuf";

import { parseAcceptedGame } from "../src/accepted_game.js";
import { NotationError, backgammon, kamisado, linja, tzaar } from "../src/games/index.js";
import { Client, Session, play, serviceError, type Bot, type BotThinking, type Decision, type MatchInfo, type Notice, type SessionOptions, type Summary } from "../src/index.js";
import { timeControlMessage } from "../src/match_info.js";
import { Seat, Termination, TimeControlSchema } from "../src/proto.js";
import { Organiser, newToken, random } from "./players.js";
import { Service } from "./programs.js";
import { Proxy } from "./proxy.js";

let service: Service;
let organiser: Organiser;
let tokens: [string, string];

async function start(...flags: string[]): Promise<void> {
  await service?.remove();
  service = await Service.start(...flags);
  organiser = new Organiser(service.server);
}

beforeEach(async () => {
  await start();
  tokens = [newToken(), newToken()];
});

afterEach(async () => {
  organiser.client.close();
  await service.remove();
});

/** Plays with both tokens: the first with these options, the second at random. */
async function both(options: Partial<SessionOptions>, matches: number): Promise<[Summary, Summary]> {
  const other = play({ server: service.server, token: tokens[1], bot: random, matches });
  const own = play({ server: service.server, token: tokens[0], bot: random, matches, ...options });
  return await Promise.all([own, other]);
}

/** A bot that does something before one of its decisions, counted from 1, and plays at random. */
function at(number: number, what: () => Promise<void> | void): Bot {
  let count = 0;
  return {
    async choose(decision) {
      count += 1;
      if (count === number) {
        await what();
      }
      return random.choose(decision);
    },
  };
}

const GAMES = [
  ["kamisado", "standard", kamisado],
  ["kamisado", "random", kamisado],
  ["linja", "standard", linja],
  ["tzaar", "fixed", tzaar],
  ["tzaar", "tournament", tzaar],
  ["backgammon", "standard", backgammon],
] as const;

test.each(GAMES)("a match of %s, %s, is played to its end, and every position is read", async (game, variant, notation) => {
  const matchId = await organiser.match(tokens, { game, variant, target: game === "backgammon" ? 2 : 1 });
  const seen: Decision[] = [];
  const reader: Bot = {
    choose(decision) {
      seen.push(decision);
      const position = notation.parse(decision.position);
      expect(notation.format(position as never)).toBe(decision.position);
      return random.choose(decision);
    },
  };
  const [own, other] = await both({ bot: reader }, 1);
  const match = await organiser.see(matchId);
  expect(match.outcome?.termination).toBe(Termination.NORMAL);
  expect(own.failures + other.failures).toBe(0);
  expect([own.won, own.lost]).toEqual([other.lost, other.won]);
  expect(own.won).toBe(match.outcome?.winner === Seat.FIRST ? 1 : 0);
  const events = await organiser.events(matchId);
  const played = events.filter(({ event }) => event.case === "actionPlayed");
  expect(own.answers + other.answers).toBe(played.length);
  expect(seen.length).toBe(own.answers);
  expect(seen.every((decision) => decision.seat === "first" && decision.match.game === game)).toBe(true);
});

test("what a bot thinks is recorded, and what cannot be recorded costs no action", async () => {
  const thoughts: (BotThinking | undefined)[] = [
    { winProbability: 0.25, depth: 7, nodes: 12345, timeMs: 250.5, line: ["b1b4", "c8c5"], tags: { net: "v2" } },
    { points: -1.5 },
    { winProbability: NaN },
    { depth: -1 },
    { winProbability: 0.5, points: 0 },
    { line: ["x".repeat(100_000)] },
    undefined,
  ];
  const sent: string[] = [];
  const thoughtful: Bot = {
    async choose(decision) {
      const action = (await random.choose(decision)) as string;
      const thinking = thoughts[sent.push(action) - 1];
      return thinking === undefined ? action : { action, thinking };
    },
  };
  const matchId = await organiser.match(tokens, { game: "linja" });
  const warnings: string[] = [];
  const onNotice = (notice: Notice): void => {
    warnings.push(...(notice.type === "warning" ? [notice.message] : []));
  };
  const [own] = await both({ bot: thoughtful, onNotice }, 1);
  expect(own.failures).toBe(0);
  const events = await organiser.events(matchId);
  const played = events.flatMap(({ event }) =>
    event.case === "actionPlayed" && event.value.seat === Seat.FIRST ? [event.value] : [],
  );
  expect(played.map(({ action }) => action)).toEqual(sent);
  const [first, second, ...rest] = played.map(({ thinking }) => thinking);
  expect(first).toMatchObject({
    value: { case: "winProbability", value: 0.25 },
    depth: 7,
    nodes: 12345n,
    time: { seconds: 0n, nanos: 250_500_000 },
    line: ["b1b4", "c8c5"],
    tags: [{ name: "net", value: "v2" }],
  });
  expect(second?.value).toEqual({ case: "points", value: -1.5 });
  expect(rest.every((thinking) => thinking === undefined)).toBe(true);
  expect(warnings.length).toBe(4);
  for (const part of [/thinking\.win_probability: NaN/, /depth/, /either winProbability/, /100\d\d\d bytes/]) {
    expect(warnings.some((warning) => part.test(warning))).toBe(true);
  }
});

// A share that is known in advance would let others choose the dice.
test("the share of a seed is random, and the same in matches that share the seed", async () => {
  const matchIds = [await organiser.match(tokens), await organiser.match([tokens[1], tokens[0]])];
  await both({}, 2);
  const other = await organiser.match(tokens, { seed: "another" });
  await both({ drawSeed: "mine" }, 1);
  const shares = async (matchId: string): Promise<string[]> =>
    (await organiser.events(matchId))
      .flatMap(({ event }) => (event.case === "seatJoined" ? [event.value] : []))
      .sort((one, two) => (one.playerId < two.playerId ? -1 : 1))
      .map(({ seed }) => seed);
  const [one = [], two = []] = await Promise.all(matchIds.map(shares));
  expect(one).toEqual(two);
  expect(one.every((share) => /^[0-9a-f]{64}$/.test(share))).toBe(true);
  expect(new Set([...one, ...(await shares(other))]).size).toBe(4);
  expect(await shares(other)).toContain("mine");
});

test("a bot sees the match and the decisions as the service reports them", async () => {
  const fischer = { base: { seconds: 60n, nanos: 0 }, increment: { seconds: 1n, nanos: 500_000_000 } };
  await organiser.match(tokens, {
    title: "a title",
    target: 3,
    timeControl: { kind: { case: "fischer", value: fischer } },
  });
  const seen: Decision[] = [];
  const budgets: [number, number][] = [];
  const notices: Notice[] = [];
  const reader: Bot = {
    choose(decision) {
      seen.push(decision);
      budgets.push([decision.budgetMs ?? 0, decision.timeLeftMs ?? 0]);
      return random.choose(decision);
    },
  };
  await both({ bot: reader, name: "reader", onNotice: (notice) => notices.push(notice) }, 1);
  const [first] = seen;
  expect(first?.match).toMatchObject({
    title: "a title",
    game: "kamisado",
    variant: "standard",
    target: 3,
    seat: "first",
    timeControl: { kind: "fischer", baseMs: 60_000, incrementMs: 1500 },
  });
  expect(first).toMatchObject({ gameNumber: 1, ply: 0, score: { first: 0, second: 0 }, roll: undefined });
  expect(first?.clocksMs).toEqual({ first: 60_000, second: 60_000 });
  // A twentieth of the stock and the increment.
  const [[budget, left] = [0, 0]] = budgets;
  expect(budget).toBeGreaterThan(4000);
  expect(budget).toBeLessThanOrEqual(4500);
  expect(left).toBeGreaterThan(59_000);
  expect(left).toBeLessThanOrEqual(60_000);
  expect(first?.deadline?.getTime()).toBeGreaterThan(Date.now() - 3_600_000);
  expect(notices.map(({ type }) => type)).toEqual(["connected", "opened", "closed"]);
  expect(notices.at(-1)).toMatchObject({ result: { seat: "first", termination: "normal" } });
});

test("each seat has its own agreement on time", async () => {
  const limit = { seconds: 30n, nanos: 0 };
  const timeControl = { kind: { case: "perAction" as const, value: { limit } } };
  await organiser.match(tokens, { seatTimeControls: [{ seat: Seat.SECOND, timeControl }] });
  const seen: [Decision["seat"], Decision["clocksMs"], number | undefined][] = [];
  const reader: Bot = {
    choose(decision) {
      seen.push([decision.seat, decision.clocksMs, decision.budgetMs]);
      return random.choose(decision);
    },
  };
  const other = play({ server: service.server, token: tokens[1], bot: reader, matches: 1 });
  await play({ server: service.server, token: tokens[0], bot: reader, matches: 1 });
  await other;
  expect(new Set(seen.map(([seat]) => seat))).toEqual(new Set(["first", "second"]));
  for (const [seat, clocks, budget] of seen) {
    expect(clocks).toEqual({ first: undefined, second: 30_000 });
    expect(budget === undefined).toBe(seat === "first");
  }
});

test("two matches are played at once", async () => {
  const ids = [await organiser.match(tokens), await organiser.match(tokens)];
  // Neither bot goes on before the other has begun.
  const begun = new Set<string>();
  let go = () => {};
  const bothBegun = new Promise<void>((resolve) => (go = resolve));
  const patient: Bot = {
    async choose(decision) {
      begun.add(decision.match.id);
      if (begun.size === ids.length) {
        go();
      }
      await bothBegun;
      return random.choose(decision);
    },
  };
  const [own] = await both({ bot: patient }, 2);
  expect(begun).toEqual(new Set(ids));
  expect(own).toMatchObject({ matches: 2, failures: 0 });
});

test("matches beyond the number at once wait for their turn", async () => {
  const ids = [await organiser.match(tokens), await organiser.match(tokens), await organiser.match(tokens)];
  let open = 0;
  let most = 0;
  const onNotice = ({ type }: Notice) => {
    open += type === "opened" ? 1 : type === "closed" ? -1 : 0;
    most = Math.max(most, open);
  };
  const [own] = await both({ matchesAtOnce: 1, onNotice }, 3);
  expect(most).toBe(1);
  expect(own.matches).toBe(ids.length);
});

test.each(["SIGKILL", "SIGTERM"] as const)("a match goes on when its service ends by %s and comes back", async (signal) => {
  const matchId = await organiser.match(tokens, { target: 3 });
  const notices: Notice[] = [];
  const [own, other] = await both(
    { bot: at(4, () => service.restart(signal)), onNotice: (notice) => notices.push(notice) },
    1,
  );
  expect(notices.map(({ type }) => type)).toContain("disconnected");
  expect(notices.filter(({ type }) => type === "opened")).toHaveLength(1);
  const match = await organiser.see(matchId);
  expect(match.outcome?.termination).toBe(Termination.NORMAL);
  expect(own).toMatchObject({ matches: 1, failures: 0 });
  expect(other).toMatchObject({ matches: 1, failures: 0 });
});

test("a match goes on when its connection is cut while the bot thinks", async () => {
  const proxy = await Proxy.before(service.port);
  const matchId = await organiser.match(tokens, { target: 3 });
  const [own] = await both({ server: proxy.server, bot: at(3, () => proxy.cut()) }, 1);
  expect(proxy.connections).toBeGreaterThanOrEqual(2);
  expect((await organiser.see(matchId)).outcome?.termination).toBe(Termination.NORMAL);
  expect(own.failures).toBe(0);
  await proxy.close();
});

test("an answer whose acceptance is never heard of is played once", async () => {
  const proxy = await Proxy.before(service.port);
  const matchId = await organiser.match(tokens, { target: 3 });
  const [own] = await both({ server: proxy.server, bot: at(3, () => proxy.cutAfterNextUpload()) }, 1);
  expect(proxy.connections).toBeGreaterThanOrEqual(2);
  expect((await organiser.see(matchId)).outcome?.termination).toBe(Termination.NORMAL);
  expect(own).toMatchObject({ matches: 1, failures: 0 });
  await proxy.close();
});

test("an answer is sent again if an earlier program has used its request id for a refused one", async () => {
  const matchId = await organiser.match(tokens, { illegalActionLimit: 3 });
  const earlier = new Client({ server: service.server, token: tokens[0] });
  const refusals: unknown[] = [];
  const bot: Bot = {
    async choose(decision) {
      const { id, ply } = decision;
      if (ply === 0) {
        const illegal = { matchId, decisionId: BigInt(id), action: "a1b1", requestId: `${matchId}:${id}` };
        await earlier.games.submitAction(illegal).catch((error: unknown) => refusals.push(serviceError(error).reason));
      }
      return random.choose(decision);
    },
  };
  const [own] = await both({ bot }, 1);
  expect(refusals).toEqual(["ILLEGAL_ACTION"]);
  expect(own).toMatchObject({ matches: 1, failures: 0 });
  expect((await organiser.see(matchId)).outcome?.termination).toBe(Termination.NORMAL);
  earlier.close();
});

test("connections that are cut again and again cost no answer and play none twice", async () => {
  const proxy = await Proxy.before(service.port);
  const matchId = await organiser.match(tokens, { target: 3 });
  const cuts = [2, 3, 5, 8];
  let count = 0;
  const bot: Bot = {
    choose(decision) {
      count += 1;
      if (cuts.includes(count)) {
        proxy.cutAfterNextUpload();
      }
      return random.choose(decision);
    },
  };
  const [own, other] = await both({ server: proxy.server, bot }, 1);
  expect(proxy.connections).toBeGreaterThan(cuts.length);
  expect(own).toMatchObject({ matches: 1, failures: 0 });
  expect(own.won + own.lost).toBe(1);
  const played = (await organiser.events(matchId)).filter(({ event }) => event.case === "actionPlayed");
  // An acceptance on a stream that was cut is not sent again.
  expect(count + other.answers).toBe(played.length);
  await proxy.close();
});

test("a match goes on when the service ends its connections by age", async () => {
  await start("--connection-age", "300ms", "--connection-age-grace", "100ms");
  await organiser.match(tokens, { target: 3 });
  let disconnected = () => {};
  const lost = new Promise<void>((resolve) => (disconnected = resolve));
  const onNotice = ({ type }: Notice) => (type === "disconnected" ? disconnected() : undefined);
  const [own] = await both({ bot: at(3, () => lost), onNotice }, 1);
  expect(own).toMatchObject({ matches: 1, failures: 0 });
});

test("an answer that comes too fast is sent again when it may be", async () => {
  await start("--max-actions-per-second", "20", "--max-action-burst", "1");
  const matchId = await organiser.match(tokens);
  const notices: Notice[] = [];
  const [own] = await both({ onNotice: (notice) => notices.push(notice) }, 1);
  expect(own.failures).toBe(0);
  expect((await organiser.see(matchId)).outcome?.termination).toBe(Termination.NORMAL);
  const warnings = notices.filter(({ type }) => type === "warning");
  expect(warnings.some((notice) => "message" in notice && notice.message.includes("RATE_LIMITED"))).toBe(true);
});

test("a bot hears that its answer is not wanted any more", async () => {
  const matchId = await organiser.match(tokens);
  const stop = new AbortController();
  let aborted = false;
  let thinking = () => {};
  const thinks = new Promise<void>((resolve) => (thinking = resolve));
  const session = new Session({
    server: service.server,
    token: tokens[0],
    bot: {
      async choose({ signal }) {
        thinking();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        aborted = true;
        return "";
      },
    },
    matches: 1,
  });
  const other = play({ server: service.server, token: tokens[1], bot: random }, stop.signal);
  const own = session.run();
  await thinks;
  await organiser.client.matches.abortMatch({ matchId });
  expect(await own).toMatchObject({ matches: 1, won: 0, lost: 0, failures: 0 });
  expect(aborted).toBe(true);
  stop.abort();
  await other;
});

test("a session waits until its bots have handled the end of their matches, but not without end", async () => {
  const slow = await organiser.match(tokens);
  const stuck = await organiser.match(tokens);
  const seen: unknown[] = [];
  const bot = ({ id }: MatchInfo): Bot => ({
    choose: random.choose,
    async closed({ matchId }) {
      await (id === stuck ? new Promise(() => {}) : organiser.see(matchId));
      seen.push(matchId);
    },
  });
  const [own] = await both({ bot }, 2);
  expect(own.matches).toBe(2);
  expect(seen).toEqual([slow]);
});

test("a bot created after its match has ended is closed, and asked for nothing", async () => {
  const matchId = await organiser.match(tokens);
  const called: unknown[] = [];
  let over = () => {};
  const isOver = new Promise<void>((resolve) => (over = resolve));
  const bot = async (): Promise<Bot> => {
    await organiser.client.matches.abortMatch({ matchId });
    await isOver;
    return {
      choose: (decision) => {
        called.push("choose");
        return random.choose(decision);
      },
      closed: ({ termination }) => {
        called.push(termination);
      },
    };
  };
  const onNotice = ({ type }: Notice) => (type === "closed" ? over() : undefined);
  await both({ bot, onNotice }, 1);
  expect(called).toEqual(["aborted"]);
});

test("unwanted invitations are declined", async () => {
  const unwanted = await organiser.match(tokens, { game: "linja" });
  await organiser.match(tokens);
  const stop = new AbortController();
  const other = play({ server: service.server, token: tokens[1], bot: random }, stop.signal);
  const accept = ({ game }: MatchInfo) => game === "kamisado";
  const warned: unknown[] = [];
  const onNotice = (notice: Notice): void => {
    if (notice.type === "warning") {
      warned.push([notice.matchId, notice.message]);
    }
  };
  const own = await play({ server: service.server, token: tokens[0], bot: random, matches: 1, accept, onNotice });
  expect(own.matches).toBe(1);
  const reason = "this bot does not accept these terms: linja standard to 1";
  expect(warned).toEqual([[unwanted, `declining an invitation: ${reason}`]]);
  expect((await organiser.see(unwanted)).outcome).toMatchObject({ termination: Termination.DECLINED, reason });
  stop.abort();
  await other;
});

test("only matches with the terms that the player accepts", async () => {
  const unwanted = await organiser.match(tokens, { game: "linja", target: 1 });
  await organiser.match(tokens, { game: "linja", target: 3 });
  const stop = new AbortController();
  const other = play({ server: service.server, token: tokens[1], bot: random }, stop.signal);
  const accepts = ["linja:3-7", "tzaar/random@60+0.5"].map((text) => parseAcceptedGame(text)).filter((game) => game !== undefined);
  // The service lists the player with them, as long as it is there.
  const listed: unknown[] = [];
  const bot = async () => {
    const { players } = await organiser.client.players.listPlayers({ game: "tzaar" });
    listed.push(...players.map(({ offer }) => offer));
    return random;
  };
  const own = await play({ server: service.server, token: tokens[0], bot, matches: 1, accepts, build: "v12" });
  expect(own.matches).toBe(1);
  expect((await organiser.see(unwanted)).outcome?.termination).toBe(Termination.DECLINED);
  expect(listed).toContainEqual(
    expect.objectContaining({
      build: "v12",
      games: [
        expect.objectContaining({ game: "linja", variants: [], targetMin: 3, targetMax: 7 }),
        expect.objectContaining({
          game: "tzaar",
          variants: ["random"],
          targetMin: 0,
          targetMax: 0,
          timeControls: [create(TimeControlSchema, timeControlMessage({ kind: "fischer", baseMs: 60_000, incrementMs: 500 }))],
        }),
      ],
    }),
  );
  stop.abort();
  await other;
});

test("a session ends when it is stopped", async () => {
  const stop = new AbortController();
  const session = play(
    {
      server: service.server,
      token: tokens[0],
      bot: random,
      onNotice: ({ type }) => (type === "connected" ? stop.abort() : undefined),
    },
    stop.signal,
  );
  expect(await session).toEqual({ matches: 0, won: 0, lost: 0, answers: 0, failures: 0 });
});

test("an invalid position is refused with the fault", () => {
  expect(() => kamisado.parse("start")).toThrow(NotationError);
});
