import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { readFileSync } from "node:fs";

import { create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { CallOptions } from "@connectrpc/connect";

import { Client, readTlsFiles, type ClientOptions } from "../client.js";
import { ServiceError, SessionError, isReason, serviceError } from "../errors.js";
import { MatchState, TimeControlSchema, type Match, type TimeControl } from "../gen/dragontooth/v1/match_pb.js";
import { matchResult, seatOf, wireSeat } from "../match_info.js";
import { REASONS } from "../reasons.js";
import { REPLICA_MS } from "../replicas.js";
import { Backoff } from "../session/backoff.js";
import { Session } from "../session/session.js";
import { share } from "../session/share.js";
import { HELP, TARGET, read, type Agreement, type Arguments } from "./arguments.js";
import { EXIT, Failure, usage } from "./exit.js";
import { loadBot, type LoadedBot } from "./load_bot.js";
import * as report from "./report.js";

/** Longest time for an attempt at a call: a service that takes connections may never answer. */
const CALL_MS = 20_000;
/** Shortest time for one, so that a service that is there can answer however short the wait is. */
const LEAST_CALL_MS = 1000;

/** Runs a command line and returns the exit code; errors go to standard error. */
export async function run(words: readonly string[], env: NodeJS.ProcessEnv, stop: AbortSignal): Promise<number> {
  try {
    return await command(read(words, env), stop);
  } catch (error) {
    if (stop.aborted && error === stop.reason) {
      return EXIT.done;
    }
    const failure = failureOf(error);
    report.say(`dragontooth: ${failure.message}`);
    return failure.exit;
  }
}

async function command(parsed: Arguments, stop: AbortSignal): Promise<number> {
  if (parsed.help) {
    process.stdout.write(HELP);
    return EXIT.done;
  }
  if (parsed.version) {
    const own = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    process.stdout.write(`dragontooth ${(JSON.parse(own) as { version: string }).version}\n`);
    return EXIT.done;
  }
  switch (parsed.command) {
    case "play":
      return await play(parsed, stop);
    case "whoami":
      return await whoami(parsed, stop);
    case "explain":
      return explain(parsed.rest);
    case undefined:
      throw usage("missing command: play, whoami or explain; see --help");
    default:
      throw usage(`unknown command ${JSON.stringify(parsed.command)}; see --help`);
  }
}

async function play(parsed: Arguments, stop: AbortSignal): Promise<number> {
  if (parsed.bot === undefined) {
    throw usage("missing --bot FILE[:NAME], the module of the bot");
  }
  check(parsed);
  const options = service(parsed);
  const bot = await loadBot(parsed.bot, parsed.options);
  const name = parsed.name ?? bot.name;
  const joined = await join(parsed, options, bot, name, stop);
  if (joined?.isOver || stop.aborted) {
    return EXIT.done;
  }
  const session = new Session({
    ...options,
    bot: bot.make,
    name,
    seed: parsed.botSeed,
    drawSecret: parsed.drawSecret,
    accept: (match) => bot.games?.includes(match.game) ?? true,
    accepts: parsed.accepts.length === 0 ? (bot.games ?? []).map((game) => ({ game })) : parsed.accepts,
    build: parsed.build,
    matchesAtOnce: parsed.matchesAtOnce,
    omitLegalActions: parsed.omitLegalActions,
    firstPatienceMs: parsed.waitMs,
    patienceMs: parsed.patienceMs,
    onNotice: (notice) => report.say(report.notice(notice)),
    ...(parsed.drawSeed === undefined ? {} : { drawSeed: parsed.drawSeed }),
    ...(parsed.matches === undefined ? {} : { matches: parsed.matches }),
    ...(joined === undefined ? {} : { matchId: joined.matchId }),
  });
  const summary = await session.run(stop);
  report.say(report.summary(summary));
  return summary.failures === 0 ? EXIT.done : EXIT.botFailed;
}

/** Refuses options that do not go together. */
function check(parsed: Arguments): void {
  if (parsed.match !== undefined && (parsed.game !== undefined || parsed.matches !== undefined)) {
    throw usage("--match cannot be combined with --new or --matches");
  }
  if (parsed.game !== undefined && parsed.matches !== undefined) {
    throw usage("--new cannot be combined with --matches");
  }
  const { target, variant, time, seed, title } = parsed;
  if (parsed.game === undefined && [target, variant, time, seed, title].some((value) => value !== undefined)) {
    throw usage("--target, --variant, --time, --seed and --title need --new");
  }
}

/** Takes the seat that the command line asks for, in a new match or another; none if it asks for none. */
async function join(
  parsed: Arguments,
  options: ClientOptions,
  bot: LoadedBot,
  name: string,
  stop: AbortSignal,
): Promise<{ matchId: string; isOver: boolean } | undefined> {
  if (parsed.match === undefined && parsed.game === undefined) {
    return undefined;
  }
  if (parsed.game !== undefined && !(bot.games?.includes(parsed.game) ?? true)) {
    throw usage(`the bot does not play ${JSON.stringify(parsed.game)}`);
  }
  const client = new Client(options);
  try {
    const found = await matchToJoin(parsed, client, stop);
    const matchId = found?.id ?? "";
    const { playerId } = await insist(parsed, stop, (call) => client.players.whoAmI({}, call));
    // An earlier program may have joined, perhaps with another share of the seed.
    const held = found?.seats.find((info) => info.joined && info.playerId === playerId);
    const seed = held?.seed ?? parsed.drawSeed ?? share(parsed.drawSecret, found?.seedCommitment ?? "");
    const answer = await insist(parsed, stop, (call) =>
      client.matches.joinMatch({ matchId, seat: wireSeat(parsed.seat), name: held?.name ?? name, seed }, call),
    );
    const { match, seat } = answer;
    const isOver = match?.state === MatchState.ENDED;
    if (match !== undefined) {
      const own = seatOf(seat);
      report.say(isOver ? report.closed(matchResult(match, own)) : `match ${matchId} joined: ${own} seat`);
    }
    return { matchId, isOver };
  } finally {
    client.close();
  }
}

/** Reads the match to join, or creates it. Who may create one need not be allowed to read it. */
async function matchToJoin(parsed: Arguments, client: Client, stop: AbortSignal): Promise<Match | undefined> {
  const matchId = parsed.match;
  if (matchId !== undefined) {
    return (await insist(parsed, stop, (call) => client.matches.getMatch({ matchId }, call))).match;
  }
  const control = parsed.time === undefined ? undefined : timeControl(parsed.time);
  const request = {
    game: parsed.game ?? "",
    target: parsed.target ?? TARGET,
    variant: parsed.variant ?? "",
    seed: parsed.seed ?? "",
    title: parsed.title ?? "",
    requestId: randomUUID(),
    ...(control === undefined ? {} : { timeControl: control }),
  };
  const { match } = await insist(parsed, stop, (call) => client.matches.createMatch(request, call));
  report.say(`match ${match?.id ?? ""} created; the opponent joins it with --match`);
  return match;
}

async function whoami(parsed: Arguments, stop: AbortSignal): Promise<number> {
  const client = new Client(service(parsed));
  try {
    const { playerId } = await insist(parsed, stop, (call) => client.players.whoAmI({}, call));
    process.stdout.write(`${playerId}\n`);
  } finally {
    client.close();
  }
  return EXIT.done;
}

function explain(reasons: readonly string[]): number {
  const names = reasons.length === 0 ? Object.keys(REASONS) : reasons.map((name) => name.toUpperCase());
  for (const name of names) {
    if (!isReason(name)) {
      throw usage(`unknown reason ${JSON.stringify(name)}; explain without a reason lists all of them`);
    }
    const { code, meaning, advice } = REASONS[name];
    process.stdout.write(`${name} (${code})\n  ${meaning}\n  A bot: ${advice}\n`);
  }
  return EXIT.done;
}

function service(parsed: Arguments): ClientOptions {
  if (parsed.token === undefined) {
    throw usage("no token: set --token or DRAGONTOOTH_TOKEN to the player's secret, 16 to 256 visible ASCII characters");
  }
  let tls;
  try {
    tls = readTlsFiles(parsed.tls);
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
  return { server: parsed.server, token: parsed.token, tls, insecureNoTls: parsed.insecureNoTls };
}

/**
 * Calls the service until it is there, as long as the user wants to wait for it. Throws the reason of `stop` once that is
 * aborted.
 */
async function insist<T>(parsed: Arguments, stop: AbortSignal, call: (options: CallOptions) => Promise<T>): Promise<T> {
  const started = performance.now();
  const leftMs = () => parsed.waitMs - (performance.now() - started);
  const others = parsed.server.split(",").length - 1;
  // Each address is asked, however short the wait is.
  const leastMs = others === 0 ? LEAST_CALL_MS : (others + 1) * REPLICA_MS;
  const backoff = new Backoff();
  for (;;) {
    stop.throwIfAborted();
    try {
      const timeoutMs = Math.ceil(Math.min(Math.max(leftMs(), leastMs), CALL_MS + others * REPLICA_MS));
      return await call({ signal: stop, timeoutMs });
    } catch (error) {
      stop.throwIfAborted();
      const failure = serviceError(error);
      if (!failure.isTransient || leftMs() <= 0) {
        throw failure;
      }
      await wait(Math.min(backoff.pauseMs(failure.retryAfterMs), leftMs()), undefined, { signal: stop }).catch(() => {});
    }
  }
}

function timeControl(agreement: Agreement): TimeControl | undefined {
  switch (agreement.kind) {
    case "none":
      return undefined;
    case "per-action":
      return create(TimeControlSchema, {
        kind: { case: "perAction", value: { limit: durationFromMs(agreement.limitMs) } },
      });
    case "fischer": {
      const [base, increment] = [durationFromMs(agreement.baseMs), durationFromMs(agreement.moreMs)];
      return create(TimeControlSchema, { kind: { case: "fischer", value: { base, increment } } });
    }
    case "delay": {
      const [base, delay] = [durationFromMs(agreement.baseMs), durationFromMs(agreement.moreMs)];
      return create(TimeControlSchema, { kind: { case: "delay", value: { base, delay } } });
    }
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) {
    return error;
  }
  if (error instanceof SessionError) {
    switch (error.failure) {
      case "superseded": {
        const hint = "programs that play at the same time need different tokens";
        return new Failure(EXIT.superseded, `${error.message}; ${hint}`);
      }
      case "lost":
        return unreachable(error.message, error.cause?.isTls);
      case "token_refused":
      case "match_unavailable":
      case "refused":
        return new Failure(EXIT.refused, withAdvice(error.message, error.cause));
    }
  }
  if (error instanceof ServiceError) {
    const isRefusal = error.reason !== undefined || !(error.isTransient || error.isTls);
    return isRefusal ? new Failure(EXIT.refused, withAdvice(String(error), error)) : unreachable(String(error), error.isTls);
  }
  if (error instanceof TypeError) {
    return usage(error.message);
  }
  return new Failure(EXIT.system, error instanceof Error ? (error.stack ?? error.message) : String(error));
}

function unreachable(message: string, isTls = false): Failure {
  const hint = isTls
    ? "does the service speak TLS (if not, its address begins with http://)? --tls-ca names the certificates to trust," +
      " --tls-cert and --tls-key the client certificate"
    : "is the service running there, and is the address of --server right?";
  return new Failure(EXIT.unreachable, `${message}; ${hint}`);
}

function withAdvice(message: string, error: ServiceError | undefined): string {
  return error?.advice === undefined ? message : `${message}. ${error.advice}`;
}
