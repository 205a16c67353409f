// Watching, in a real browser: nothing is missing, doubled or early, whatever happens on the way.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { MatchState, Seat, Visibility, type MatchEvent } from "../src/gen/dragontooth/v1/match_pb.js";
import { Browser, clockedTab } from "./browser.js";
import { Pair, Service } from "./service.js";

const LINJA = { game: "linja", target: 1 };

let browser: Browser;

beforeAll(async () => {
  browser = await Browser.start();
});

afterAll(() => browser.end());

/** The steps that the events of a match have to make. */
function stepsOf(events: readonly MatchEvent[]): string[] {
  return events.flatMap(({ event }) => {
    switch (event.case) {
      case "gameStarted":
        return ["start"];
      case "actionPlayed":
        return [event.value.action];
      case "rolled":
        return [`roll ${event.value.roll}`];
      case "turnPassed":
        return ["passes"];
      default:
        return [];
    }
  });
}

test("a match is watched to its end, replayed, taken along and verified", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const timeControl = { kind: { case: "fischer" as const, value: { base: { seconds: 300n }, increment: { seconds: 3n } } } };
    const pair = await Pair.seat(service, { game: "backgammon", target: 1, timeControl, title: "A cup, first round" });
    await page.goto(service.web);
    await page.getByRole("link", { name: /ann.*bob/ }).click();
    await page.getByText("live", { exact: false }).first().waitFor();
    await pair.play(6);
    await page.waitForFunction(() => document.querySelectorAll(".steps .spent").length === 6);
    const clocks = () => page.locator(".clock").allInnerTexts();
    const before = await clocks();
    await expect.poll(async () => (await clocks()).some((text, at) => text !== before[at]), { timeout: 5000 }).toBe(true);
    await pair.finish();
    const expected = stepsOf(await pair.events());
    await tab.hasSteps(expected.length);
    expect(await tab.steps()).toEqual(expected);
    await page.getByText(/(ann|bob) won/).waitFor();

    await page.getByRole("button", { name: "First step" }).click();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.getByText(`2 of ${expected.length - 1}`).waitFor();
    await page.waitForURL(`${service.web}/#/match/${pair.id}/2`);
    expect(await page.locator(".steps [aria-current] .what").innerText()).toBe(expected[2]);
    await page.locator(".slider input").fill("5");
    await page.getByText(`5 of ${expected.length - 1}`).waitFor();
    await page.getByLabel("Steps a second").selectOption("20");
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText(`${expected.length - 1} of ${expected.length - 1}`).waitFor();

    for (const format of ["text", "mat", "sgf", "json"]) {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: `Download ${format}` }).click(),
      ]);
      const text = readFileSync(await download.path(), "utf8");
      if (format !== "json") {
        const exported = await service.api().matches.exportMatch({ matchId: pair.id, format });
        expect(text).toBe(exported.text);
      }
      expect(text.length).toBeGreaterThan(100);
    }

    await page.getByRole("button", { name: "Verify" }).click();
    await page.locator(".findings li").nth(4).waitFor();
    const findings = await page.locator(".findings").innerText();
    expect(findings).not.toContain("Does not hold");
    expect(findings).toMatch(/chain of \d+ events ends with the hash/);
    expect(findings).toMatch(/had committed itself/);
    expect(findings).toMatch(/All draws follow from the seeds: \d+ rolls/);
    await tab.isAccessible();
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("a clock runs without the rest of the page", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    await page.addInitScript(() => {
      const draw = window.requestAnimationFrame.bind(window);
      const ticks: (() => void)[] = [];
      let frames = 0;
      window.setInterval = ((tick: () => void) => ticks.push(tick)) as typeof window.setInterval;
      window.requestAnimationFrame = (callback) => {
        frames += 1;
        return draw(callback);
      };
      // In a frame of its own, so that no other one is due. The title is set whenever the page is drawn.
      const tick = () => {
        const before = frames;
        document.title = "";
        ticks.forEach((each) => each());
        return frames > before || document.title !== "";
      };
      Object.assign(window, { draws: () => new Promise((resolve) => draw(() => resolve(tick()))) });
    });
    const base = { seconds: 300n };
    for (const kind of [undefined, { case: "fischer" as const, value: { base } }]) {
      const pair = await Pair.seat(service, { ...LINJA, ...(kind && { timeControl: { kind } }) });
      await page.goto(`${service.web}/#/match/${pair.id}`);
      // Without what the page before has left.
      await page.reload();
      await page.locator(".board svg").waitFor();
      expect(await page.evaluate("draws()")).toBe(false);
      if (kind !== undefined) {
        const running = page.locator(".to-move .clock");
        expect(await running.innerText()).toMatch(/^(5:00|4:5\d)$/);
        const before = await running.innerText();
        const now = async () => {
          await page.evaluate("draws()");
          return running.innerText();
        };
        await expect.poll(now, { timeout: 10_000 }).not.toBe(before);
      }
    }
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("a held key goes on to the end, and the address names the step at last", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const pair = await Pair.seat(service, LINJA);
    await pair.finish();
    // As browsers do that throw when the address changes too often; Chromium ignores the change.
    await page.addInitScript(() => {
      const replace = history.replaceState.bind(history);
      let left = 100;
      history.replaceState = (...change) => {
        left -= 1;
        if (left < 0) {
          throw new DOMException("The operation is insecure.", "SecurityError");
        }
        replace(...change);
      };
    });
    await page.goto(`${service.web}/#/match/${pair.id}`);
    await page.locator(".outcome").waitFor();
    const last = stepsOf(await pair.events()).length - 1;
    await page.evaluate(() => {
      const hold = (key: string) => {
        for (let presses = 0; presses < 150; presses += 1) {
          document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        }
      };
      hold("ArrowRight");
      hold("ArrowLeft");
    });
    await page.keyboard.press("ArrowRight");
    await page.getByText(`1 of ${last}`, { exact: true }).waitFor();
    await page.waitForURL(`${service.web}/#/match/${pair.id}/1`);
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("a printed match has all of its steps, and nothing to press", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const pair = await Pair.seat(service, LINJA);
    await pair.finish();
    await page.goto(`${service.web}/#/match/${pair.id}`);
    await tab.hasSteps(stepsOf(await pair.events()).length);
    const hidden = () => page.locator(".steps").evaluate((list) => list.scrollHeight - list.clientHeight);
    expect(await hidden()).toBeGreaterThan(0);
    await page.emulateMedia({ media: "print" });
    expect(await hidden()).toBe(0);
    expect(await page.locator("button:visible:not(.steps button), input:visible, select:visible").count()).toBe(0);
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("what the players thought is drawn, with the steps at which they disagreed and the game turned", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const pair = await Pair.seat(service, LINJA);
    await page.goto(`${service.web}/#/match/${pair.id}`);
    await page.getByText("live", { exact: false }).first().waitFor();
    // A turn has two actions here. Both favour ann, then they disagree, then both favour bob.
    const chances = [0.6, 0.62, 0.4, 0.38, 0.7, 0.7, 0.7, 0.7, 0.3, 0.3, 0.8, 0.8];
    const thoughts = chances.map((value) => ({ value: { case: "winProbability" as const, value } }));
    const [first = {}, ...others] = thoughts;
    const more = { depth: 7, nodes: 12345n, time: { seconds: 1n, nanos: 500_000_000 }, line: ["<b>", "x"], tags: [{ name: "net", value: "v2" }] };
    await pair.play(chances.length, [{ ...first, ...more }, ...others]);
    const played = (await pair.events()).flatMap(({ event }) => (event.case === "actionPlayed" ? [event.value] : []));
    // Nobody but a player is kept from the thoughts of the other.
    const own = await service.api().matches.exportMatch({ matchId: pair.id });
    const shown = own.events.flatMap(({ event }) => (event.case === "actionPlayed" ? [event.value] : []));
    expect(shown.map(({ thinking }) => thinking?.value.value)).toEqual(chances);
    const views = shown.map(({ seat, thinking }) => (seat === Seat.FIRST ? (thinking?.value.value as number) : 1 - (thinking?.value.value as number)));
    const latest: (number | undefined)[] = [undefined, undefined];
    const pairs = shown.map(({ seat }, at) => {
      latest[seat - 1] = views[at];
      const [one, two] = latest;
      return one === undefined || two === undefined ? undefined : ([one, two] as const);
    });
    const disagreeing = pairs.map((both) => both !== undefined && Math.abs(both[0] - both[1]) > 0.2);
    const stretches = disagreeing.filter((disagrees, at) => disagrees && disagreeing[at - 1] !== true).length;
    expect(stretches).toBeGreaterThan(0);
    await page.waitForFunction((count) => document.querySelectorAll(".thinking .disagreement").length === count, stretches);
    expect(await page.locator(".thinking polyline").count()).toBe(2);
    const points = await page.locator(".thinking polyline").evaluateAll((lines) => lines.map((line) => line.getAttribute("points")?.split(" ").length));
    expect(points).toEqual([1, 2].map((seat) => played.filter((action) => action.seat === seat).length));
    expect(await page.locator(".thinking .turn").count()).toBe(1);

    // The text of a player is text.
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.getByText("wins 60.0 % · depth 7 · 12,345 nodes · 1.5 s · expects <b>, x · net: v2").waitFor();
    // A click on the chart goes to its step.
    const box = await page.locator(".thinking svg").boundingBox();
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) - 1, (box?.y ?? 0) + 5);
    await page.getByText(`${chances.length} of ${chances.length}`, { exact: true }).waitFor();
    await tab.isAccessible();

    // A player sees the other's thoughts when the match is over, in the same view.
    const player = await browser.tab();
    await player.page.addInitScript(() => sessionStorage.setItem("token", "the-token-of-the-second"));
    await player.page.goto(`${service.web}/#/match/${pair.id}`);
    await player.page.locator(".thinking").waitFor();
    expect(await player.page.locator(".thinking polyline").count()).toBe(1);
    await pair.finish();
    await player.page.waitForFunction(() => document.querySelectorAll(".thinking polyline").length === 2);
    await player.page.getByRole("button", { name: "Verify" }).click();
    const thoughtsHold = player.page.getByText(`steps and ${chances.length} thoughts on this page are those of the chain`);
    await thoughtsHold.waitFor();
    // Thoughts that are not the recorded ones are found.
    await player.page.route("**/dragontooth.v1.MatchService/ExportMatch", async (route) => {
      const answer = await route.fetch();
      const body = Buffer.from(await answer.body());
      body.write("v3", body.lastIndexOf("v2", undefined, "latin1"));
      await route.fulfill({ response: answer, body });
    });
    await player.page.getByRole("button", { name: "Verify" }).click();
    await player.page.locator(".findings .broken").getByText("is not what this page shows").waitFor();
    await player.close();
  } finally {
    await tab.close();
    await service.remove();
  }
});

test("a match that begins with an opening verifies", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const opening = ["LOPRBYMG/8/8/8/8/8/8/gmybrpol b -"];
    const pair = await Pair.seat(service, { game: "kamisado", variant: "random", target: 1, opening });
    await pair.finish();
    await page.goto(`${service.web}/#/match/${pair.id}`);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.locator(".findings li").nth(4).waitFor();
    const findings = await page.locator(".findings").innerText();
    expect(findings).not.toContain("Does not hold");
    expect(findings).toContain("Nothing was drawn in this match.");
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("a forged match does not verify", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const pair = await Pair.seat(service, { game: "backgammon", target: 1 });
    await pair.finish();
    const last = stepsOf(await pair.events()).findLast((text) => text.includes("/")) ?? "";
    // One bit of the last record with an action changes on its way.
    await page.route("**/dragontooth.v1.MatchService/ExportMatch", async (route) => {
      const answer = await route.fetch();
      const body = await answer.body();
      const forged = Buffer.from(body);
      const place = body.lastIndexOf(last, undefined, "latin1");
      forged[place] = (forged[place] ?? 0) ^ 1;
      await route.fulfill({ response: answer, body: forged });
    });
    await page.goto(`${service.web}/#/match/${pair.id}`);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.locator(".findings .broken").nth(1).waitFor();
    const findings = await page.locator(".findings").innerText();
    expect(findings).toContain("but the service says");
    expect(findings).toContain("is not what this page shows");
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("an illegal attempt that is not the recorded one does not verify", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const pair = await Pair.seat(service, { game: "kamisado", target: 1, illegalActionLimit: 2 });
    await pair.attempt("a1b7");
    await pair.finish();
    await page.goto(`${service.web}/#/match/${pair.id}`);
    await page.locator(".steps .what").getByText("tried a1b7").waitFor();
    const verify = page.getByRole("button", { name: "Verify" });
    await verify.click();
    await page.getByText("on this page are those of the chain").waitFor();
    await page.route("**/dragontooth.v1.MatchService/ExportMatch", async (route) => {
      const answer = await route.fetch();
      const body = await answer.body();
      body.write("a1b6", body.lastIndexOf("a1b7", undefined, "latin1"));
      await route.fulfill({ response: answer, body });
    });
    await verify.click();
    await page.locator(".findings .broken").getByText("is not what this page shows").waitFor();
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("kill -9 loses and doubles nothing", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const pair = await Pair.seat(service, { game: "kamisado", target: 3 });
    await page.goto(`${service.web}/#/match/${pair.id}`);
    await pair.play(5);
    await page.waitForFunction(() => document.querySelectorAll(".steps .spent").length === 5);
    await service.kill("SIGKILL");
    await page.getByRole("alert").waitFor();
    await service.start();
    await pair.play(3);
    await page.waitForFunction(() => document.querySelectorAll(".steps .spent").length === 8);
    await page.getByRole("alert").waitFor({ state: "detached" });
    await pair.finish();
    const expected = stepsOf(await pair.events());
    await tab.hasSteps(expected.length);
    expect(await tab.steps()).toEqual(expected);
    // The browser itself says that the service did not answer for a while, and nothing else.
    const other = tab.complaints.filter((text) => !text.startsWith("Failed to load resource: net::ERR_"));
    expect(other).toEqual([]);
    await page.close();
  } finally {
    await service.remove();
  }
});

test("a player whose first questions are not answered gets the buttons all the same", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const pair = await Pair.seat(service, { game: "backgammon", target: 1 });
    await page.addInitScript(() => sessionStorage.setItem("token", "the-token-of-the-first"));
    const questions = ["PlayerService/WhoAmI", "GameService/ListGames"];
    await Promise.all(questions.map((name) => page.route(`**/dragontooth.v1.${name}`, (route) => route.abort())));
    const failed = questions.map((name) => page.waitForEvent("requestfailed", (request) => request.url().endsWith(name)));
    await page.goto(`${service.web}/#/match/${pair.id}`);
    await Promise.all([page.getByText("live", { exact: false }).first().waitFor(), ...failed]);
    await page.unrouteAll();
    await service.kill("SIGKILL");
    await page.getByRole("alert").waitFor();
    await service.start();
    await page.getByLabel("Your decision").waitFor();
    await page.getByRole("button", { name: "Download mat" }).waitFor();
    await page.close();
  } finally {
    await service.remove();
  }
});

test("a stream that does not begin is opened again", async () => {
  const service = await Service.start();
  const tab = await clockedTab();
  const { page } = tab;
  try {
    let asked = 0;
    // The first stream of each kind is swallowed.
    await page.route(/MatchService\/WatchMatch(es)?$/, async (route) => {
      asked += 1;
      await (asked % 2 === 0 ? route.continue() : undefined);
    });
    const pair = await Pair.seat(service, LINJA);
    for (const [address, seen] of [
      [`match/${pair.id}`, page.locator(".board svg")],
      ["matches", page.getByRole("link", { name: /ann.*bob/ })],
    ] as const) {
      const before = asked;
      await page.goto(`${service.web}/#/${address}`);
      await expect.poll(() => asked).toBe(before + 1);
      await page.clock.fastForward(8000);
      // Less than the rest of the patience with a stream that has begun.
      await seen.waitFor({ timeout: 12_000 });
    }
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("streams that end by age, and a tab that sleeps, go on where they were", async () => {
  const service = await Service.start("--connection-age", "1s", "--connection-age-grace", "100ms");
  const [tab, sleeper] = [await browser.tab(), await browser.tab()];
  try {
    const pair = await Pair.seat(service, { game: "backgammon", target: 1 });
    const address = `${service.web}/#/match/${pair.id}`;
    await Promise.all([tab.page.goto(address), sleeper.page.goto(address)]);
    await sleeper.hasSteps(stepsOf(await pair.events()).length);
    const devtools = await sleeper.page.context().newCDPSession(sleeper.page);
    await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
    // Long enough for every connection to end some times.
    const begun = performance.now();
    while (performance.now() - begun < 3000 && (await pair.play(1)));
    await devtools.send("Page.setWebLifecycleState", { state: "active" });
    await pair.finish();
    const expected = stepsOf(await pair.events());
    for (const each of [tab, sleeper]) {
      await each.hasSteps(expected.length);
      expect(await each.steps()).toEqual(expected);
      await each.page.close();
    }
  } finally {
    await service.remove();
  }
});

test("eight tabs of one browser all go on, though it has six connections", async () => {
  const service = await Service.start();
  const tabs = await Promise.all(Array.from({ length: 8 }, () => browser.tab()));
  try {
    // Two tabs each for four matches: one of them hears of it from the other.
    const pairs: Pair[] = [];
    for (let at = 0; at < 4; at += 1) {
      pairs.push(await Pair.seat(service, LINJA));
    }
    const pairOf = (at: number) => pairs[Math.floor(at / 2)] as Pair;
    await Promise.all(tabs.map((tab, at) => tab.page.goto(`${service.web}/#/match/${pairOf(at).id}`)));
    for (const pair of pairs) {
      await pair.play(4);
    }
    await Promise.all(tabs.map((tab) => tab.page.waitForFunction(() => document.querySelectorAll(".steps .spent").length === 4)));
    // The tab that watches for both is closed, and the other goes on by itself.
    await Promise.all([tabs[0]?.close(), tabs[2]?.close()]);
    for (const pair of pairs) {
      await pair.finish();
    }
    for (const [at, tab] of tabs.entries()) {
      if (at !== 0 && at !== 2) {
        const expected = stepsOf(await pairOf(at).events());
        await tab.hasSteps(expected.length);
        expect(await tab.steps()).toEqual(expected);
        await tab.close();
      }
    }
  } finally {
    await service.remove();
  }
});

test("with TLS all tabs share a connection of HTTP/2", async () => {
  const file = (name: string) => resolve(import.meta.dirname, "../../tests/data/tls", name);
  const service = await Service.start("--tls-cert", file("server.pem"), "--tls-key", file("server.key"));
  const web = service.web.replace("http:", "https:");
  const host = await browser.tab();
  try {
    await host.page.goto(`${web}/#/play`);
    await host.page.getByLabel("Your name").fill("Ann");
    await host.page.getByRole("button", { name: "Begin" }).click();
    await host.page.getByRole("button", { name: "Create and take my seat" }).click();
    await host.page.getByText("Waiting for players").waitFor();
    const tabs = await Promise.all(Array.from({ length: 8 }, () => browser.tab()));
    await Promise.all(tabs.map((tab) => tab.page.goto(host.page.url())));
    await Promise.all(tabs.map((tab) => tab.page.getByText("to 1 point · no clock · live").waitFor()));
    const protocols = await host.page.evaluate(() => performance.getEntries().map((entry) => (entry as PerformanceResourceTiming).nextHopProtocol));
    expect(new Set(protocols.filter((protocol) => protocol !== undefined && protocol !== ""))).toEqual(new Set(["h2"]));
    await Promise.all([host, ...tabs].map((tab) => tab.close()));
  } finally {
    await service.remove();
  }
});

test("a match that is called off is no draw", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const pair = await Pair.seat(service, LINJA);
    await pair.finish();
    const host = service.api("the-token-of-a-host").matches;
    const { match } = await host.createMatch(LINJA);
    const matchId = match?.id ?? "";
    for (const [token, seat] of [
      ["the-token-of-the-first", Seat.FIRST],
      ["the-token-of-the-second", Seat.SECOND],
    ] as const) {
      await service.api(token).matches.joinMatch({ matchId, seat });
    }
    const { match: ended } = await host.abortMatch({ matchId });
    expect(ended?.gameNumber).toBe(1);
    await page.goto(`${service.web}/#/player/${ended?.seats[0]?.playerId}`);
    await page.getByText("2 matches, 0 being played.").waitFor();
    const score = await page.locator("td").allInnerTexts();
    expect([["1", "0", "0", "100 %"], ["0", "0", "1", "0 %"]]).toContainEqual(score);
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("a picture that does not come is asked for again, after a pause", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const pair = await Pair.seat(service, LINJA);
    const asked: number[] = [];
    await page.route("**/board/**", async (route) => {
      asked.push(performance.now());
      await (asked.length < 3 ? route.abort() : route.continue());
    });
    await page.goto(`${service.web}/#/match/${pair.id}`);
    await page.locator(".board svg").waitFor();
    expect(asked.length).toBe(3);
    expect((asked[2] ?? 0) - (asked[0] ?? 0)).toBeGreaterThan(1500);
    await page.close();
  } finally {
    await service.remove();
  }
});

test("a delayed match shows nothing early, and a private one is not there", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const delay = 2000;
    const delayed = await Pair.seat(service, { ...LINJA, spectatorDelay: { seconds: 2n } });
    await page.goto(`${service.web}/#/match/${delayed.id}`);
    await tab.hasSteps(1);
    const played = Date.now();
    await delayed.play(1);
    await page.waitForFunction(() => document.querySelectorAll(".steps .spent").length === 1);
    expect(Date.now() - played).toBeGreaterThanOrEqual(delay);
    await page.getByText("shown 2 s late").waitFor();

    const own = service.api("the-token-of-the-first").matches;
    const { match: hidden } = await own.createMatch({ ...LINJA, visibility: Visibility.PRIVATE });
    expect((await own.listMatches({ state: MatchState.OPEN })).matches.length).toBe(1);
    await page.goto(`${service.web}/#/match/${hidden?.id}`);
    await page.getByText("There is no such match or player, or you may not see it.").waitFor();
    await page.goto(`${service.web}/#/matches?state=open`);
    await page.getByText("No open matches").waitFor();
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("hostile names and titles are text", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const script = "<script>document.title='owned'</script>";
    const image = "\"><img src=x onerror=alert(1)>";
    const pair = await Pair.seat(service, { ...LINJA, title: script }, [image, "W".repeat(64)]);
    const wide = await Pair.seat(service, { ...LINJA, title: "字".repeat(66) }, ["가".repeat(21), "'); drop table--"]);
    // The service takes no marks that turn the text around a name.
    const turned = Pair.seat(service, { ...LINJA, title: "\u202eevil" });
    await expect(turned).rejects.toThrow(/title/);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(service.web);
    await page.getByText(script).waitFor();
    await page.getByText("字".repeat(66)).waitFor();
    await tab.fits();
    await tab.isAccessible();
    for (const each of [pair, wide]) {
      await each.finish();
      await page.goto(`${service.web}/#/match/${each.id}`);
      await page.locator(".outcome").waitFor();
      await tab.fits();
    }
    await page.getByText("'); drop table--").first().waitFor();
    await page.goto(`${service.web}/#/matches?state=ended&q=${encodeURIComponent("onerror")}`);
    await page.getByText(image).first().waitFor();
    expect(await page.locator(".row").count()).toBe(1);
    await page.getByRole("link", { name: image }).click();
    // The name that the player has given last.
    await page.getByRole("heading", { name: "가".repeat(21) }).waitFor();
    await page.getByText("100 %").or(page.getByText("0 %")).or(page.getByText("50 %")).first().waitFor();
    await tab.fits();
    await tab.isAccessible();
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("a refused action that turns text turns nothing but itself", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const pair = await Pair.seat(service, { ...LINJA, illegalActionLimit: 2 });
    await pair.attempt("\u202elagelli");
    await page.goto(`${service.web}/#/match/${pair.id}`);
    await tab.hasSteps(2);
    for (const place of [".status strong", ".steps [aria-current] .what"]) {
      const [first, last] = await page.locator(place).evaluate((element) => {
        const [texts, ranges] = [document.createTreeWalker(element, NodeFilter.SHOW_TEXT), [] as Range[]];
        while (texts.nextNode() !== null) {
          const at = texts.currentNode.nodeValue?.indexOf("unreadable") ?? -1;
          for (const letter of at < 0 ? [] : [at, at + "unreadable".length - 1]) {
            const range = document.createRange();
            range.setStart(texts.currentNode, letter);
            range.setEnd(texts.currentNode, letter + 1);
            ranges.push(range);
          }
        }
        return ranges.map((range) => range.getBoundingClientRect().x);
      });
      expect(first).toBeLessThan(last ?? 0);
    }
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("bad links say what is wrong and lead on", async () => {
  const service = await Service.start();
  const tab = await browser.tab();
  const { page } = tab;
  try {
    const pair = await Pair.seat(service, LINJA);
    await pair.finish();
    const count = stepsOf(await pair.events()).length;
    for (const [link, words] of [
      ["nowhere", "leads to no page"],
      ["match/1", "not the id of a match"],
      ["match/01890a5d-ac96-774b-bcce-b302099a8057", "no such match"],
      ["player/x", "not the id of a player"],
      ["matches?game=chess", "game \"chess\""],
      [`match/${pair.id}/${count + 7}`, `no step ${count + 7}`],
    ] as const) {
      await page.goto(`${service.web}/#/${link}`);
      await page.getByRole("alert").filter({ hasText: words }).waitFor();
    }
    await page.getByRole("link", { name: "Show it" }).click();
    await page.getByText(`${count - 1} of ${count - 1}`).waitFor();
    await page.goto(`${service.web}/#/player/${"0".repeat(32)}`);
    await page.getByText("0 matches").waitFor();
    await tab.close();
  } finally {
    await service.remove();
  }
});

test("on a service with issued tokens the page asks for one, and says when it ends", async () => {
  const service = await Service.start("--auth", "tokens");
  try {
    await service.kill("SIGTERM");
    const token = service.token("create", "ann", "--scopes", "play,watch,create");
    await service.start();
    const match = await service.api(token).matches.createMatch({ ...LINJA, reservations: [] });
    await service.api(token).matches.joinMatch({ matchId: match.match?.id ?? "", seat: Seat.FIRST });
    const tab = await browser.tab();
    const { page } = tab;
    await page.goto(service.web);
    await page.getByText("shows its matches only to those with a token").waitFor();
    await page.getByRole("link", { name: "Enter a token" }).click();
    await page.getByLabel("Token").fill("not-a-token-of-this-service");
    await page.getByRole("button", { name: "Use it" }).click();
    await page.getByRole("alert").filter({ hasText: "not valid" }).waitFor();
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Use it" }).click();
    await page.getByText("You are").waitFor();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await page.goto(`${service.web}/#/match/${match.match?.id}`);
    await page.getByText("Waiting for players").waitFor();
    await service.kill("SIGTERM");
    const id = service.token("list").split(/\s+/)[0] ?? "";
    service.token("revoke", id);
    await service.start();
    await page.getByRole("alert").filter({ hasText: "Your token is not valid, or no longer." }).waitFor();
    await page.getByRole("link", { name: "Enter a token" }).click();
    await page.getByRole("alert").filter({ hasText: "not valid" }).waitFor();
    await page.getByLabel("Token").waitFor();
    await service.kill("SIGTERM");
    await page.goto(`${service.web}/#/matches`).catch(() => undefined);
    await page.getByText("Trying again.").waitFor();
    await page.getByRole("link", { name: "Play" }).click();
    await page.getByText("The service does not answer.").waitFor();
    // The page before says the same: only this one has the button.
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await service.start();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByLabel("Token").waitFor();
    await page.close();
  } finally {
    await service.remove();
  }
});
