import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type { Bot, BotFactory } from "../bot.js";
import type { MatchInfo } from "../match_info.js";
import { usage } from "./exit.js";

/** A bot of a module. */
export interface LoadedBot {
  readonly name: string;
  readonly make: BotFactory;
  /** The games that it plays; all if it does not say. */
  readonly games: readonly string[] | undefined;
}

/** Time for Node.js to find the place of a syntax error. */
const CHECK_MS = 10_000;

type BotClass = new (match: MatchInfo, options: Readonly<Record<string, string>>) => Bot;

/** Loads `FILE[:NAME]`: a class with `choose`, a function that is `choose`, or an object that has it. */
export async function loadBot(text: string, options: Readonly<Record<string, string>>): Promise<LoadedBot> {
  const [, file = text, exported] = /^(.+?)(?::([A-Za-z_$][\w$]*))?$/.exec(text) ?? [];
  const path = resolve(file);
  if (!existsSync(path)) {
    throw usage(`file not found: ${path}`);
  }
  let module: Record<string, unknown>;
  try {
    module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    throw usage(`cannot load ${file}: ${whyNot(path, error)}`);
  }
  // TypeScript compiles `export default` to a property of what Node.js imports as the default export of a CommonJS module.
  const compiled = module["default"] as { readonly __esModule?: unknown } | null | undefined;
  if (compiled?.__esModule === true) {
    module = compiled as Record<string, unknown>;
  }
  const what = exported === undefined ? "default export" : `export ${exported}`;
  const bot = module[exported ?? "default"];
  if (bot === undefined) {
    throw usage(`${file} has no ${what}`);
  }
  const found = { name: exported ?? basename(file).replace(/\.[cm]?js$/, ""), games: gamesOf(bot, module) };
  if (typeof bot === "function") {
    if (hasChoose(bot.prototype)) {
      const Class = bot as BotClass;
      return { ...found, make: (match) => new Class(match, options) };
    }
    if (!String(bot).startsWith("class")) {
      return { ...found, make: () => ({ choose: bot as Bot["choose"] }) };
    }
  } else if (hasChoose(bot)) {
    return { ...found, make: () => bot };
  }
  throw usage(`the ${what} of ${file} is not a bot: expected a class or an object with choose(decision), or a function`);
}

/** Why a module cannot be loaded, with the place. */
function whyNot(path: string, error: unknown): string {
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (!(error instanceof SyntaxError) || told.includes("file:")) {
    return told;
  }
  // Node.js hides the place of a syntax error from the catch clause; --check parses the file without running it.
  const { status, stderr } = spawnSync(process.execPath, ["--check", path], { encoding: "utf8", timeout: CHECK_MS });
  const [checked = ""] = stderr.split("\n    at ");
  return status === 1 ? checked.trim() : `${told}\n(in a module that it imports)`;
}

function hasChoose(value: unknown): value is Bot {
  return typeof value === "object" && value !== null && "choose" in value && typeof value.choose === "function";
}

function gamesOf(bot: unknown, module: Record<string, unknown>): string[] | undefined {
  const own = typeof bot === "function" || typeof bot === "object" ? (bot as { games?: unknown } | null)?.games : undefined;
  const games = own ?? module["games"];
  if (games === undefined) {
    return undefined;
  }
  if (!Array.isArray(games) || !games.every((game) => typeof game === "string")) {
    throw usage("the bot's games must be a list of names, such as [\"kamisado\"]");
  }
  return games;
}
