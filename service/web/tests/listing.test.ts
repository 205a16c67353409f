// The list of matches, in a real browser.
import { create } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { afterAll, beforeAll, expect, test } from "vitest";

import { CreateMatchRequestSchema } from "../src/gen/dragontooth/v1/match_service_pb.js";
import { Seat } from "../src/gen/dragontooth/v1/match_pb.js";
import { Browser } from "./browser.js";
import { Pair, Service } from "./service.js";

const LINJA = { game: "linja", target: 1 };

let browser: Browser;

beforeAll(async () => {
  browser = await Browser.start();
});

afterAll(() => browser.end());

test("the lists of matches move as it happens, and go on after a kill", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    let asked = 0;
    await page.route("**/dragontooth.v1.MatchService/ListMatches", async (route) => {
      asked += 1;
      await route.continue();
    });
    await page.goto(`${service.web}/#/matches?state=open`);
    await page.getByText("No open matches").waitFor();
    const own = service.api("the-token-of-the-first").matches;
    const { match } = await own.createMatch({ ...LINJA, title: "Who comes?" });
    const waiting = page.getByRole("link", { name: "Who comes?" });
    await waiting.waitFor();
    await own.joinMatch({ matchId: match?.id ?? "" });
    await service.api("the-token-of-the-second").matches.joinMatch({ matchId: match?.id ?? "" });
    await waiting.waitFor({ state: "detached" });

    await page.goto(`${service.web}/#/matches`);
    await waiting.waitFor();
    const pair = await Pair.seat(service, LINJA);
    const card = page.getByRole("link", { name: /ann.*bob/ });
    await card.waitFor();
    const board = () => card.locator("img").getAttribute("src");
    const before = await board();
    await pair.play(1);
    await expect.poll(board).not.toBe(before);
    expect(asked).toBe(0);

    await service.kill("SIGKILL");
    await page.getByText("The service does not answer.").waitFor();
    await service.start();
    await page.getByText("The service does not answer.").waitFor({ state: "detached" });
    await pair.finish();
    await card.waitFor({ state: "detached" });
    await page.goto(`${service.web}/#/matches?state=ended`);
    await page.getByText(/(ann|bob) won/).waitFor();

    await service.kill("SIGKILL");
    await page.goto(`${service.web}/#/matches?state=ended&q=ann`);
    await page.getByText("Trying again.").waitFor();
    await service.start();
    await page.getByText(/(ann|bob) won/).waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.close();
  } finally {
    await service.remove();
  }
});

test("a search says how many of the matches found it shows", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const own = service.api("the-token-of-the-first").matches;
    for (let created = 0; created < 201; created += 1) {
      await own.createMatch({ ...LINJA, title: "One of many" });
    }
    await page.goto(`${service.web}/#/matches?state=open&q=many`);
    await page.getByText("The first 200 of 201.").waitFor();
    expect(await page.locator(".row").count()).toBe(200);
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("the same search looks again", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    await page.goto(`${service.web}/#/matches?state=open&q=late`);
    await page.getByText("No open matches for “late”").waitFor();
    await service.api("the-token-of-the-first").matches.createMatch({ ...LINJA, title: "A late one" });
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "A late one" }).waitFor();
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("a player's page shows the clocks of both seats, and leads to what has ended", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const timeControl = { kind: { case: "perAction" as const, value: { limit: { seconds: 5n } } } };
    const request = create(CreateMatchRequestSchema, { ...LINJA, timeControl });
    // A seat_time_control of which the page knows nothing: the first seat has no clock.
    request.$unknown = [{ no: 26, wireType: WireType.LengthDelimited, data: new Uint8Array([2, 8, Seat.FIRST]) }];
    const own = service.api("the-token-of-the-first").matches;
    let playerId = "";
    // One more than the page lists.
    for (let created = 0; created < 51; created += 1) {
      const { match } = await own.createMatch(request);
      const joined = await own.joinMatch({ matchId: match?.id ?? "", seat: Seat.FIRST });
      playerId = joined.match?.seats[0]?.playerId ?? "";
    }
    await page.goto(`${service.web}/#/player/${playerId}`);
    await page.getByText("linja to 1, no clock against 5 s per action · waiting for players").first().waitFor();
    await page.getByRole("link", { name: "Those that have ended" }).click();
    await page.getByText("No ended matches").waitFor();
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("two presses at once turn one page", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const own = service.api("the-token-of-the-first").matches;
    for (let created = 0; created < 50; created += 1) {
      await own.createMatch({ ...LINJA, title: `Match ${created}` });
    }
    const first = () => page.locator(".row a").first();
    await page.goto(`${service.web}/#/matches?state=open`);
    await first().getByText("Match 49", { exact: true }).waitFor();
    const press = (name: string) =>
      page.getByRole("button", { name }).evaluate((button: HTMLButtonElement) => [1, 2].forEach(() => button.click()));
    // A page has 24 matches.
    await press("Older");
    await first().getByText("Match 25", { exact: true }).waitFor();
    await press("Newer");
    await first().getByText("Match 49", { exact: true }).waitFor();
    await press("Older");
    await first().getByText("Match 25", { exact: true }).waitFor();
    // There and back leads to the same page.
    await page.locator(".pager").evaluate((pager) => pager.querySelectorAll("button").forEach((button) => button.click()));
    await page.getByRole("button", { name: "Newer" }).click();
    await first().getByText("Match 49", { exact: true }).waitFor();
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("a choice of a game that is taken back at once is not shown", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    await page.goto(`${service.web}/#/matches?state=ended`);
    const game = page.getByLabel("Game");
    // Nothing else draws the page after this.
    await Promise.all([game.locator("option[value=linja]").waitFor({ state: "attached" }), page.getByText("No ended matches").waitFor()]);
    // `hashchange` comes for both changes of the address only after the second.
    await game.evaluate((select: HTMLSelectElement) => {
      const before = location.hash;
      select.value = "linja";
      select.dispatchEvent(new Event("change"));
      location.hash = before;
    });
    await expect.poll(() => game.inputValue(), { timeout: 5000 }).toBe("");
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("the choice of a game goes back and forward with the list", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    // The browser may go on before the next frame.
    await page.addInitScript(() => {
      const draw = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (callback) => Number(setTimeout(() => draw(callback), 500));
    });
    await page.goto(`${service.web}/#/matches?state=ended`);
    const game = page.getByLabel("Game");
    await game.selectOption("linja");
    await page.waitForURL(/game=linja/);
    for (const [go, shown] of [
      [() => page.goBack(), ""],
      [() => page.goForward(), "linja"],
    ] as const) {
      await go();
      await expect.poll(() => game.inputValue(), { timeout: 5000 }).toBe(shown);
    }
    await tab.close();
  } finally {
    await service.remove();
  }
});
