// Checks of a match in the browser: its hash chain, the commitment to its seed, and everything drawn.
import { fromBinary } from "@bufbuild/protobuf";

import { LONG_PATIENCE_MS, matches } from "./api.js";
import { commitment, concatenated, deal, roll, seedOfText, sha256, sharesOf, type Seeds } from "./draws.js";
import { counted, milliseconds } from "./format.js";
import type { Match, Thinking } from "./gen/dragontooth/v1/match_pb.js";
import { StoredEventSchema, type Created, type StoredEvent, type Thinking as StoredThinking } from "./gen/dragontooth/store/v1/event_pb.js";
import type { MatchLog } from "./match_log.js";
import { hex } from "./session.js";

/** What a check has found. */
export interface Finding {
  /** True if it holds, false if not; undefined if it cannot be checked. */
  readonly holds: boolean | undefined;
  /** What was checked, and what came of it. */
  readonly text: string;
}

/** A hash of a match that was noted while it was watched. */
export interface NotedHead {
  readonly sequence: number;
  readonly hash: string;
}

/** Checks a match, of which this page has seen `log` and noted heads. */
export async function verify(log: MatchLog, noted: readonly NotedHead[]): Promise<Finding[]> {
  const id = log.match?.id ?? "";
  if (globalThis.crypto.subtle === undefined) {
    return [{ holds: undefined, text: "The browser computes hashes only on pages from https:// or from this machine." }];
  }
  const { match, rawRecords } = await matches.exportMatch({ matchId: id, rawRecords: true }, { timeoutMs: LONG_PATIENCE_MS });
  if (match === undefined) {
    return [{ holds: undefined, text: "The service has sent no match." }];
  }
  if (rawRecords.length === 0) {
    const until = log.outcome === undefined ? "when the match is over" : "when all matches with this seed are over";
    const text = `The hash of event ${match.headSequence} is ${match.headHash}. Its records contain the seed of all draws, so the service sends them ${until}; note the hash to hold them against it.`;
    return [{ holds: undefined, text }];
  }
  const records = rawRecords.map((record) => new Uint8Array(record));
  const events = records.map((record) => fromBinary(StoredEventSchema, record));
  return [...(await chain(match, records, noted)), shown(log, events), ...(await draws(match, events))];
}

/** Computes the hash of every event and compares them with what the service says. */
async function chain(match: Match, records: readonly Uint8Array[], noted: readonly NotedHead[]): Promise<Finding[]> {
  const id = Uint8Array.from(match.id.replaceAll("-", "").match(/../g) ?? [], (pair) => parseInt(pair, 16));
  let head = await sha256(concatenated(new TextEncoder().encode("dragontooth.chain.v1\0"), id));
  const hashes = [hex(head)];
  for (const record of records) {
    head = await sha256(concatenated(head, record));
    hashes.push(hex(head));
  }
  const count = records.length;
  const isHead = BigInt(count) === match.headSequence && hex(head) === match.headHash;
  const findings: Finding[] = [
    {
      holds: isHead,
      text: isHead
        ? `The chain of ${counted(count, "event")} ends with the hash that the service gives: ${match.headHash}.`
        : `The chain of ${counted(count, "event")} ends with ${hex(head)}, but the service says ${match.headHash}.`,
    },
  ];
  const broken = noted.find(({ sequence, hash }) => hashes[sequence] !== hash);
  if (broken !== undefined) {
    findings.push({ holds: false, text: `At event ${broken.sequence} this page had noted another hash: ${broken.hash}.` });
  } else if (noted.some(({ sequence }) => sequence < count)) {
    const at = noted.map(({ sequence }) => sequence).join(", ");
    findings.push({ holds: true, text: `The hashes that this page noted while it watched, at event ${at}, are in the chain.` });
  }
  return findings;
}

/** Compares the steps that the page shows with the records. */
function shown(log: MatchLog, events: readonly StoredEvent[]): Finding {
  for (const step of log.steps) {
    const event = events[step.sequence - 1]?.event;
    const agrees =
      (step.kind === "start" && event?.case === "gameStarted" && event.value.position === step.position) ||
      (step.kind === "action" && event?.case === "actionPlayed" && event.value.action === step.text && Number(event.value.seat) === step.seat) ||
      (step.kind === "roll" && event?.case === "rolled" && event.value.roll === step.text) ||
      (step.kind === "pass" && event?.case === "turnPassed" && Number(event.value.seat) === step.seat) ||
      (step.kind === "refused" && event?.case === "actionRefused" && event.value.action === step.text && Number(event.value.seat) === step.seat);
    const isTold = step.thinking === undefined || (event?.case === "actionPlayed" && told(step.thinking) === recorded(event.value.thinking));
    if (!agrees || !isTold) {
      return { holds: false, text: `Event ${step.sequence} of the chain is not what this page shows.` };
    }
  }
  const thoughts = log.steps.filter(({ thinking }) => thinking !== undefined).length;
  return { holds: true, text: `All ${counted(log.steps.length, "step")} and ${counted(thoughts, "thought")} on this page are those of the chain.` };
}

/** Thoughts that the page shows, as one text. */
function told(thinking: Thinking): string {
  const micros = Math.round((milliseconds(thinking.time) ?? NaN) * 1000);
  return written(thinking, Math.round((thinking.value.value ?? NaN) * 1e6), micros);
}

/** Recorded thoughts in the same form; undefined without any. */
function recorded(thinking: StoredThinking | undefined): string | undefined {
  return thinking && written(thinking, Number(thinking.value.value), Number(thinking.timeUs));
}

function written({ value, depth, nodes, line, tags }: Thinking | StoredThinking, millionths: number, micros: number): string {
  return JSON.stringify([value.case, millionths, depth, String(nodes), micros, line, tags.map((tag) => [tag.name, tag.value])]);
}

/** Repeats every draw from the revealed seed. */
async function draws(match: Match, events: readonly StoredEvent[]): Promise<Finding[]> {
  const [created] = events.flatMap(({ event }) => (event.case === "created" ? [event.value] : []));
  if (created === undefined) {
    return [{ holds: false, text: "The first event is not the creation of the match." }];
  }
  const seeds = await seedsOf(match, created, events);
  const own = hex(await commitment(seeds.match, seeds.server));
  const keeps = own === match.seedCommitment && hex(seeds.server) === match.serverSeed;
  const findings: Finding[] = [
    {
      holds: keeps,
      text: keeps
        ? `The seed ${match.serverSeed} is the one to which the service had committed itself: ${match.seedCommitment}.`
        : `The seed in the records has the commitment ${own}, but the service had given ${match.seedCommitment}.`,
    },
  ];
  let [game, rolls, deals] = [0, 0, 0];
  for (const [at, { event }] of events.entries()) {
    const differs = (what: string, drawn: string, is: string) =>
      findings.push({ holds: false, text: `Event ${at + 1}: the seeds give the ${what} ${drawn}, but it was ${is}.` });
    if (event.case === "gameStarted") {
      game = event.value.gameNumber;
      // An opening gives the start of the first game.
      const isGiven = game === 1 && created.opening.length > 0;
      const position = isGiven ? undefined : await deal(seeds, created.game, created.variant, game);
      deals += position === undefined ? 0 : 1;
      if (position !== undefined && position !== event.value.position) {
        differs("start", position, event.value.position);
      }
    } else if (event.case === "rolled") {
      rolls += 1;
      const drawn = await roll(seeds, game, rolls);
      if (drawn !== event.value.roll) {
        differs("roll", drawn, event.value.roll);
      }
    }
  }
  if (findings.every(({ holds }) => holds === true)) {
    const text = rolls + deals === 0 ? "Nothing was drawn in this match." : `All draws follow from the seeds: ${counted(rolls, "roll")} and ${counted(deals, "drawn start")}.`;
    findings.push({ holds: true, text });
  }
  findings.push({ holds: undefined, text: "The rules were not replayed here; dragontooth-bot record verify does that too." });
  return findings;
}

async function seedsOf(match: Match, created: Created, events: readonly StoredEvent[]): Promise<Seeds> {
  const isGiven = created.seed !== "";
  // Early versions counted the shares of a given seed by the seats, and named the match.
  const isShared = isGiven && created.seedMatches > 0;
  const share = (seat: number) => {
    const joined = events.flatMap(({ event }) => (event.case === "seatJoined" && Number(event.value.seat) === seat ? [event.value.seed] : []));
    return joined[0] ?? "";
  };
  return {
    server: isGiven ? await seedOfText(created.seed) : new Uint8Array(created.drawnSeed),
    match: isShared ? "" : match.id,
    shares: sharesOf(share(1), share(2), isShared),
  };
}
