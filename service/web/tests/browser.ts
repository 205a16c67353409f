// A real browser, Debian's Chromium, and what it says of a page.
import { chromium, type BrowserContext, type Page } from "playwright-core";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFailed, onTestFinished } from "vitest";

/** The program: `CHROMIUM`, or where Debian puts it. */
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** It is quiet: no sandbox in containers, and no calls to anywhere but the service. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A browser with a folder of its own. */
export class Browser {
  readonly #folder: string;
  readonly #context: BrowserContext;

  private constructor(folder: string, context: BrowserContext) {
    this.#folder = folder;
    this.#context = context;
  }

  static async start(): Promise<Browser> {
    const folder = mkdtempSync(join(tmpdir(), "dragontooth-browser-"));
    const context = await chromium.launchPersistentContext(folder, {
      executablePath: CHROMIUM,
      headless: true,
      args: FLAGS,
      // The certificate of the tests is from an authority that nobody knows.
      ignoreHTTPSErrors: true,
      viewport: { width: 1280, height: 900 },
    });
    context.setDefaultTimeout(30_000);
    return new Browser(folder, context);
  }

  /** A new tab; a test that fails prints what it shows. */
  async tab(): Promise<Tab> {
    const page = await this.#context.newPage();
    onTestFailed(async () => {
      const shown = page.isClosed() ? "closed" : await page.locator("body").innerText({ timeout: 1000 });
      console.log(`${page.url()}: ${shown}`);
    });
    return new Tab(page);
  }

  async end(): Promise<void> {
    await this.#context.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A tab whose clock the test moves. It has a browser of its own, because all tabs of one have the same clock. */
export async function clockedTab(): Promise<Tab> {
  const browser = await Browser.start();
  onTestFinished(() => browser.end());
  const tab = await browser.tab();
  await tab.page.clock.install();
  return tab;
}

/** A tab, with everything that the browser complained of. */
export class Tab {
  readonly page: Page;
  readonly complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) {
        this.complaints.push(message.text());
      }
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
  }

  /** The steps in the list of the match, as they are shown. */
  async steps(): Promise<string[]> {
    return (await this.page.locator(".steps .what").allTextContents()).map((text) => text.trim());
  }

  /** Ready when the list has this number of steps. */
  async hasSteps(count: number): Promise<void> {
    await this.page.waitForFunction((count) => document.querySelectorAll(".steps .what").length === count, count);
  }

  /** Fails unless axe finds nothing to complain of. */
  async isAccessible(): Promise<void> {
    await this.page.evaluate(AXE);
    const violations = await this.page.evaluate(async () => {
      const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } };
      return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    });
    expect(violations).toEqual([]);
  }

  /** Fails if something is wider than the page. */
  async fits(): Promise<void> {
    const [wide, has] = await this.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(wide).toBeLessThanOrEqual(has ?? 0);
  }

  /** Closes the tab; fails if the browser had complained. */
  async close(): Promise<void> {
    await this.page.close();
    expect(this.complaints).toEqual([]);
  }
}
