// The time of a decision, which goes on while actions are refused, and of a reader whose own clock is wrong.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";

import { Clocks } from "../src/clocks.js";
import { MatchEventSchema, MatchSchema, Seat, Termination } from "../src/gen/dragontooth/v1/match_pb.js";
import { MatchLog } from "../src/match_log.js";
import { clockedTab } from "./browser.js";
import { Pair, Service } from "./service.js";

const POSITION = "OLMPYRGB/8/8/8/8/8/8/bgrypmlo b -";

type Event = NonNullable<MessageInitShape<typeof MatchEventSchema>["event"]>;

const seconds = (count: number) => ({ seconds: BigInt(count) });

/** A match in which the first seat, with a minute, has to decide from second 100 on, and is refused at second 110. */
const BEGUN: readonly [number, Event][] = [
  [
    90,
    {
      case: "created",
      value: {
        match: {
          game: "kamisado",
          seats: [Seat.FIRST, Seat.SECOND].map((seat) => ({
            seat,
            timeControl: { kind: { case: "fischer", value: { base: seconds(60) } } },
          })),
        },
      },
    },
  ],
  [100, { case: "gameStarted", value: { gameNumber: 1, position: POSITION } }],
  [110, { case: "actionRefused", value: { seat: Seat.FIRST, action: "a1a1", rule: "straight" } }],
];

/** The log of events that were recorded at these seconds. */
function logOf(events: readonly [number, Event][]): MatchLog {
  const log = new MatchLog();
  for (const [at, [second, event]] of events.entries()) {
    log.add(create(MatchEventSchema, { sequence: BigInt(at + 1), time: seconds(second), event }));
  }
  return log;
}

test("the clock of a seat runs on when an action is refused", () => {
  expect(new Clocks().left(logOf(BEGUN), 1, 115_000)).toBe(45_000);
});

test("the deadline that the service gives holds after an action that is refused", () => {
  const clocks = new Clocks();
  // The service was started again at second 105, so the clock began again.
  clocks.note(create(MatchSchema, { headSequence: 2n, decisionId: 2n, deadline: seconds(165) }));
  expect(clocks.left(logOf(BEGUN), 1, 115_000)).toBe(50_000);
});

test("who lost on time has none left, and the winner what it had", () => {
  const outcome = { winner: Seat.SECOND, termination: Termination.TIMEOUT };
  const log = logOf([...BEGUN, [160, { case: "matchEnded", value: { outcome } }]]);
  expect([1, 2].map((seat) => new Clocks().left(log, seat as Seat.FIRST | Seat.SECOND, 161_000))).toEqual([0, 60_000]);
});

test("an action took the time since its decision was due, refused ones included", () => {
  const action = { seat: Seat.FIRST, action: "a1a2", position: POSITION, receiveTime: seconds(117), remaining: seconds(43) };
  expect(logOf([...BEGUN, [117, { case: "actionPlayed", value: action }]]).last?.spent).toBe(17_000);
});

test("a clock is right on a device that is an hour fast, in a browser without locks", async () => {
  const service = await Service.start();
  const { page } = await clockedTab();
  try {
    await page.addInitScript(() => Object.defineProperty(navigator, "locks", { value: undefined }));
    await page.clock.setSystemTime(Date.now() + 3_600_000);
    const pair = await Pair.seat(service, { game: "linja", target: 1, timeControl: { kind: { case: "fischer", value: { base: seconds(300) } } } });
    await page.goto(`${service.web}/#/match/${pair.id}`);
    await page.locator(".facts").getByText("· live").waitFor();
    await expect.poll(() => page.locator(".to-move .clock").innerText(), { timeout: 5000 }).toMatch(/^(5:00|4:[345]\d)$/);
  } finally {
    await service.remove();
  }
});
