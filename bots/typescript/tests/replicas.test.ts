// Several addresses of one service: which are used, and when the next one is.
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";

import { afterEach, beforeEach, expect, test } from "vitest";

import { Client, play, serviceError, type Bot, type Notice } from "../src/index.js";
import { run } from "../src/cli/run.js";
import { Termination } from "../src/proto.js";
import { BlackHole } from "./black_hole.js";
import { Organiser, newToken, random } from "./players.js";
import { Service } from "./programs.js";
import { Proxy } from "./proxy.js";

let service: Service;
let organiser: Organiser;

beforeEach(async () => {
  service = await Service.start();
  organiser = new Organiser(service.server);
});

afterEach(async () => {
  organiser.client.close();
  await service.remove();
});

/** An address where nothing listens any more. */
async function nothing(): Promise<string> {
  const proxy = await Proxy.before(service.port);
  const { server } = proxy;
  await proxy.close();
  return server;
}

test("a match begins at the first address that is there, and goes on at the next when that fails", async () => {
  const [one, two] = [await Proxy.before(service.port), await Proxy.before(service.port)];
  const tokens: [string, string] = [newToken(), newToken()];
  const matchId = await organiser.match(tokens, { target: 3 });
  const before: number[] = [];
  let asked = 0;
  const bot: Bot = {
    async choose(decision) {
      asked += 1;
      if (asked === 3) {
        before.push(one.connections, two.connections);
        await one.close();
      }
      return random.choose(decision);
    },
  };
  const lost: string[] = [];
  const onNotice = (notice: Notice) => {
    lost.push(...(notice.type === "disconnected" ? [notice.reason] : []));
  };
  const first = one.server;
  const server = [await nothing(), first, two.server].join(", ");
  const other = play({ server: service.server, token: tokens[1], bot: random, matches: 1 });
  const own = await play({ server, token: tokens[0], bot, matches: 1, onNotice });
  await other;
  expect(own).toMatchObject({ matches: 1, failures: 0 });
  expect((await organiser.see(matchId)).outcome?.termination).toBe(Termination.NORMAL);
  expect(before).toEqual([1, 0]);
  expect([one.connections, two.connections]).toEqual([1, 1]);
  expect(lost.map((reason) => reason.split(": ")[0])).toEqual([first]);
  await two.close();
});

test("a service that shuts down is left for the next one", async () => {
  const other = await Service.start();
  const players: string[] = [];
  const stop = new AbortController();
  const onNotice = (notice: Notice) => {
    if (notice.type === "connected" && players.push(notice.playerId) === 1) {
      void service.kill("SIGTERM");
    } else if (notice.type === "connected") {
      stop.abort();
    }
  };
  await play({ server: `${service.server},${other.server}`, token: newToken(), bot: random, onNotice }, stop.signal);
  expect(players).toHaveLength(2);
  await other.remove();
});

test("an address that ends every connection is left for the next one", async () => {
  const broken = createServer((socket) => socket.once("data", () => socket.destroy())).listen(0, "127.0.0.1");
  await once(broken, "listening");
  const server = `127.0.0.1:${(broken.address() as AddressInfo).port},${service.server}`;
  const stop = new AbortController();
  const told: string[] = [];
  const onNotice = ({ type }: Notice) => {
    told.push(type);
    if (type === "connected") {
      stop.abort();
    }
  };
  await play({ server, token: newToken(), bot: random, firstPatienceMs: 2000, onNotice }, stop.signal);
  expect(told).toEqual(["disconnected", "connected"]);
  broken.close();
});

test("calls pass over what is not there, and leave what does not answer", async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const hung = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const client = new Client({ server: [await nothing(), hung, service.server].join(","), token: newToken() });
  const late = await client.players.whoAmI({}, { timeoutMs: 200 }).catch(serviceError);
  expect(late).toMatchObject({ isTransient: true, message: expect.stringMatching(`ECONNREFUSED.*; http://${hung}: .* timed out`) });
  expect(client.address).toBe(service.server);
  expect(await client.players.whoAmI({})).toMatchObject({ playerId: expect.stringMatching(/^[0-9a-f]{32}$/) });
  client.close();
  sockets.forEach((socket) => socket.destroy());
  silent.close();
});

test("an address that takes no connection, or takes them and never answers, is left for the next one", async () => {
  const hole = await BlackHole.open();
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const hung = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  // Two that do not answer take all of the time that the program waits for one.
  const whoami = (...servers: string[]) =>
    run(["whoami", "--server", servers.join(), "--token", newToken()], {}, new AbortController().signal);
  const lostOn = async (...servers: string[]) => {
    const stop = new AbortController();
    const lost: string[] = [];
    const onNotice = (notice: Notice) => {
      if (notice.type === "connected") {
        stop.abort();
      } else if (notice.type === "disconnected") {
        lost.push(notice.reason);
      }
    };
    await play({ server: servers.join(), token: newToken(), bot: random, onNotice }, stop.signal);
    return lost;
  };
  const [first, second, ...lost] = await Promise.all([
    whoami(hung, hole.server, service.server),
    whoami(hole.server, service.server),
    lostOn(await nothing(), hung, service.server),
    lostOn(hole.server, service.server),
  ]);
  expect([first, second]).toEqual([0, 0]);
  expect(lost).toEqual([[`${hung}: no answer within 5 s`], []]);
  sockets.forEach((socket) => socket.destroy());
  silent.close();
  await hole.close();
});

test("addresses from which nothing comes back are left one after the other, however short the calls are", async () => {
  const holes = [await BlackHole.open(), await BlackHole.open()];
  const client = new Client({ server: [...holes.map(({ server }) => server), service.server].join(","), token: newToken() });
  for (const { server } of holes) {
    expect(client.address).toBe(server);
    const late = await client.players.whoAmI({}, { timeoutMs: 100 }).catch(serviceError);
    expect(late).toMatchObject({ isTransient: true, message: expect.stringContaining(`${server}: the connection timed out`) });
  }
  expect(await client.players.whoAmI({})).toMatchObject({ playerId: expect.stringMatching(/^[0-9a-f]{32}$/) });
  client.close();
  await Promise.all(holes.map((hole) => hole.close()));
});

test("where nothing is there, the error names each address", async () => {
  const addresses = [await nothing(), await nothing()];
  const client = new Client({ server: addresses.join(","), token: newToken() });
  const error = await client.players.whoAmI({}).catch(serviceError);
  expect(error).toMatchObject({ isTransient: true, isTls: false });
  const [one, two] = addresses.map((address) => `${address}: connect ECONNREFUSED ${address.replace("http://", "")}`);
  expect(String(error)).toBe(`${one}; ${two} (Unavailable)`);
});

test.each([
  ["http://127.0.0.1:1,localhost", '"localhost" is not a service address: it has no port'],
  ["127.0.0.1:1,", '"" is not a service address: it has no host'],
  ["http://127.0.0.1:1,https://127.0.0.1:2", "all addresses of a service use https, or none"],
  ["127.0.0.1:1,192.0.2.1:2", "in the clear: http://192.0.2.1:2 does not use TLS"],
  [Array(17).fill("127.0.0.1:1").join(","), "more than 16"],
])("an invalid list: %s", (server, fault) => {
  const connect = () => new Client({ server, token: newToken() });
  expect(connect).toThrow(TypeError);
  expect(connect).toThrow(fault);
});
