#!/usr/bin/env node
import * as report from "./report.js";
import { run } from "./run.js";

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.once(signal, () => stop.abort());
}
// The terminal or the pipe may be gone, which nobody can be told; to tell the next handler would fail again, without end.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
// A promise or a timer of one bot that fails unheard must not end the matches of the others.
process.on("uncaughtException", (thrown, origin) => {
  report.say(`an exception of the bot that it does not handle (${origin}): ${report.thrown(thrown)}`);
});
// Exits explicitly: a timer that a bot left behind must not keep the program alive.
process.exit(await run(process.argv.slice(2), process.env, stop.signal));
