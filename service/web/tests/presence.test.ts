// Who is there, as the page of a match shows it.
import { expect, test } from "vitest";

import { Seat } from "../src/gen/dragontooth/v1/match_pb.js";
import { Browser, type Tab } from "./browser.js";
import { Service } from "./service.js";

test("a player who leaves is shown as absent, in a browser without locks too", async () => {
  const [browser, service] = await Promise.all([Browser.start(), Service.start()]);
  try {
    const playerId = service.bot("random");
    const host = service.api("the-token-of-a-host").matches;
    const seat = Seat.SECOND;
    const { match } = await host.createMatch({ game: "linja", target: 1, disconnectGrace: { seconds: 600n }, reservations: [{ seat, playerId }] });
    await host.joinMatch({ matchId: match?.id ?? "", seat: Seat.FIRST });
    const tabs: readonly Tab[] = [await browser.tab(), await browser.tab()];
    await tabs[1]?.page.addInitScript(() => Object.defineProperty(navigator, "locks", { value: undefined }));
    for (const { page } of tabs) {
      await page.goto(`${service.web}/#/match/${match?.id}`);
      // Who has no stream is absent from the start.
      await page.locator(".player").nth(1).getByText("· absent").waitFor();
      expect(await page.locator(".player").nth(0).innerText()).not.toContain("absent");
    }
    service.endBots();
    for (const { page } of tabs) {
      await page.locator(".player").nth(0).getByText("· absent").waitFor();
    }
    await Promise.all(tabs.map((tab) => tab.close()));
  } finally {
    await browser.end();
    await service.remove();
  }
});
