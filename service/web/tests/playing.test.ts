// Playing by hand, in a real browser and by the keyboard alone.
import { afterAll, beforeAll, expect, test } from "vitest";

import { MatchState, Seat, Termination } from "../src/gen/dragontooth/v1/match_pb.js";
import { Browser, clockedTab, type Tab } from "./browser.js";
import { Pair, Service } from "./service.js";

let browser: Browser;
let service: Service;
let greedy: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([Browser.start(), Service.start()]);
  greedy = service.bot("greedy");
});

afterAll(async () => {
  await browser.end();
  await service.remove();
});

/** Presses Tab until something with this role and name has the focus. */
async function tabTo(tab: Tab, description: string): Promise<void> {
  const { page } = tab;
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      const label = element instanceof HTMLInputElement || element instanceof HTMLSelectElement ? element.labels?.[0]?.innerText : element?.innerText;
      return (label ?? "").trim();
    });
    if (focused.startsWith(description)) {
      return;
    }
  }
  throw new Error(`the keyboard does not reach ${description}`);
}

/** Creates a match against greedy without the mouse. */
async function begin(tab: Tab, game: string, target: number): Promise<void> {
  const { page } = tab;
  await page.goto(`${service.web}/#/play?opponent=${greedy}`);
  const name = page.getByLabel("Your name");
  const choice = page.getByLabel("Game");
  await name.or(choice).first().waitFor();
  if (await name.isVisible()) {
    await tabTo(tab, "Your name");
    await page.keyboard.type("Ann");
    await page.keyboard.press("Enter");
    await choice.waitFor();
  }
  await tabTo(tab, "Game");
  await page.keyboard.type(game);
  await tabTo(tab, "Points to win");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(String(target));
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/match\//);
}

/** Points of the matches, if they are to be longer than usual. */
const TARGET = process.env["WEB_TEST_TARGET"];

for (const [title, usual] of [
  ["Kamisado", 3],
  ["Linja", 1],
  ["TZAAR", 1],
  ["Backgammon", 3],
] as const) {
  const target = TARGET === undefined ? usual : Number(TARGET);
  test(`a match of ${title} is played to its end by the keyboard`, async () => {
    const tab = await browser.tab();
    const { page } = tab;
    await begin(tab, title, target);
    const id = /match\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? "";
    const button = page.locator(".actions .choices").first().locator("button:not([disabled])").first();
    const outcome = page.locator(".outcome");
    let presses = 0;
    for (;;) {
      await button.or(outcome).first().waitFor();
      if (await outcome.isVisible()) {
        break;
      }
      if (presses === 0) {
        await tabTo(tab, await button.innerText());
        await tab.isAccessible();
      }
      // The focus comes back by itself after each action of the opponent.
      await page.waitForFunction(() => document.querySelector(".outcome") !== null || document.activeElement?.closest(".actions .choices") !== null);
      const before = await page.evaluate(() => [document.querySelectorAll(".steps .what").length, document.querySelector(".chosen")?.textContent]);
      await page.keyboard.press(presses % 3 === 2 ? "ArrowRight" : "Home");
      await page.keyboard.press("Enter");
      // A key that comes before the buttons have gone would go to an earlier step.
      await page.waitForFunction(
        ([steps, chosen]) => document.querySelectorAll(".steps .what").length !== steps || document.querySelector(".chosen")?.textContent !== chosen,
        before,
      );
      presses += 1;
      expect(presses).toBeLessThan(2000 * target);
    }
    const { match } = await service.api().matches.getMatch({ matchId: id });
    expect(match?.outcome?.termination).toBe(Termination.NORMAL);
    expect(Math.max(match?.score?.first ?? 0, match?.score?.second ?? 0)).toBeGreaterThanOrEqual(target);
    expect(await page.locator(".steps .end").count()).toBe(match?.gameNumber);
    await tab.close();
  });
}

test("a form that is sent before the next frame has what was chosen", async () => {
  const tab = await browser.tab();
  await tab.page.addInitScript(() => {
    const draw = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (callback) => Number(setTimeout(() => draw(callback), 500));
  });
  await begin(tab, "TZAAR", 1);
  await tab.page.getByText("TZAAR").first().waitFor();
  await tab.close();
});

test("the form has the variant that it describes, whatever was chosen before", async () => {
  const tab = await browser.tab();
  const { page } = tab;
  await page.goto(`${service.web}/#/play`);
  await page.getByRole("button", { name: "Begin" }).click();
  const variant = page.getByLabel("Variant");
  for (const game of ["kamisado", "tzaar", "kamisado", "tzaar"]) {
    await page.getByLabel("Game").selectOption(game);
    // The first variant of a game is its default.
    expect(await variant.inputValue()).toBe(await variant.locator("option").first().innerText());
    await variant.selectOption("random");
  }
  await tab.close();
});

test("squares that are clicked choose an action", async () => {
  const tab = await browser.tab();
  const { page } = tab;
  await begin(tab, "Kamisado", 1);
  const area = (name: string) => page.locator(`.board [data-area="${name}"]`);
  await page.locator(".board .can").first().waitFor();
  await area("d1").click();
  await page.getByText("Chosen: d1").waitFor();
  const targets = await page.locator(".board .can").evaluateAll((areas) => areas.map((each) => (each as SVGElement).dataset["area"]));
  expect(targets).toContain("d2");
  expect(targets).not.toContain("d8");
  await area("d2").click();
  await page.locator(".steps .what").getByText("d1d2").waitFor();
  // Who does not see the page hears whose turn it is, and how the match ends.
  const said = page.locator("[aria-live=polite], [role=status]");
  await said.getByText(/^(Your turn|Waiting for your opponent)$/).waitFor();
  const places = await said.count();
  await page.getByText("Resign", { exact: true }).click();
  await page.getByRole("button", { name: "Resign the match" }).click();
  await said.getByText(/greedy won by resignation/).waitFor();
  // The panel with the turn is gone; the place of the outcome was there before.
  expect(await said.count()).toBe(places - 1);
  expect(await page.locator(".status").innerText()).not.toMatch(/to move|moves/);
  await tab.close();
});

test("the focus is not taken from who studies an earlier step", async () => {
  const pair = await Pair.seat(service, { game: "kamisado", target: 1 });
  const tab = await browser.tab();
  const { page } = tab;
  await page.addInitScript(() => sessionStorage.setItem("token", "the-token-of-the-first"));
  await page.goto(`${service.web}/#/match/${pair.id}`);
  const button = page.locator(".actions .choices").first().locator("button");
  // The first button picks a tower, the next one plays.
  await button.first().click();
  await page.getByText("Chosen:").waitFor();
  await button.first().click();
  await tab.hasSteps(2);
  await page.getByText("Waiting for your opponent").waitFor();
  const start = page.locator(".steps button").first();
  await start.click();
  await pair.play(1);
  await page.getByText("Your turn").waitFor();
  // The buttons are there and the page was drawn with them.
  await button.first().waitFor();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  expect(await start.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByText("0 of 2", { exact: true }).waitFor();
  await tab.close();
});

test("an action that is not answered can be repeated, and is played once", async () => {
  const pair = await Pair.seat(service, { game: "kamisado", target: 1 });
  const tab = await clockedTab();
  const { page } = tab;
  await page.addInitScript(() => sessionStorage.setItem("token", "the-token-of-the-first"));
  const sent: (string | undefined)[] = [];
  await page.route("**/dragontooth.v1.GameService/SubmitAction", async (route) => {
    sent.push(route.request().postDataBuffer()?.toString("hex"));
    // The first one is swallowed.
    if (sent.length > 1) {
      await route.continue();
    }
  });
  await page.goto(`${service.web}/#/match/${pair.id}`);
  const button = page.locator(".actions .choices").first().locator("button");
  await button.first().click();
  await page.getByText("Chosen:").waitFor();
  await button.first().click();
  await expect.poll(() => sent.length).toBe(1);
  await page.clock.fastForward(10_000);
  await page.getByText("The service did not answer in time. Choose again to repeat it.").waitFor();
  await button.first().click();
  await tab.hasSteps(2);
  await page.getByRole("alert").waitFor({ state: "detached" });
  expect(sent[1]).toBe(sent[0]);
  await tab.close();
});

test("the next decision does not wait for the answer to the last action", async () => {
  const pair = await Pair.seat(service, { game: "kamisado", target: 1 });
  const tab = await clockedTab();
  const { page } = tab;
  await page.addInitScript(() => sessionStorage.setItem("token", "the-token-of-the-first"));
  let asked = 0;
  await page.route("**/dragontooth.v1.GameService/SubmitAction", async (route) => {
    asked += 1;
    // The first one is played, and its answer swallowed.
    await (asked === 1 ? route.fetch() : route.continue());
  });
  await page.goto(`${service.web}/#/match/${pair.id}`);
  const button = page.locator(".actions .choices").first().locator("button");
  await button.first().click();
  await page.getByText("Chosen:").waitFor();
  await button.first().click();
  await tab.hasSteps(2);
  await pair.play(1);
  await page.getByText("Your turn").waitFor();
  await page.clock.fastForward(10_000);
  await button.first().click();
  await tab.hasSteps(4);
  expect(await page.getByRole("alert").count()).toBe(0);
  await tab.close();
});

test("a play that is being composed outlasts a stream that ends by age", async () => {
  const aging = await Service.start("--connection-age", "1s", "--connection-age-grace", "100ms");
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const pair = await Pair.seat(aging, { game: "backgammon", target: 1 });
    const token = (await pair.mover()) === Seat.SECOND ? "the-token-of-the-second" : "the-token-of-the-first";
    await page.addInitScript((token) => sessionStorage.setItem("token", token), token);
    await page.goto(`${aging.web}/#/match/${pair.id}`);
    await page.locator(".actions .choices").first().locator("button").first().click();
    const chosen = await page.locator(".chosen strong").innerText();
    for (let streams = 0; streams < 2; streams += 1) {
      await page.waitForRequest(/WatchMatch$/);
    }
    expect(await page.locator(".chosen strong").allInnerTexts()).toEqual([chosen]);
    await page.close();
  } finally {
    await aging.remove();
  }
});

test("an open match is joined by its link", async () => {
  const [host, guest] = [await browser.tab(), await browser.tab()];
  await host.page.goto(`${service.web}/#/play`);
  await host.page.getByLabel("Your name").fill("Ann");
  await host.page.getByRole("button", { name: "Begin" }).click();
  const create = host.page.getByRole("button", { name: "Create and take my seat" });
  await create.waitFor();
  await host.isAccessible();
  await create.click();
  await host.page.getByText("Send this link").waitFor();
  await host.isAccessible();
  const link = await host.page.locator(".link code").first().innerText();
  await guest.page.goto(link);
  await guest.page.getByLabel("Your name").fill("Bob");
  await guest.page.getByRole("button", { name: "Join the match" }).click();
  await host.page.getByText("Your turn").waitFor();
  await guest.page.getByText("Waiting for your opponent").waitFor();
  await host.close();
  await guest.close();
});

test("who waits for an opponent can call the match off", async () => {
  const host = service.api("the-token-of-the-first").matches;
  const { match } = await host.createMatch({ game: "linja", target: 1 });
  const matchId = match?.id ?? "";
  await host.joinMatch({ matchId, seat: Seat.FIRST });
  const [tab, guest] = [await browser.tab(), await browser.tab()];
  await tab.page.addInitScript(() => sessionStorage.setItem("token", "the-token-of-the-first"));
  await Promise.all([tab.page.goto(`${service.web}/#/match/${matchId}`), guest.page.goto(`${service.web}/#/match/${matchId}`)]);
  await guest.page.getByRole("button", { name: "Join the match" }).waitFor();
  expect(await guest.page.getByRole("button", { name: "Call it off" }).count()).toBe(0);
  await tab.page.getByRole("button", { name: "Call it off" }).click();
  await Promise.all([tab, guest].map(({ page }) => page.getByText("No winner: called off").waitFor()));
  expect((await host.getMatch({ matchId })).match?.outcome?.termination).toBe(Termination.ABORTED);
  await Promise.all([tab, guest].map((each) => each.close()));
});

test("a seat is not lost with the answer to who takes it", async () => {
  const host = service.api("the-token-of-the-host").matches;
  const { match } = await host.createMatch({ game: "linja", target: 1 });
  await host.joinMatch({ matchId: match?.id ?? "", seat: Seat.FIRST });
  const guest = await browser.tab();
  const { page } = guest;
  const sent: (string | null | undefined)[][] = [];
  await page.route("**/dragontooth.v1.MatchService/JoinMatch", async (route) => {
    const request = route.request();
    sent.push([request.postDataBuffer()?.toString("hex"), await request.headerValue("authorization")]);
    if (sent.length === 2) {
      await route.fetch();
    }
    await route.abort();
  });
  await page.goto(`${service.web}/#/match/${match?.id}`);
  await page.getByRole("button", { name: "Join the match" }).click();
  await page.getByText("The service does not answer.").waitFor();
  await page.getByRole("button", { name: "Join the match" }).click();
  await page.getByLabel("Your decision").waitFor();
  expect(sent.length).toBe(2);
  expect(sent[1]).toEqual(sent[0]);
  await page.close();
});

test("a match whose creation was not answered is not created twice", async () => {
  const tab = await browser.tab();
  const { page } = tab;
  await page.goto(`${service.web}/#/play`);
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByLabel("Title").fill("Only once");
  for (const method of ["CreateMatch", "JoinMatch"]) {
    const url = `**/dragontooth.v1.MatchService/${method}`;
    await page.route(url, async (route) => {
      await route.fetch();
      await route.abort();
    });
    const lost = page.waitForEvent("requestfailed", (request) => request.url().endsWith(method));
    await page.getByRole("button", { name: "Create and take my seat" }).click();
    await lost;
    await page.getByText("The service does not answer.").waitFor();
    await page.unroute(url);
  }
  await page.getByRole("button", { name: "Create and take my seat" }).click();
  await page.getByText("Send this link").waitFor();
  const { matches } = await service.api().matches.listMatches({ state: MatchState.OPEN });
  expect(matches.filter(({ title }) => title === "Only once").length).toBe(1);
  await page.close();
});

test("a name that the service refuses can be changed, and leaves no open match behind", async () => {
  const tab = await browser.tab();
  const { page } = tab;
  await page.goto(`${service.web}/#/play`);
  // 41 letters, each of two bytes, of the 64 bytes that a name has at most.
  await page.getByLabel("Your name").fill("Ж".repeat(41));
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByLabel("Title").fill("A long name");
  const create = page.getByRole("button", { name: "Create and take my seat" });
  const open = async () => {
    const { matches } = await service.api().matches.listMatches({ state: MatchState.OPEN });
    return matches.filter(({ title }) => title === "A long name").length;
  };
  await create.click();
  await page.getByRole("alert").filter({ hasText: "64" }).waitFor();
  expect(await open()).toBe(0);
  await page.getByLabel("Your name").fill("Ж".repeat(32));
  await create.click();
  await page.getByText("Send this link").waitFor();
  expect(await open()).toBe(1);
  await tab.close();
});

test("a token that no browser can send is refused, and forgotten if it is there", async () => {
  const tab = await browser.tab();
  const { page } = tab;
  const unsendable = "a-secret-token-with\u200b-a-hidden-character";
  await page.goto(`${service.web}/#/play`);
  await page.getByText("I have a token").click();
  await page.getByLabel("Token").fill(unsendable);
  await page.getByRole("button", { name: "Use it" }).click();
  await page.getByRole("alert").filter({ hasText: "A token is 16 to 256" }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem("token"))).toBeNull();
  await page.evaluate((token) => sessionStorage.setItem("token", token), unsendable);
  await page.reload();
  await page.getByText("The service does not answer.").waitFor();
  await page.getByRole("button", { name: "Forget the token" }).click();
  await page.getByText("I have a token").click();
  await page.getByLabel("Token").fill(" a-token-of-a-player ");
  await page.getByRole("button", { name: "Use it" }).click();
  await page.getByText("You are").waitFor();
  await tab.close();
});
