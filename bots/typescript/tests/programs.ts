// The project's own programs, as Cargo builds them.
import { execFileSync, spawn, type ChildProcessByStdio } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The folder of the programs: `DRAGONTOOTH_PROGRAMS`, or where Cargo puts them. */
const FOLDER = process.env["DRAGONTOOTH_PROGRAMS"] ?? resolve(import.meta.dirname, "../../../target/debug");

/** The path of a program. */
export function program(name: string): string {
  const path = join(FOLDER, name);
  if (!existsSync(path)) {
    throw new Error(`${path} is not there: cargo build, or name their folder in DRAGONTOOTH_PROGRAMS`);
  }
  return path;
}

/** The environment without what would set up a service or a bot. */
export function cleanEnvironment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("DRAGONTOOTH_"));
  return { ...Object.fromEntries(own), ...more };
}

/** A service in a folder of its own. */
export class Service {
  readonly #folder = mkdtempSync(join(tmpdir(), "dragontooth-"));
  readonly #data = join(this.#folder, "data");
  readonly #flags: readonly string[];
  #process: ChildProcessByStdio<null, null, Readable> | undefined;
  #address = "127.0.0.1:0";

  private constructor(flags: readonly string[]) {
    this.#flags = flags;
  }

  /** Starts a service on any free port. */
  static async start(...flags: string[]): Promise<Service> {
    const service = new Service(flags);
    await service.#start();
    return service;
  }

  get server(): string {
    return `http://${this.#address}`;
  }

  get port(): number {
    return Number(this.#address.split(":")[1]);
  }

  /** Ends it with a signal and waits until it is gone. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill(signal);
      await gone;
    }
  }

  /** Ends it with a signal and starts it again on the same port, with the same data. */
  async restart(signal: NodeJS.Signals): Promise<void> {
    await this.kill(signal);
    await this.#start();
  }

  /** Issues a token with these scopes. The service is ended for it and starts again. */
  async issue(name: string, scopes: string): Promise<string> {
    await this.kill("SIGTERM");
    const words = ["token", "create", name, "--scopes", scopes, "--data", this.#data];
    const said = execFileSync(program("dragontooth-service"), words, { env: cleanEnvironment(), encoding: "utf8" });
    await this.#start();
    return said.trim().split("\n").at(-1) ?? "";
  }

  /** Ends it and removes its data. */
  async remove(): Promise<void> {
    await this.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #start(): Promise<void> {
    const own = ["serve", "--listen", this.#address, "--data", this.#data, "--side-listen", "off"];
    const child = spawn(program("dragontooth-service"), [...own, "--log-format", "json", ...this.#flags], {
      env: cleanEnvironment(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    return new Promise((resolve, reject) => {
      const said: string[] = [];
      createInterface(child.stderr).on("line", (line) => {
        said.push(line);
        const address = /"address":"([\d.]+:\d+)"/.exec(line)?.[1];
        if (address !== undefined) {
          this.#address = address;
          resolve();
        }
      });
      child.once("exit", () => reject(new Error(`the service has ended: ${said.join("\n")}`)));
    });
  }
}
