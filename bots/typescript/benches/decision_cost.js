// Measures the processor time of a decision: this package against a bare loop over the same transport.
//
//   npm run build && node benches/decision_cost.js [--rounds N] [--matches N] [--at-once N] [--game GAME] [--target N]
//
// Starts a service and an opponent on the loopback, from the programs in DRAGONTOOTH_PROGRAMS or else target/release.
// Each way of playing is a process of its own, which answers every decision with the first legal action; the ways take
// turns. The time is that of the whole process, all threads, between its first and its last counted decision. The bare
// loop exchanges the same messages on `Play` and does nothing else: no retries, no clocks, no reconnecting.
import { execFile, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";

import { Client, Session } from "../dist/index.js";
import { GameService, Seat } from "../dist/proto.js";

const FILE = fileURLToPath(import.meta.url);
const PROGRAMS = process.env.DRAGONTOOTH_PROGRAMS ?? resolve(FILE, "../../../../target/release");
/** Decisions before the count begins: the connection opens, and the compiler finds the hot code. */
const WARM_UP = 500;
const OWN_TOKEN = "decision-cost-of-typescript";
const OPPONENT_TOKEN = "decision-cost-opponent";
/** Never runs out; the package keeps an eye on it all the same. */
const CLOCK = { kind: { case: "fischer", value: { base: { seconds: 600n }, increment: { seconds: 1n } } } };

/** Chooses for every way of playing, and counts. */
class Meter {
  decisions = 0;
  #begin = process.cpuUsage();
  #end = this.#begin;

  choose(actions) {
    this.decisions += 1;
    this.#end = process.cpuUsage();
    if (this.decisions === WARM_UP) {
      this.#begin = this.#end;
    }
    return actions[0];
  }

  get microseconds() {
    const all = ({ user, system }) => user + system;
    return (all(this.#end) - all(this.#begin)) / (this.decisions - WARM_UP);
  }
}

/** The requests of a bare loop: a queue that waits for the next one. */
class Requests {
  #waiting = [];
  #wake = () => {};

  put(request) {
    this.#waiting.push({ request });
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      while (this.#waiting.length > 0) {
        yield this.#waiting.shift();
      }
      await new Promise((wake) => (this.#wake = wake));
    }
  }
}

async function bare(server, matches, meter) {
  const client = createClient(GameService, createGrpcTransport({ baseUrl: server }));
  const requests = new Requests();
  const stop = new AbortController();
  requests.put({ case: "start", value: {} });
  const options = { headers: { authorization: `Bearer ${OWN_TOKEN}` }, signal: stop.signal };
  let left = matches;
  for await (const { response } of client.play(requests, options)) {
    if (response.case === "decision") {
      const { matchId, decisionId, legalActions } = response.value;
      const action = meter.choose(legalActions);
      requests.put({ case: "answer", value: { matchId, decisionId, action, requestId: `${matchId}:${decisionId}` } });
    } else if (response.case === "invitation") {
      requests.put({ case: "acceptInvitation", value: { matchId: response.value.match.id } });
    } else if (response.case === "matchClosed" && (left -= 1) === 0) {
      break;
    }
  }
}

async function packaged(server, matches, meter) {
  const bot = { choose: ({ legalActions }) => meter.choose(legalActions) };
  await new Session({ server, token: OWN_TOKEN, bot, matches }).run();
}

const WAYS = { bare, package: packaged };

/** Runs a service that keeps its log in memory, until the returned function is called. */
function startService() {
  const own = ["serve", "--in-memory", "--side-listen", "off", "--listen", "127.0.0.1:0", "--log-format", "json"];
  const child = spawn(join(PROGRAMS, "dragontooth-service"), own, { stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    createInterface(child.stderr).on("line", (line) => {
      const address = /"address":"([\d.]+:\d+)"/.exec(line)?.[1];
      if (address !== undefined) {
        resolve({ server: `http://${address}`, stop: () => child.kill() });
      }
    });
    child.once("exit", () => reject(new Error("the service does not start")));
    child.once("error", reject);
  });
}

/** Plays one way to the end of its matches, in groups, and returns its microseconds per decision. */
async function measure(way, server, { matches, atOnce, game, target }) {
  const first = new Client({ server, token: OWN_TOKEN });
  const second = new Client({ server, token: OPPONENT_TOKEN });
  const seats = [
    { seat: Seat.FIRST, playerId: (await first.players.whoAmI({})).playerId },
    { seat: Seat.SECOND, playerId: (await second.players.whoAmI({})).playerId },
  ];
  const player = promisify(execFile)(process.execPath, [FILE, "--play", way, "--server", server, "--matches", `${matches}`]);
  for (let begun = 0; begun < matches; begun += atOnce) {
    const made = Array.from({ length: Math.min(atOnce, matches - begun) }, () =>
      first.matches.createMatch({ game, target, timeControl: CLOCK, reservations: seats }),
    );
    for (const { match } of await Promise.all(made)) {
      for await (const { response } of first.matches.watchMatch({ matchId: match.id })) {
        if (response.case === "closing") {
          break;
        }
      }
    }
  }
  first.close();
  second.close();
  return Number((await player).stdout);
}

function median(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function count(text) {
  if (!/^[1-9]\d*$/.test(text)) {
    throw new TypeError(`${text} is not a positive whole number`);
  }
  return Number(text);
}

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    matches: { type: "string", default: "20" },
    "at-once": { type: "string", default: "1" },
    target: { type: "string", default: "15" },
    game: { type: "string", default: "kamisado" },
    play: { type: "string" },
    server: { type: "string" },
  },
});
const matches = count(values.matches);
if (values.play !== undefined) {
  const meter = new Meter();
  await WAYS[values.play](values.server, matches, meter);
  console.log(meter.microseconds);
  process.exit();
}
const rounds = count(values.rounds);
const given = { matches, atOnce: count(values["at-once"]), target: count(values.target), game: values.game };
const { server, stop } = await startService();
const opponent = spawn(
  join(PROGRAMS, "dragontooth-bot"),
  ["play", "--bot", "random", "--server", server, "--token", OPPONENT_TOKEN],
  { stdio: "ignore" },
);
const found = Object.fromEntries(Object.keys(WAYS).map((way) => [way, []]));
try {
  for (let round = 0; round < rounds; round += 1) {
    for (const [way, times] of Object.entries(found)) {
      times.push(await measure(way, server, given));
    }
  }
} finally {
  opponent.kill();
  stop();
}
console.log(
  `${given.game}, ${matches} matches to ${given.target}, ${given.atOnce} at once; Node.js ${process.version}; ` +
    `median of ${rounds} rounds (range)`,
);
for (const [way, times] of Object.entries(found)) {
  const ratio = (median(times) / median(found.bare)).toFixed(2);
  const range = [Math.min(...times), Math.max(...times)].map(Math.round).join("-");
  console.log(`${way.padEnd(8)} ${median(times).toFixed(0).padStart(5)} µs a decision (${range}), ${ratio} x bare`);
  // For `cargo xtask bench`, which reads such lines of every benchmark.
  console.log(`figure decision/${way} ${median(times)} µs`);
}
