#!/usr/bin/env node
import { run } from "./run.js";

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.once(signal, () => stop.abort());
}
// Exits explicitly: a timer that a bot left behind must not keep the program alive.
process.exit(await run(process.argv.slice(2), process.env, stop.signal));
