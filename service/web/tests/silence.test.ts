// A service that falls silent while its connections stay open.
import { expect, test } from "vitest";

import { clockedTab } from "./browser.js";
import { Pair, Service } from "./service.js";

const LINJA = { game: "linja", target: 1 };

/** The longest patience of the page with a stream, in milliseconds. */
const PATIENCE_MS = 25_000;

test("a list says that the service is silent, and goes on after it", async () => {
  const service = await Service.start();
  const { page } = await clockedTab();
  try {
    await Pair.seat(service, LINJA);
    await page.goto(`${service.web}/#/matches`);
    await page.getByRole("link", { name: /ann.*bob/ }).waitFor();
    service.freeze();
    await page.clock.fastForward(PATIENCE_MS);
    const alert = page.getByRole("alert").filter({ hasText: "did not answer in time" });
    await alert.waitFor();
    service.thaw();
    await alert.waitFor({ state: "detached" });
    await Pair.seat(service, LINJA, ["cat", "dan"]);
    await page.getByRole("link", { name: /cat.*dan/ }).waitFor();
  } finally {
    await service.remove();
  }
});

test("a match that is watched in a browser without locks is not live while the service is silent", async () => {
  const service = await Service.start();
  const { page } = await clockedTab();
  try {
    // As on an address other than the loopback without TLS.
    await page.addInitScript(() => Object.defineProperty(navigator, "locks", { value: undefined }));
    const pair = await Pair.seat(service, LINJA);
    await page.goto(`${service.web}/#/match/${pair.id}`);
    const facts = page.locator(".facts");
    await facts.getByText("· live").waitFor();
    const asked = page.waitForRequest(/WatchMatch$/);
    service.freeze();
    await asked;
    await page.clock.fastForward(PATIENCE_MS);
    await facts.getByText("· connection lost").waitFor();
    await page.getByRole("alert").filter({ hasText: "did not answer in time" }).waitFor();
    service.thaw();
    await facts.getByText("· live").waitFor();
    await pair.play(1);
    await expect.poll(() => page.locator(".steps .spent").count()).toBe(1);
  } finally {
    await service.remove();
  }
});
