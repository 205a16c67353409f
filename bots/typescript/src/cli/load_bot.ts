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

type BotClass = new (match: MatchInfo, options: Readonly<Record<string, string>>) => Bot;

/** Loads `FILE[:NAME]`: a class with `choose`, a function that is `choose`, or an object that has it. */
export async function loadBot(text: string, options: Readonly<Record<string, string>>): Promise<LoadedBot> {
  const [, file = text, exported] = /^(.+?)(?::([A-Za-z_$][\w$]*))?$/.exec(text) ?? [];
  const path = resolve(file);
  if (!existsSync(path)) {
    throw usage(`there is no file ${path}`);
  }
  let module: Record<string, unknown>;
  try {
    module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    throw usage(`${file} cannot be loaded: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
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
  throw usage(`the ${what} of ${file} is no bot: neither a class or an object with choose(decision) nor a function`);
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
    throw usage("the bot's games are a list of names, such as [\"kamisado\"]");
  }
  return games;
}
