// Why a session does not begin or go on, and what a refused call says.
import { afterAll, beforeAll, expect, test } from "vitest";

import { Client, Code, ServiceError, Session, SessionError, play, serviceError, type Notice, type SessionOptions } from "../src/index.js";
import { Organiser, newToken, random } from "./players.js";
import { Service } from "./programs.js";

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

async function failureOf(options: Partial<SessionOptions>): Promise<SessionError> {
  const ended = play({ server: service.server, token: newToken(), bot: random, ...options });
  return await ended.then(
    () => expect.unreachable("the session has ended well"),
    (error: unknown) => error as SessionError,
  );
}

async function refusal(call: Promise<unknown>): Promise<ServiceError> {
  return await call.then(() => expect.unreachable("the call was granted"), serviceError);
}

test("a token that the service does not take", async () => {
  const error = await failureOf({ token: "dgt_no-such-token-at-all" });
  expect(error).toBeInstanceOf(SessionError);
  expect(error.failure).toBe("token_refused");
  expect(error.cause?.reason).toBe("TOKEN_MALFORMED");
  expect(error.cause?.advice).toMatch(/token/);
  expect(error.cause?.isTransient).toBe(false);
});

test("a service that takes only issued tokens", async () => {
  const strict = await Service.start("--auth", "tokens");
  const error = await failureOf({ server: strict.server });
  expect(error.failure).toBe("token_refused");
  await strict.remove();
});

test("no service", async () => {
  const gone = await Service.start();
  await gone.remove();
  const error = await failureOf({ server: gone.server, firstPatienceMs: 50 });
  expect(error.failure).toBe("lost");
  expect(error.message).toMatch(/ECONNREFUSED/);
});

test("a service that speaks no TLS where it is spoken to with TLS", async () => {
  const error = await failureOf({ server: service.server.replace("http:", "https:") });
  expect(error.failure).toBe("lost");
  expect(error.message).toMatch(/TLS/);
});

test("a match that does not exist", async () => {
  const error = await failureOf({ matchId: "01a1fe86-4a19-75e4-8d4f-43765b99eeeb" });
  expect(error.failure).toBe("match_unavailable");
  expect(error.cause?.reason).toBe("MATCH_NOT_FOUND");
});

test("a second program with the same token takes over", async () => {
  const token = newToken();
  const stop = new AbortController();
  let second: Promise<unknown> | undefined;
  const error = await failureOf({
    token,
    onNotice({ type }) {
      if (type === "connected") {
        second = play({ server: service.server, token, bot: random }, stop.signal);
      }
    },
  });
  expect(error.failure).toBe("superseded");
  stop.abort();
  await second;
});

test("a player without a session is present by its calls", async () => {
  const client = new Client({ server: service.server, token: newToken() });
  const accepts = [{ game: "linja", targetMin: 3, targetMax: 3, timeControls: [undefined] }];
  const presenceId = await client.setOffer({ accepts, ttlMs: 60_000, build: "v1" });
  expect(await client.setOffer({ accepts, ttlMs: 60_000, build: "v2", matchesAtOnce: 4, presenceId })).toBe(presenceId);
  const { playerId } = await client.players.whoAmI({});
  const present = async () => {
    const { players } = await client.players.listPlayers({});
    return players.find((player) => player.playerId === playerId)?.offer;
  };
  const offer = await present();
  expect(offer).toMatchObject({ build: "v2", matchesAtOnce: 4, games: [{ game: "linja", targetMin: 3, targetMax: 3 }] });
  expect(offer?.games[0]?.timeControls).toHaveLength(1);
  const newer = await client.setOffer({ ttlMs: 60_000 });
  expect((await refusal(client.setOffer({ accepts, ttlMs: 60_000, presenceId }))).reason).toBe("SUPERSEDED");
  await client.withdrawOffer(newer);
  expect(await present()).toBeUndefined();
  const { reason, fields } = await refusal(client.setOffer({ ttlMs: 500 }));
  expect(reason).toBe("FIELD_INVALID");
  expect(fields.map(({ field }) => field)).toEqual(["ttl"]);
  client.close();
});

test("invalid options", () => {
  const wrong: Partial<SessionOptions>[] = [
    { token: "short" },
    { token: "with spaces that are not allowed" },
    { tls: { ca: "-----BEGIN CERTIFICATE-----" } },
    { server: "https://127.0.0.1", tls: { cert: "without a key" } },
  ];
  for (const options of wrong) {
    expect(() => new Session({ server: service.server, token: newToken(), bot: random, ...options })).toThrow(TypeError);
  }
});

test.each<[keyof SessionOptions, unknown]>([
  ["matchesAtOnce", Infinity],
  ["matchesAtOnce", 1.5],
  ["matchesAtOnce", 2 ** 32],
  ["accepts", [{ game: "kamisado", targetMax: Infinity }]],
  ["accepts", [{ game: "kamisado", timeControls: [{ kind: "per_action", limitMs: NaN }] }]],
  ["seed", 42],
])("an option that cannot be sent is named: %s: %j", (option, value) => {
  const options = { server: service.server, token: newToken(), bot: random, [option]: value };
  expect(() => new Session(options)).toThrow(TypeError);
  expect(() => new Session(options)).toThrow(new RegExp(`^${option}: `));
});

test.each([
  ["127.0.0.1:4640", "http://127.0.0.1:4640"],
  ["localhost:80", "http://localhost"],
  ["[::1]:9000", "http://[::1]:9000"],
  ["http://127.0.0.1:4640/", "http://127.0.0.1:4640"],
  ["https://play.example", "https://play.example"],
])("the address %s", (server, read) => {
  expect(new Client({ server, token: newToken() }).server).toBe(read);
});

test.each([
  ["", "it has no host"],
  ["localhost", "it has no port"],
  ["ftp://host:1", "only http and https are supported"],
  ["http://", "it has no host"],
  ["http://host:1/path", "something follows the port"],
  ["http://host:1/?query", "something follows the port"],
  ["http://host:99999", "its port is not a number up to 65535"],
  ["http://host:", "it has no port"],
  ["http://a b:1", "it has no host"],
  ["host:port", "its port is not a number up to 65535"],
  ["http://me:secret@host:1", "it contains credentials"],
])("an invalid address: %s", (server, fault) => {
  const connect = () => new Client({ server, token: newToken() });
  expect(connect).toThrow(TypeError);
  expect(connect).toThrow(new RegExp(`is not a service address: ${fault}; example`));
  expect(connect).not.toThrow(/secret/);
});

test.each(["http://192.0.2.1:4640", "play.example:4640", "127.0.0.1.example:1", "[::2]:1"])(
  "no token goes in the clear to %s",
  (server) => {
    expect(() => new Client({ server, token: newToken() })).toThrow(/in the clear/);
    new Client({ server, token: newToken(), insecureNoTls: true }).close();
  },
);

test("what an option throws ends the session", async () => {
  const tokens: [string, string] = [newToken(), newToken()];
  await organiser.match(tokens);
  const accept = () => { throw new RangeError("no list of games"); };
  await expect(play({ server: service.server, token: tokens[0], bot: random, accept })).rejects.toThrow("no list of games");
  const onNotice = () => { throw new RangeError("no place to write"); };
  await expect(play({ server: service.server, token: tokens[1], bot: random, onNotice })).rejects.toThrow("no place to write");
});

test("what a notice throws ends the session also where the end of a match is read", async () => {
  const token = newToken();
  const matchId = await organiser.match([token, newToken()]);
  await organiser.client.matches.abortMatch({ matchId });
  const told: string[] = [];
  const onNotice = ({ type }: Notice) => {
    told.push(type);
    if (type === "closed") {
      throw new RangeError("no place to write");
    }
  };
  const session = play({ server: service.server, token, bot: random, matchId, onNotice });
  await expect(session).rejects.toThrow("no place to write");
  expect(told).toEqual(["connected", "closed"]);
});

test("a session runs once", async () => {
  const session = new Session({ server: service.server, token: newToken(), bot: random });
  const stop = new AbortController();
  stop.abort();
  await session.run(stop.signal);
  await expect(session.run(stop.signal)).rejects.toThrow(TypeError);
});

test("a refused call has its reason, its facts and what to do", async () => {
  const { games, matches } = organiser.client;
  const field = await refusal(matches.createMatch({ game: "kamisado", target: 2 }));
  expect(field).toMatchObject({ code: Code.InvalidArgument, reason: "FIELD_INVALID", metadata: { field: "target" }, isTransient: false });
  expect(field.fields).toHaveLength(1);
  expect(String(field)).toContain("FIELD_INVALID");
  const rule = await refusal(games.analyzePosition({ game: "kamisado", actions: ["a1b1"] }));
  expect(rule).toMatchObject({ reason: "ILLEGAL_ACTION", metadata: { rule: "M1", action_index: "0" } });
  expect(rule.advice).toMatch(/legal_actions/);
  const none = await refusal(matches.getMatch({ matchId: "no match" }));
  expect(none.reason).toBe("FIELD_INVALID");
});

test("a refusal that passes says how long to wait", async () => {
  const slow = await Service.start("--max-calls-per-second", "1", "--max-call-burst", "1");
  const client = new Client({ server: slow.server, token: newToken() });
  const errors = await Promise.all([1, 2, 3].map(() => client.players.whoAmI({}).then(() => undefined, serviceError)));
  const limited = errors.find((error) => error !== undefined);
  expect(limited).toMatchObject({ reason: "RATE_LIMITED", isTransient: true, metadata: { limit: "calls" } });
  expect(limited?.retryAfterMs).toBeGreaterThan(0);
  client.close();
  await slow.remove();
});
