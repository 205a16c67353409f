// The time from the recording of an action by the service until a browser on the same machine has painted it.
import { test } from "vitest";

import { Browser } from "../tests/browser.js";
import { Pair, Service } from "../tests/service.js";

/** Actions that are measured, and the pause between two. */
const ACTIONS = 200;
const PAUSE_MS = 150;

/** In the page: notes when each step is on the screen. */
function notePaints(): void {
  const paints: [steps: number, at: number][] = [];
  Object.assign(window, { paints });
  const board = document.querySelector(".board") as HTMLElement;
  new MutationObserver(() =>
    requestAnimationFrame(() => {
      const steps = document.querySelectorAll(".steps .what").length;
      // The first task after the frame: it has been painted.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => paints.push([steps, performance.timeOrigin + performance.now()]);
      port2.postMessage(undefined);
    }),
  ).observe(board, { childList: true });
}

test("painted", async () => {
  const service = await Service.start();
  const browser = await Browser.start();
  try {
    const delays: number[] = [];
    while (delays.length < ACTIONS) {
      const pair = await Pair.seat(service, { game: "kamisado", target: 15 });
      const { page } = await browser.tab();
      await page.goto(`${service.web}/#/match/${pair.id}`);
      await page.locator(".board svg").waitFor();
      await page.evaluate(notePaints);
      while (delays.length < ACTIONS && (await pair.play(1))) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
      const paints = await page.evaluate(() => (window as unknown as { paints: [number, number][] }).paints);
      const events = (await pair.events()).filter(({ event }) => ["gameStarted", "actionPlayed", "turnPassed"].includes(event.case ?? ""));
      for (const [steps, at] of paints) {
        const event = events[steps - 1];
        if (event?.event.case === "actionPlayed" && event.time !== undefined) {
          delays.push(at - (Number(event.time.seconds) * 1000 + event.time.nanos / 1e6));
        }
      }
      await page.close();
    }
    delays.sort((one, other) => one - other);
    const share = (part: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * part))]?.toFixed(1);
    console.log(`recorded to painted, ${delays.length} actions: median ${share(0.5)} ms, p99 ${share(0.99)} ms, greatest ${share(1)} ms`);
  } finally {
    await browser.end();
    await service.remove();
  }
});
