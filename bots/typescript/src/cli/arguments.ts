import { parseArgs, type ParseArgsConfig } from "node:util";

import { parseAcceptedGame, type AcceptedGame } from "../accepted_game.js";
import { DEFAULT_SERVER } from "../address.js";
import type { Seat } from "../match_info.js";
import { MATCHES_AT_ONCE } from "../session/options.js";
import { randomSecret } from "../session/share.js";
import { usage } from "./exit.js";

/** The points that win a new match if none are set. */
export const TARGET = 3;

/** Longest name of a player and share of the seed, in bytes of UTF-8. */
const MAX_TEXT_BYTES = 64;

/** The whole help. */
export const HELP = `Plays board games against other bots on a Dragontooth service.

Usage: dragontooth play [OPTIONS] --bot FILE[:NAME]
       dragontooth whoami [OPTIONS]
       dragontooth explain [REASON]

  play     Play matches. Without --match or --new, accept invitations until
           SIGTERM, SIGINT or SIGHUP.
  whoami   Print the id of the player that owns the token.
  explain  Explain the reasons of refusals, with advice for bots.

The service and the player:
  --server URL          address of the service; several, separated by commas,
                        are replicas: the next is used when one fails
                        [env: DRAGONTOOTH_SERVER]
                        [default: ${DEFAULT_SERVER}]
  --token SECRET        the player's secret, 16 to 256 visible ASCII characters
                        [env: DRAGONTOOTH_TOKEN]
  --tls-ca FILE         certificate authorities to trust for https, in PEM
                        [env: DRAGONTOOTH_TLS_CA]
  --tls-cert FILE       client certificate, in PEM [env: DRAGONTOOTH_TLS_CERT]
  --tls-key FILE        key of the client certificate, in PEM
                        [env: DRAGONTOOTH_TLS_KEY]
  --insecure-no-tls     send the token in the clear to http addresses other than
                        the loopback [env: DRAGONTOOTH_INSECURE_NO_TLS=true]
  --wait TIME           time to wait for a service that is not running yet
                        [default: 10s]

Playing:
  --bot FILE[:NAME]     module of the bot: its default export, or the export
                        NAME. A class with a method choose(decision) is
                        instantiated for each match, with the match and the
                        options; a function is choose itself. A static field or
                        an export "games" lists the games that it plays
  --option NAME=VALUE   option of the bot; may be repeated
                        [env: DRAGONTOOTH_OPTIONS, one per line]
  --bot-seed N          seed of the bot's random choices, a whole number
                        [env: DRAGONTOOTH_SEED] [default: 0]
  --name NAME           name of the player in matches, at most 64 bytes, unless
                        its token is issued [default: the bot's]
  --draw-seed TEXT      your share of the seed for dice and other draws, at most
                        64 bytes, instead of a random one for each seed, which
                        is derived from DRAGONTOOTH_DRAW_SECRET if it is set
  --match ID            join this match and exit when it is over
  --new GAME            create a match, take a seat and exit when it is over;
                        takes --target N [default: ${TARGET}], --variant NAME, --time
                        CONTROL (none, per-action:2s, fischer:5m+2s or
                        delay:5m+2s), --seed TEXT and --title TEXT
  --seat SEAT           seat to take in that match: first or second
  --matches N           exit after N matches
  --accept TERMS        accept only invitations to matches with these terms:
                        GAME, GAME:3, GAME:1-7, GAME/VARIANT:3 or
                        GAME:3@60+0.5 (@60d0.5, @1s, @none); may be repeated,
                        and is shown in the service's list of players
  --build TEXT          build of the bot, such as v12 or a commit, at most 64
                        bytes; shown in the list of players
                        [env: DRAGONTOOTH_BUILD]
  --matches-at-once N   play at most N matches at once [default: ${MATCHES_AT_ONCE}]
  --no-legal-actions    leave the legal actions out of the decisions
  --patience TIME       time to keep reconnecting after a lost connection
                        [default: 10m]

Events are logged on standard error, one per line.

Exit codes:
  0  done, or stopped by SIGINT, SIGTERM or SIGHUP
  1  the operating system reported an error
  2  the command line is wrong, or the bot cannot be loaded
  3  the service cannot be reached
  4  the service refused the token, the match or the request
  5  another program started playing with the same token
  6  the bot failed and resigned in at least one match
`;

const OPTIONS = {
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "V" },
  server: { type: "string" },
  token: { type: "string" },
  "tls-ca": { type: "string" },
  "tls-cert": { type: "string" },
  "tls-key": { type: "string" },
  "insecure-no-tls": { type: "boolean" },
  wait: { type: "string" },
  bot: { type: "string" },
  option: { type: "string", multiple: true },
  "bot-seed": { type: "string" },
  name: { type: "string" },
  "draw-seed": { type: "string" },
  match: { type: "string" },
  new: { type: "string" },
  target: { type: "string" },
  variant: { type: "string" },
  time: { type: "string" },
  seed: { type: "string" },
  title: { type: "string" },
  seat: { type: "string" },
  matches: { type: "string" },
  accept: { type: "string", multiple: true },
  build: { type: "string" },
  "matches-at-once": { type: "string" },
  "no-legal-actions": { type: "boolean" },
  patience: { type: "string" },
} as const satisfies ParseArgsConfig["options"];

/** A command line as it was read. */
export type Arguments = ReturnType<typeof read>;

/** Reads a command line; options take their values from the environment where they are not set. */
export function read(words: readonly string[], env: NodeJS.ProcessEnv) {
  let parsed;
  try {
    parsed = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const or = (value: string | undefined, name: string) => value ?? (env[name] === "" ? undefined : env[name]);
  const [command, ...rest] = positionals;
  return {
    command,
    rest,
    help: values.help ?? false,
    version: values.version ?? false,
    server: or(values.server, "DRAGONTOOTH_SERVER") ?? DEFAULT_SERVER,
    token: or(values.token, "DRAGONTOOTH_TOKEN"),
    tls: {
      ca: or(values["tls-ca"], "DRAGONTOOTH_TLS_CA"),
      cert: or(values["tls-cert"], "DRAGONTOOTH_TLS_CERT"),
      key: or(values["tls-key"], "DRAGONTOOTH_TLS_KEY"),
    },
    insecureNoTls: values["insecure-no-tls"] ?? env["DRAGONTOOTH_INSECURE_NO_TLS"] === "true",
    waitMs: duration("--wait", values.wait ?? "10s"),
    bot: values.bot,
    options: options([...(env["DRAGONTOOTH_OPTIONS"] ?? "").split("\n"), ...(values.option ?? [])]),
    botSeed: seed(or(values["bot-seed"], "DRAGONTOOTH_SEED") ?? "0"),
    name: shortText("--name", values.name),
    drawSeed: shortText("--draw-seed", values["draw-seed"]),
    drawSecret: or(undefined, "DRAGONTOOTH_DRAW_SECRET") ?? randomSecret(),
    match: values.match,
    game: values.new,
    target: count("--target", values.target),
    variant: values.variant,
    time: values.time === undefined ? undefined : agreement(values.time),
    seed: values.seed,
    title: values.title,
    seat: values.seat === undefined ? undefined : seat(values.seat),
    matches: count("--matches", values.matches),
    accepts: (values.accept ?? []).map(accepted),
    build: or(values.build, "DRAGONTOOTH_BUILD") ?? "",
    matchesAtOnce: count("--matches-at-once", values["matches-at-once"]) ?? MATCHES_AT_ONCE,
    omitLegalActions: values["no-legal-actions"] ?? false,
    patienceMs: duration("--patience", values.patience ?? "10m"),
  };
}

/** An agreement on time, in milliseconds; none for no clocks. */
export type Agreement =
  | { readonly kind: "none" }
  | { readonly kind: "per-action"; readonly limitMs: number }
  | { readonly kind: "fischer" | "delay"; readonly baseMs: number; readonly moreMs: number };

function agreement(text: string): Agreement {
  const match = /^(?:(none)|per-action:([^+]+)|(fischer|delay):([^+]+)\+([^+]+))$/.exec(text);
  if (match === null) {
    throw usage(`--time takes none, per-action:2s, fischer:5m+2s or delay:5m+2s, not ${JSON.stringify(text)}`);
  }
  const [, none, limit, kind, base = "", more = ""] = match;
  if (none !== undefined) {
    return { kind: "none" };
  }
  if (limit !== undefined) {
    return { kind: "per-action", limitMs: duration("--time", limit) };
  }
  return {
    kind: kind === "fischer" ? "fischer" : "delay",
    baseMs: duration("--time", base),
    moreMs: duration("--time", more),
  };
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A time such as `1m30s`, in whole milliseconds. */
function duration(option: string, text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) {
    throw usage(`${option} takes a time with a unit, such as 10s, not ${JSON.stringify(text)}`);
  }
  return Math.round(parts.reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS_MS[unit ?? ""] ?? 0), 0));
}

/** A text that the service takes: it refuses the seat of a player whose name or share of the seed is longer. */
function shortText(option: string, text: string | undefined): string | undefined {
  if (text !== undefined && Buffer.byteLength(text) > MAX_TEXT_BYTES) {
    throw usage(`${option} takes at most ${MAX_TEXT_BYTES} bytes, not ${JSON.stringify(text)}`);
  }
  return text;
}

function count(option: string, text: string | undefined): number | undefined {
  if (text === undefined) {
    return undefined;
  }
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw usage(`${option} takes a whole number from 1 to 999999, not ${JSON.stringify(text)}`);
  }
  return Number(text);
}

function accepted(text: string): AcceptedGame {
  const game = parseAcceptedGame(text);
  if (game === undefined) {
    throw usage(`--accept takes a game such as kamisado:3, kamisado/random:1-7 or kamisado:3@60+0.5, not ${JSON.stringify(text)}`);
  }
  return game;
}

function seed(text: string): bigint {
  if (!/^\d{1,20}$/.test(text)) {
    throw usage(`--bot-seed takes a whole number, not ${JSON.stringify(text)}`);
  }
  return BigInt(text);
}

function seat(text: string): Seat {
  if (text !== "first" && text !== "second") {
    throw usage(`--seat takes first or second, not ${JSON.stringify(text)}`);
  }
  return text;
}

function options(lines: readonly string[]): Record<string, string> {
  const entries = lines
    .filter((line) => line !== "")
    .map((line) => {
      const at = line.indexOf("=");
      if (at < 1) {
        throw usage(`an option has the form NAME=VALUE, not ${JSON.stringify(line)}`);
      }
      return [line.slice(0, at), line.slice(at + 1)] as const;
    });
  return Object.fromEntries(entries);
}
