#!/usr/bin/env node
import { run } from "./run.js";

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.once(signal, () => stop.abort());
}
// What a bot has left behind, such as timers, does not keep the program alive.
process.exit(await run(process.argv.slice(2), process.env, stop.signal));
