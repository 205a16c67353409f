// When a connection counts as lost.
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

import { expect, test } from "vitest";

import { Watchdog } from "../src/session/watchdog.js";

/** Time without a message after which a connection counts as lost here. */
const LIMIT_MS = 50;

test("what has arrived while a bot computed counts as heard", async () => {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const client = connect((listener.address() as AddressInfo).port, "127.0.0.1");
  const [[service]] = (await Promise.all([once(listener, "connection"), once(client, "connect")])) as [[Socket], unknown];
  const seen: string[] = [];
  const lost = new Promise<void>((resolve) => {
    const watchdog = new Watchdog(LIMIT_MS, () => {
      seen.push("lost");
      resolve();
    });
    client.on("data", () => {
      seen.push("heard");
      watchdog.heard(performance.now());
    });
  });
  // It arrives at once, but nobody reads while this computes.
  service.write("heartbeat");
  const end = performance.now() + 2 * LIMIT_MS;
  while (performance.now() < end);
  await lost;
  expect(seen).toEqual(["heard", "lost"]);
  client.destroy();
  service.destroy();
  listener.close();
});
