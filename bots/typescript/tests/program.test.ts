// The program `dragontooth`, as it is built and packed.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { run as runHere } from "../src/cli/run.js";
import { Termination } from "../src/proto.js";
import { REASONS } from "../src/reasons.js";
import { Organiser, newToken } from "./players.js";
import { Service, cleanEnvironment } from "./programs.js";

const PACKAGE = resolve(import.meta.dirname, "..");
const MAIN = join(PACKAGE, "dist/cli/main.js");
const RANDOM = join(PACKAGE, "examples/random.js");
const GREEDY = join(PACKAGE, "examples/greedy.js");

let service: Service;
let organiser: Organiser;
let folder: string;

beforeAll(async () => {
  expect(existsSync(MAIN), "npm run build makes it").toBe(true);
  folder = mkdtempSync(join(tmpdir(), "dragontooth-"));
  service = await Service.start();
  organiser = new Organiser(service.server);
});

afterAll(async () => {
  organiser.client.close();
  await service.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the program with these words to its end. */
async function run(words: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  const ran = promisify(execFile)(process.execPath, [MAIN, ...words], { env: cleanEnvironment(env) });
  return await ran.then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      out: error.stdout,
      err: error.stderr,
    }),
  );
}

/** A module in a file of its own. */
function module(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function environment(token: string): Record<string, string> {
  return { DRAGONTOOTH_SERVER: service.server, DRAGONTOOTH_TOKEN: token };
}

/** Starts a program that plays until it is stopped, and waits until it is connected. */
async function player(bot: string, token: string): Promise<{ child: ChildProcess; ended: Promise<number | null> }> {
  const child = spawn(process.execPath, [MAIN, "play", "--bot", bot], {
    env: cleanEnvironment(environment(token)),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<number | null>((done) => child.once("exit", done));
  await new Promise<void>((connected, failed) => {
    createInterface(child.stderr).on("line", (line) => {
      if (line.startsWith("connected")) {
        connected();
      }
    });
    void ended.then(() => failed(new Error("it has ended")));
  });
  return { child, ended };
}

test("plays invitations and stops on a signal", async () => {
  const tokens: [string, string] = [newToken(), newToken()];
  const programs = [await player(GREEDY, tokens[0]), await player(RANDOM, tokens[1])];
  const match = await organiser.ended(await organiser.match(tokens, { target: 3 }));
  expect(match.outcome?.termination).toBe(Termination.NORMAL);
  expect(match.seats.map(({ name }) => name)).toEqual(["greedy", "random"]);
  for (const { child, ended } of programs) {
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  }
});

test("creates a match, and another program joins it", async () => {
  const words = ["play", "--bot", RANDOM, "--new", "kamisado", "--target", "1", "--time", "fischer:1m+1s", "--title", "t"];
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: cleanEnvironment(environment(newToken())),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<number | null>((done) => child.once("exit", done));
  const matchId = await new Promise<string>((found) => {
    createInterface(child.stderr).on("line", (line) => {
      const id = /match (\S+) created/.exec(line)?.[1];
      if (id !== undefined) {
        found(id);
      }
    });
  });
  const others = ["play", "--bot", RANDOM, "--match", matchId, "--seat", "second"];
  const token = newToken();
  const other = await run(others, environment(token));
  expect(other.err).toContain("ended: ");
  expect([other.code, await ended]).toEqual([0, 0]);
  // Started again, it has its seat, with the share of the seed that it gave before.
  const again = await run(others, environment(token));
  expect(again.err).toContain("ended: ");
  expect(again.code).toBe(0);
  const match = await organiser.see(matchId);
  expect(match.title).toBe("t");
  expect(match.timeControl?.kind.case).toBe("fischer");
});

test("a token that may not read matches is enough for a match of one's own", async () => {
  const strict = await Service.start("--auth", "tokens");
  const token = await strict.issue("ann", "play,create");
  const stop = new AbortController();
  const said: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    if (/connected as player/.test(String(text))) {
      stop.abort();
    }
    return said.push(String(text)) > 0;
  });
  const words = ["play", "--bot", RANDOM, "--new", "kamisado", "--server", strict.server, "--token", token];
  expect(await runHere(words, {}, stop.signal), said.join("")).toBe(0);
  expect(said.join("")).toMatch(/match \S+ created.*match \S+ joined: first seat.*connected as player/s);
  write.mockRestore();
  await strict.remove();
});

test("a bot of each form is loaded, with its options and its seed", async () => {
  const path = module(
    "forms.mjs",
    `export class Maker {
       static games = ["kamisado"];
       constructor(match, options) { this.match = match; this.options = options; }
       choose({ legalActions, seed }) {
         process.stderr.write(\`\${this.match.game} \${JSON.stringify(this.options)} \${typeof seed}\\n\`);
         return legalActions[0];
       }
     }
     export const object = { choose: ({ legalActions }) => legalActions[0] };
     export const nothing = 7;
     export default class Empty {}`,
  );
  const tokens: [string, string] = [newToken(), newToken()];
  await organiser.match([tokens[0], newToken()], { game: "linja" });
  await organiser.match(tokens);
  const env = { ...environment(tokens[0]), DRAGONTOOTH_OPTIONS: "depth=3\nbook=a=b", DRAGONTOOTH_SEED: "18446744073709551615" };
  const other = run(["play", "--bot", `${path}:object`, "--matches", "1"], environment(tokens[1]));
  const own = await run(["play", "--bot", `${path}:Maker`, "--matches", "1", "--option", "depth=4"], env);
  expect(own.err).toContain('kamisado {"depth":"4","book":"a=b"} bigint');
  expect([own.code, (await other).code]).toEqual([0, 0]);
  for (const [name, told] of [["", "not a bot"], [":nothing", "not a bot"], [":missing", "no export missing"]] as const) {
    const refused = await run(["play", "--bot", path + name], environment(newToken()));
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain(told);
  }
});

test("a bot that TypeScript compiled to a CommonJS module is loaded", async () => {
  const source = module(
    "bot.cts",
    `interface Question { legalActions: string[] }
     export const games = ["kamisado"];
     export default ({ legalActions }: Question) => legalActions[0];`,
  );
  await promisify(execFile)(join(PACKAGE, "node_modules/.bin/tsc"), ["--module", "nodenext", source], { cwd: folder });
  const tokens: [string, string] = [newToken(), newToken()];
  const other = run(["play", "--bot", RANDOM, "--matches", "1"], environment(tokens[1]));
  const bot = join(folder, "bot.cjs");
  const linja = await run(["play", "--bot", bot, "--new", "linja"], environment(tokens[0]));
  expect(linja.err).toContain('the bot does not play "linja"');
  await organiser.match(tokens);
  const own = await run(["play", "--bot", bot, "--matches", "1"], environment(tokens[0]));
  expect([own.code, (await other).code]).toEqual([0, 0]);
});

test("a failing bot is reported and has its own exit code", async () => {
  const path = module("bad.mjs", `export default () => { throw new Error("no idea"); }`);
  const tokens: [string, string] = [newToken(), newToken()];
  await organiser.match(tokens);
  const other = run(["play", "--bot", RANDOM, "--matches", "1"], environment(tokens[1]));
  const own = await run(["play", "--bot", path, "--matches", "1"], environment(tokens[0]));
  expect(own.code).toBe(6);
  expect(own.err).toMatch(/the bot failed and resigns: Error: no idea \(at .*bad\.mjs/);
  expect((await other).code).toBe(0);
});

test("an exception that nobody handles does not end the other matches", async () => {
  const path = module(
    "loose.mjs",
    `export default ({ legalActions }) => {
       Promise.reject(new Error("loose"));
       setTimeout(() => { throw new Error("late"); }, 0);
       setTimeout(() => { throw undefined; }, 0);
       setTimeout(() => { throw { [Symbol.for("nodejs.util.inspect.custom")]: () => { throw "again"; } }; }, 0);
       return legalActions[0];
     }`,
  );
  const tokens: [string, string] = [newToken(), newToken()];
  await organiser.match(tokens);
  const other = run(["play", "--bot", RANDOM, "--matches", "1"], environment(tokens[1]));
  const own = await run(["play", "--bot", path, "--matches", "1"], environment(tokens[0]));
  expect([own.code, (await other).code]).toEqual([0, 0]);
  expect(own.err).toMatch(/does not handle \(unhandledRejection\): Error: loose\n.*loose\.mjs/);
  expect(own.err).toMatch(/does not handle \(uncaughtException\): Error: late/);
  expect(own.err).toMatch(/does not handle \(uncaughtException\): undefined/);
});

test("a program whose standard error is gone plays on", async () => {
  const tokens: [string, string] = [newToken(), newToken()];
  const { child, ended } = await player(RANDOM, tokens[0]);
  child.stderr?.destroy();
  const other = run(["play", "--bot", RANDOM, "--matches", "1"], environment(tokens[1]));
  const match = await organiser.ended(await organiser.match(tokens));
  expect(match.outcome?.termination).toBe(Termination.NORMAL);
  expect((await other).code).toBe(0);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

test("a bot that cannot be loaded is reported with the place", async () => {
  const broken = module("broken.mjs", "// A bot.\nexport default class {\n  choose( {\n");
  const breaking = module("breaking.mjs", 'import "./broken.mjs";\nexport default () => "";\n');
  const throwing = module("throwing.mjs", 'JSON.parse("{");\n');
  for (const [bot, told] of [
    [broken, /cannot load .*broken\.mjs:4\n.*SyntaxError/s],
    [breaking, /cannot load .*: SyntaxError.*in a module that it imports/s],
    [throwing, /cannot load .*: SyntaxError.*throwing\.mjs:1/s],
  ] as const) {
    const refused = await run(["play", "--bot", bot], environment(newToken()));
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(told);
  }
});

test("a wrong command line, a bot that cannot be loaded, a service that is not there or refuses", async () => {
  const gone = await Service.start();
  await gone.remove();
  const token = ["--token", newToken()];
  const cases: [number, string[], RegExp][] = [
    [2, [], /missing command/],
    [2, ["dance"], /unknown command "dance"/],
    [2, ["play", "--no-such-option"], /no-such-option/],
    [2, ["play"], /missing --bot/],
    [2, ["play", "--bot", RANDOM], /no token/],
    [2, ["play", "--bot", RANDOM, "--token", "short"], /16 to 256/],
    [2, ["play", "--bot", join(folder, "none.js"), ...token], /file not found/],
    [2, ["play", "--bot", RANDOM, ...token, "--wait", "ten"], /--wait/],
    [2, ["play", "--bot", RANDOM, ...token, "--name", "b".repeat(65)], /--name takes at most 64 bytes/],
    [2, ["play", "--bot", RANDOM, ...token, "--draw-seed", "ä".repeat(33)], /--draw-seed takes at most 64 bytes/],
    [2, ["play", "--bot", RANDOM, ...token, "--new", "kamisado", "--matches", "2"], /--matches/],
    [2, ["play", "--bot", GREEDY, ...token, "--new", "chess", "--target", "1"], /does not play "chess"/],
    [2, ["play", "--bot", RANDOM, ...token, "--match", "a", "--matches", "2"], /--match/],
    [2, ["play", "--bot", RANDOM, ...token, "--tls-ca", join(folder, "none.pem")], /none\.pem/],
    [2, ["explain", "NOTHING"], /unknown reason/],
    [3, ["whoami", ...token, "--server", gone.server, "--wait", "100ms"], /ECONNREFUSED/],
    [3, ["play", "--bot", RANDOM, ...token, "--server", gone.server, "--wait", "100ms"], /ECONNREFUSED/],
    [4, ["play", "--bot", RANDOM, "--token", "dgt_no-such-token-at-all", "--server", service.server], /TOKEN_MALFORMED/],
    [4, ["play", "--bot", RANDOM, ...token, "--server", service.server, "--match", "nothing"], /FIELD_INVALID/],
    [4, ["play", "--bot", RANDOM, ...token, "--server", service.server, "--new", "chess", "--target", "1"], /UNKNOWN_GAME/],
    [4, ["play", "--bot", RANDOM, ...token, "--server", service.server, "--new", "chess", "--time", "per-action:1000.1ms"], /UNKNOWN_GAME/],
  ];
  const said: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
  for (const [code, words, told] of cases) {
    said.length = 0;
    expect(await runHere(words, {}, new AbortController().signal), words.join(" ")).toBe(code);
    expect(said.join("")).toMatch(told);
  }
  write.mockRestore();
});

test("a service that takes connections and never answers", async () => {
  let connected = () => {};
  const sockets: Socket[] = [];
  const silent = createServer((socket) => {
    sockets.push(socket);
    connected();
  }).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const server = ["--token", newToken(), "--server", `127.0.0.1:${(silent.address() as AddressInfo).port}`];
  const said: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => said.push(String(text)) > 0);
  expect(await runHere(["whoami", ...server, "--wait", "100ms"], {}, new AbortController().signal)).toBe(3);
  expect(said.join("")).toMatch(/timed out/);
  for (const words of [["whoami"], ["play", "--bot", RANDOM, "--new", "kamisado"], ["play", "--bot", RANDOM, "--match", "m"]]) {
    said.length = 0;
    const stop = new AbortController();
    connected = () => stop.abort();
    expect(await runHere([...words, ...server, "--wait", "1h"], {}, stop.signal), words.join(" ")).toBe(0);
    expect(said).toEqual([]);
  }
  write.mockRestore();
  sockets.forEach((socket) => socket.destroy());
  silent.close();
});

test("tells who one is, what a refusal means, and how to use it", async () => {
  const who = await run(["whoami"], environment(newToken()));
  expect(who).toMatchObject({ code: 0, err: "" });
  expect(who.out).toMatch(/^[0-9a-f]{32}\n$/);
  const one = await run(["explain", "illegal_action"]);
  expect(one.out).toContain("ILLEGAL_ACTION (FAILED_PRECONDITION)");
  const all = await run(["explain"]);
  expect(all.out.split("\n").filter((line) => /^[A-Z_]+ \(/.test(line))).toHaveLength(Object.keys(REASONS).length);
  const help = await run(["--help"]);
  for (const option of ["--server", "DRAGONTOOTH_TOKEN", "--bot FILE", "Exit codes"]) {
    expect(help.out).toContain(option);
  }
  expect((await run(["--version"])).out).toMatch(/^dragontooth \d+\.\d+\.\d+\n$/);
});
