// The example bots: a greedy one is better than a random one.
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { play, type Bot } from "../src/index.js";
import { Organiser, newToken } from "./players.js";
import { Service } from "./programs.js";

let service: Service;
let organiser: Organiser;

beforeAll(async () => {
  service = await Service.start();
  organiser = new Organiser(service.server);
});

afterAll(async () => {
  organiser.client.close();
  await service.remove();
});

async function example(name: string): Promise<Bot["choose"]> {
  const path = resolve(import.meta.dirname, "../examples", name);
  return ((await import(pathToFileURL(path).href)) as { default: Bot["choose"] }).default;
}

/** Matches with their titles, from which the choices of both bots follow; dice follow from the seed and both secrets. */
const MATCHES = 20;

// A bot that is no better wins fifteen or more of twenty in one of fifty tries.
test.each(["kamisado", "linja", "tzaar", "backgammon"])("greedy beats random at %s", async (game) => {
  const tokens: [string, string] = [newToken(), newToken()];
  for (let number = 0; number < MATCHES; number += 1) {
    const seats = (number % 2 === 0 ? tokens : tokens.slice().reverse()) as [string, string];
    await organiser.match(seats, { game, title: `${game} ${number}`, seed: `${number}` });
  }
  const { server } = service;
  const [greedy, random] = await Promise.all([
    play({ server, token: tokens[0], bot: { choose: await example("greedy.js") }, matches: MATCHES, drawSecret: "a" }),
    play({ server, token: tokens[1], bot: { choose: await example("random.js") }, matches: MATCHES, drawSecret: "b" }),
  ]);
  expect(greedy.failures + random.failures).toBe(0);
  expect(greedy.won).toBeGreaterThanOrEqual(15);
});
