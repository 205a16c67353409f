// The project's own programs, as Cargo builds them, with what tests ask of them.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { ConnectError, createClient, type Client } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

import { GameService } from "../src/gen/dragontooth/v1/game_service_pb.js";
import { Seat, type MatchEvent, type ThinkingSchema } from "../src/gen/dragontooth/v1/match_pb.js";
import { MatchService } from "../src/gen/dragontooth/v1/match_service_pb.js";

/** The folder of the programs: `DRAGONTOOTH_PROGRAMS`, or where Cargo puts them. */
const FOLDER = process.env["DRAGONTOOTH_PROGRAMS"] ?? resolve(import.meta.dirname, "../../../target/debug");

function program(name: string): string {
  const path = join(FOLDER, name);
  if (!existsSync(path)) {
    throw new Error(`${path} is not there: cargo build, or name their folder in DRAGONTOOTH_PROGRAMS`);
  }
  return path;
}

/** The environment without what would set up a service or a bot. */
function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("DRAGONTOOTH_"));
  return { ...Object.fromEntries(own), ...more };
}

/** A service with a web page, its log in a folder of its own. */
export class Service {
  readonly #folder = mkdtempSync(join(tmpdir(), "dragontooth-"));
  readonly #flags: readonly string[];
  readonly #bots: ChildProcess[] = [];
  #process: ChildProcess | undefined;
  #address = "127.0.0.1:0";
  #web = "127.0.0.1:0";

  private constructor(flags: readonly string[]) {
    this.#flags = flags;
  }

  /** Starts a service on any free ports. */
  static async start(...flags: string[]): Promise<Service> {
    const service = new Service(flags);
    await service.start();
    return service;
  }

  /** The address of the page. */
  get web(): string {
    return `http://${this.#web}`;
  }

  get #environment(): Record<string, string> {
    return { DRAGONTOOTH_SERVER: `http://${this.#address}` };
  }

  /** Has a built-in bot wait for invitations, and returns the id of its player. */
  bot(name: string): string {
    const variables = environment({ ...this.#environment, DRAGONTOOTH_TOKEN: `token-of-the-bot-${name}` });
    this.#bots.push(spawn(program("dragontooth-bot"), ["play", "--bot", name], { env: variables, stdio: "ignore" }));
    return execFileSync(program("dragontooth-bot"), ["whoami"], { env: variables, encoding: "utf8" }).trim();
  }

  /** Issues a token for a player, or revokes one; returns what the program prints last. */
  token(...words: string[]): string {
    const printed = execFileSync(program("dragontooth-service"), ["token", ...words, "--data", join(this.#folder, "data")], {
      env: environment(),
      encoding: "utf8",
    });
    return printed.trim().split("\n").at(-1) ?? "";
  }

  /** The API for a player with this token, or for anyone. */
  api(token?: string): Api {
    return new Api(this.web, token);
  }

  /** Has it fall silent, with its connections open. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  /** Has it go on after it was frozen. */
  thaw(): void {
    this.#process?.kill("SIGCONT");
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill(signal);
      await gone;
    }
  }

  endBots(): void {
    this.#bots.forEach((bot) => bot.kill("SIGKILL"));
  }

  /** Ends it and all of its bots, and removes its data. */
  async remove(): Promise<void> {
    this.endBots();
    await this.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Starts it on the ports that it had, with the data that it had. */
  start(): Promise<void> {
    const own = ["--listen", this.#address, "--web", this.#web, "--data", join(this.#folder, "data"), "--side-listen", "off"];
    const child = spawn(program("dragontooth-service"), ["serve", ...own, "--log-format", "json", ...this.#flags], {
      env: environment(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    return new Promise((resolve, reject) => {
      const said: string[] = [];
      createInterface(child.stderr).on("line", (line) => {
        said.push(line);
        const address = /"address":"([\d.]+:\d+)"/.exec(line)?.[1];
        if (address !== undefined && line.includes("web page open")) {
          this.#web = address;
        } else if (address !== undefined) {
          this.#address = address;
          resolve();
        }
      });
      child.once("exit", () => reject(new Error(`the service has ended: ${said.join("\n")}`)));
    });
  }
}

/** The API as a player calls it. */
export class Api {
  readonly games: Client<typeof GameService>;
  readonly matches: Client<typeof MatchService>;

  constructor(web: string, token: string | undefined) {
    const transport = createGrpcWebTransport({
      baseUrl: web,
      interceptors: [
        (next) => (request) => {
          if (token !== undefined) {
            request.header.set("authorization", `Bearer ${token}`);
          }
          // Some services here end connections by their age, and a call on one that is just ending fails.
          request.header.set("connection", "close");
          return next(request);
        },
      ],
    });
    this.games = createClient(GameService, transport);
    this.matches = createClient(MatchService, transport);
  }
}

/**
 * Sends a call again whose connection ends before the answer, as every client does: some services here end connections by their
 * age, and on a busy machine an answer may take longer. The call only reads, or has a request id.
 */
async function answered<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ConnectError && error.cause instanceof TypeError) {
      return call();
    }
    throw error;
  }
}

/** Thoughts that come with an action. */
export type Thoughts = MessageInitShape<typeof ThinkingSchema>;

/** A match between two players whom a test moves. */
export class Pair {
  readonly id: string;
  readonly #players: readonly [Api, Api];
  #isOver = false;

  private constructor(id: string, players: readonly [Api, Api]) {
    this.id = id;
    this.#players = players;
  }

  /** Creates a match and seats both players. */
  static async seat(service: Service, request: Parameters<Api["matches"]["createMatch"]>[0], names = ["ann", "bob"]): Promise<Pair> {
    const [first, second] = [service.api("the-token-of-the-first"), service.api("the-token-of-the-second")];
    const { match } = await first.matches.createMatch(request);
    const matchId = match?.id ?? "";
    await first.matches.joinMatch({ matchId, seat: Seat.FIRST, name: names[0] ?? "" });
    await second.matches.joinMatch({ matchId, seat: Seat.SECOND, name: names[1] ?? "" });
    return new Pair(matchId, [first, second]);
  }

  /** The seat that decides now. */
  async mover(): Promise<Seat | undefined> {
    return (await answered(() => this.#players[0].games.getDecision({ matchId: this.id }))).decision?.seat;
  }

  /** Has the seat that decides try an action that the rules forbid. */
  async attempt(action: string): Promise<void> {
    const { decision } = await this.#players[0].games.getDecision({ matchId: this.id });
    const request = { matchId: this.id, decisionId: decision?.decisionId ?? 0n, action, requestId: randomUUID() };
    const player = this.#players[decision?.seat === Seat.SECOND ? 1 : 0];
    await player.games.submitAction(request).then(
      () => Promise.reject(new Error(`${action} was played`)),
      () => undefined,
    );
  }

  /** Plays some actions, with the thoughts about each; returns false when the match is over before. */
  async play(count: number, thoughts: readonly Thoughts[] = []): Promise<boolean> {
    for (let played = 0; played < count && !this.#isOver; played += 1) {
      const { decision } = await answered(() => this.#players[0].games.getDecision({ matchId: this.id }));
      const legal = decision?.legalActions ?? [];
      // One of the middle: such games are neither the shortest nor the longest.
      const action = legal[Math.floor(legal.length / 2)] ?? "";
      const player = this.#players[decision?.seat === Seat.SECOND ? 1 : 0];
      const thinking = thoughts[played];
      const request = {
        matchId: this.id,
        decisionId: decision?.decisionId ?? 0n,
        action,
        requestId: randomUUID(),
        ...(thinking && { thinking }),
      };
      const answer = await answered(async () => player?.games.submitAction(request));
      this.#isOver = answer?.match?.outcome !== undefined;
    }
    return !this.#isOver;
  }

  /** Plays to the end. */
  async finish(): Promise<void> {
    while (await this.play(50));
  }

  /** All events so far. */
  async events(): Promise<MatchEvent[]> {
    const answer = await answered(() => this.#players[0].matches.exportMatch({ matchId: this.id }));
    return answer.events;
  }
}
