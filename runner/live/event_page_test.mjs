// The page of an event of 200 matches in Chromium, whose runner is killed and resumed; then its report and a match.
//
// It is run in service/web, whose packages it uses. DRAGONTOOTH_PROGRAMS names the folder of the programs, CHROMIUM the
// path of the browser, and SCREENSHOTS a folder for pictures, if there are to be any.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");

const PATIENCE_MS = 300_000;
const MATCHES = 200;
const WIDTHS = [360, 768, 1280];

const programs = process.env.DRAGONTOOTH_PROGRAMS;
assert(programs, "DRAGONTOOTH_PROGRAMS is not set");

const bots = [60_000, 40_000, 30_000, 20_000, 10_000].map((nodes, at) => `[[bot]]
name = "${["amber", "birch", "cedar", "dogwood", "elm"][at]}"
builtin = "alphabeta"
options = { nodes = ${nodes}, table_mib = 1 }
`);
const event = `[event]
name = "autumn-cup"
game = "kamisado"
variant = "random"
target = 1
cycles = 10
concurrency = 6
time_control = "60+1"
[service]
direct = true
${bots.join("")}`;

const folder = await mkdtemp(join(tmpdir(), "event-page-"));
await writeFile(join(folder, "cup.toml"), event);

/** Starts the runner, and returns it with the address of its page. */
async function start(address, ...more) {
  const runner = spawn(join(programs, "dragontooth-runner"), ["run", "cup.toml", "--web", address, ...more], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const lines = createInterface({ input: runner.stderr });
  const [line] = await once(lines, "line");
  lines.on("line", () => {});
  const prefix = "the event is shown at http://";
  assert(line.startsWith(prefix), line);
  return { runner, address: line.slice(prefix.length), ended: once(runner, "exit") };
}

const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");

/** The rules of accessibility that the page breaks. */
async function accessibility(page) {
  return page.evaluate(`${axe}; axe.run().then(({ violations }) => violations.map((rule) =>
    rule.id + ": " + rule.nodes.map((node) => node.html).join(" ")))`);
}

/** Takes pictures at all widths, light and dark, and finds what is wider than the window. */
async function look(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await accessibility(page), [], `${name}, ${width} px, ${colorScheme}`);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert(beyond <= 0, `${name}: ${beyond} px beyond ${width}`);
      if (process.env.SCREENSHOTS) {
        const path = join(process.env.SCREENSHOTS, `${name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: true });
      }
    }
  }
}

/** The parts of the page that hide some of what they hold when it is printed. */
async function hiddenInPrint(page) {
  await page.emulateMedia({ media: "print" });
  const parts = await page.evaluate(() =>
    [...document.querySelectorAll("body *")]
      .filter((part) => part.scrollHeight > part.clientHeight && getComputedStyle(part).overflowY !== "visible")
      .map((part) => part.className),
  );
  await page.emulateMedia({ media: null });
  return parts;
}

/** Run in the page: notes violations of its policy, and in each state the matches that are shown twice or no more. */
function watch() {
  const noted = { violations: [], mistakes: [], seen: new Set(), states: 0 };
  globalThis.noted = noted;
  document.addEventListener("securitypolicyviolation", (violation) => {
    noted.violations.push(`${violation.violatedDirective} ${violation.blockedURI}`);
  });
  const titles = (part, selector) =>
    [...document.querySelectorAll(`#part-${part} ${selector}`)].map((node) => node.textContent.replace(/^.*\/c/, "c"));
  const check = () => {
    const over = titles("matches", "tbody th");
    const underWay = titles("under-way", "article p:last-child");
    noted.states += 1;
    if (new Set(over).size !== over.length) {
      noted.mistakes.push(`twice: ${over}`);
    }
    const both = underWay.filter((title) => over.includes(title));
    const gone = [...noted.seen].filter((title) => !over.includes(title));
    if (both.length > 0 || gone.length > 0) {
      noted.mistakes.push(`over and under way: ${both}; gone: ${gone}`);
    }
    over.forEach((title) => noted.seen.add(title));
  };
  document.addEventListener("DOMContentLoaded", () => {
    check();
    new MutationObserver(check).observe(document.querySelector("main"), { childList: true, subtree: true });
  });
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
let { runner, address, ended } = await start("127.0.0.1:0");
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const errors = [];
  let isDown = false;
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    // The browser itself reports that it cannot connect while there is no runner.
    const isAway = isDown && message.text().includes("net::ERR_");
    if (!isAway && ["error", "warning"].includes(message.type())) {
      errors.push(message.text());
    }
  });
  await page.addInitScript(watch);
  await page.goto(`http://${address}/`);
  const over = (least) => page.waitForFunction((least) => noted.seen.size >= least, least);
  await over(10);
  // So that the event is not over meanwhile.
  runner.kill("SIGSTOP");
  // A clock that runs needs no new state of the page.
  const time = await page.locator(".clock[data-since]").first().textContent();
  await page.waitForFunction((time) => document.querySelector(".clock[data-since]").textContent !== time, time);
  await look(page, "live");
  isDown = true;
  runner.kill("SIGKILL");
  await ended;
  await page.getByText("No answer from the runner").waitFor();
  const before = await page.evaluate(() => noted.seen.size);
  assert(before < MATCHES, "the event was over before the runner was killed");
  ({ runner, ended } = await start(address));
  await over(before + 1);
  isDown = false;
  await page.getByText("The event is over").waitFor();

  const noted = await page.evaluate(() => ({ ...globalThis.noted, seen: globalThis.noted.seen.size }));
  assert.deepEqual(noted.violations, []);
  assert.deepEqual(noted.mistakes, []);
  assert.equal(noted.seen, MATCHES);
  assert.equal(await page.locator("#part-matches tbody tr").count(), MATCHES);
  await page.getByText(`${MATCHES} of ${MATCHES} matches over`).waitFor();
  await look(page, "over");

  isDown = true;
  await ended;
  const file = (...path) => pathToFileURL(join(folder, "runs/autumn-cup", ...path)).href;
  await page.goto(file("report.html"));
  assert.deepEqual(await hiddenInPrint(page), []);
  await page.goto(file("matches", "c1-r1-p1-m1.html"));
  await page.evaluate(() => {
    location.hash = "#1";
  });
  await page.waitForFunction(() => document.getElementById("slider").value === "1");
  await look(page, "match");
  assert.deepEqual(await hiddenInPrint(page), []);
  assert.deepEqual(errors, []);
  console.log(`${MATCHES} matches, each shown once, in ${noted.states} states; killed after ${before}`);
} finally {
  runner.kill("SIGKILL");
  await ended;
  await browser.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
