// Clocks, pauses and seeds: the numbers are those of the project's other bots, or worked out by hand.
import { expect, test } from "vitest";

import { decisionSeed, randomFrom, randomSecret, share } from "../src/index.js";
import { Backoff } from "../src/session/backoff.js";
import { allowanceMs, thinkingTimeMs } from "../src/session/budget.js";
import { RoundTrips, ServerClock } from "../src/session/clocks.js";

test("a limit for each action is used up to the margin", () => {
  const control = { kind: "per_action", limitMs: 1000 } as const;
  expect(thinkingTimeMs(control, 1000, 1000, 50)).toBe(950);
  expect(thinkingTimeMs(control, 1000, 400, 50)).toBe(350);
  expect(thinkingTimeMs(control, 60, 60, 50)).toBe(15);
  expect(thinkingTimeMs(control, 60, 0, 50)).toBe(0);
});

test("a stock is spent in parts", () => {
  const control = { kind: "fischer", baseMs: 60_000, incrementMs: 500 } as const;
  expect(thinkingTimeMs(control, 60_000, 60_000, 50)).toBe(3500);
  expect(thinkingTimeMs(control, 400, 400, 50)).toBe(350);
});

test("a delay is used before the stock", () => {
  const control = { kind: "delay", baseMs: 60_000, delayMs: 2000 } as const;
  expect(thinkingTimeMs(control, 60_000, 62_000, 50)).toBe(4950);
  expect(thinkingTimeMs(control, 0, 2000, 50)).toBe(1950);
  expect(allowanceMs(control, 60_000)).toBe(62_000);
});

test("a stock never runs out", () => {
  let stock = 10_000;
  for (let decision = 0; decision < 100; decision += 1) {
    const spent = thinkingTimeMs({ kind: "fischer", baseMs: 10_000, incrementMs: 0 }, stock, stock, 35) + 1;
    expect(spent).toBeLessThan(stock);
    stock -= spent;
  }
});

test("the local clock is trusted until there is a better one", () => {
  const clock = new ServerClock(5, 1000);
  expect(clock.untilMs(1100, 35)).toBe(70);
  expect(clock.untilMs(1000, 35)).toBe(0);
});

test("the observation with the least delay counts", () => {
  const clock = new ServerClock(0, 1_000_000);
  // The service's clock is 5 s behind; its messages travel 40 ms, 2 ms and 300 ms.
  for (const [sent, travelled] of [[0, 40], [100, 2], [200, 300]] as const) {
    clock.observe(1_000_000 + sent - 5000, sent + travelled);
  }
  expect(clock.untilMs(1_001_000 - 5000, 600)).toBe(402);
});

test("what is old is forgotten", () => {
  const clock = new ServerClock(0, 0);
  clock.observe(9000, 0);
  for (const minute of [1, 2, 3]) {
    clock.observe(minute * 60_001, minute * 60_001);
  }
  expect(clock.untilMs(240_001, 240_000)).toBe(1);
});

test("no more is left than the whole clock, and not nothing unless the service's time is known", () => {
  const clock = new ServerClock(0, 1_000_000_000);
  const hour = 3_600_000;
  // The local clock is an hour behind, right, and an hour ahead.
  expect(clock.leftMs(1_000_000_000 + hour, 100, 0)).toBe(100);
  expect(clock.leftMs(1_000_000_070, 100, 0)).toBe(70);
  expect(clock.leftMs(1_000_000_000 - hour, 100, 0)).toBe(100);
  clock.observe(1_000_000_000, 0);
  expect(clock.leftMs(999_999_999, 100, 0)).toBe(0);
  expect(clock.leftMs(1_000_000_000 + hour, 100, 0)).toBe(100);
});

test("the longest of the last round trips counts", () => {
  const trips = new RoundTrips();
  expect(trips.longestMs()).toBe(20);
  trips.add(300_000);
  expect(trips.longestMs()).toBe(1000);
  for (let answer = 0; answer < 16; answer += 1) {
    trips.add(3);
  }
  expect(trips.longestMs()).toBe(3);
});

test("pauses double up to a cap, and are as long as they are asked to be", () => {
  const backoff = new Backoff();
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(() => backoff.pauseMs(undefined, 0));
  expect(pauses).toEqual([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  backoff.reset();
  expect(backoff.pauseMs(700, 1)).toBe(750);
  expect(backoff.pauseMs(3_600_000, 0)).toBe(10_000);
  const asked = [1, 2, 3, 4, 5, 6].map(() => backoff.pauseMs(2_000, 0));
  expect(asked).toEqual([2_000, 2_000, 2_000, 2_000, 3_200, 5_000]);
});

test("the seeds of decisions are those of the project's other bots", () => {
  expect(decisionSeed(7n, "demo/r1/p1/m1", "first", 4)).toBe(14072951080039446761n);
  expect(decisionSeed(2n ** 64n - 1n, "größer", "second", 1000)).toBe(1078356303632676151n);
});

test("the shares of seeds are those of the project's other bots, and random by default", () => {
  // printf 'dragontooth.share.v1\\0c0ffee' | openssl dgst -sha256 -hmac 'a secret'
  expect(share("a secret", "c0ffee")).toBe("1c502e1cc2993f45c40d46cfcc4b9e8ac1ab8222bac959f0513f2f2009890222");
  expect(randomSecret()).not.toBe(randomSecret());
});

test("random numbers follow from their seed", () => {
  // The first three values of SplitMix64 from the seed 1234567, in its authors' test vectors.
  const random = randomFrom(1234567n);
  const expected = [6457827717110365317n, 3203168211198807973n, 9817491932198370423n];
  for (const number of expected) {
    expect(random()).toBe(Number(number >> 11n) / 2 ** 53);
  }
});
