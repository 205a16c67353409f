// What is to be done about what the service says, without a service.
import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";

import { ServiceError } from "../src/errors.js";
import { PlayResponse_AnswerAcceptedSchema, PlayResponse_RefusedSchema } from "../src/gen/dragontooth/v1/game_service_pb.js";
import { DecisionSchema, MatchSchema } from "../src/gen/dragontooth/v1/match_pb.js";
import { ActiveMatches, type Effects } from "../src/session/active_matches.js";
import type { SessionOptions } from "../src/session/options.js";
import type { Answer, Due, Played } from "../src/session/played.js";

const MATCH = "0190f5fe-7c3a-7d2e-9f5b-3c1d2e4f5a6b";

/** Active matches, and what they have done. */
function fresh(more: Partial<SessionOptions>): { matches: ActiveMatches; done: unknown[] } {
  const done: unknown[] = [];
  const note =
    (name: string) =>
    (...facts: unknown[]): void => {
      done.push([name, ...facts]);
    };
  const effects: Effects = {
    accept: note("accept"),
    decline: note("decline"),
    answer: note("answer"),
    resign: note("resign"),
    ask: note("ask"),
    check: note("check"),
    retry: note("retry"),
    tell: ({ type }) => note("tell")(type),
    fail: ({ failure }) => note("fail")(failure),
  };
  const bot = { choose: () => "" };
  return { matches: new ActiveMatches({ server: "", token: "", bot, ...more }, effects, 0, 0), done };
}

/** The same with a match that is played. */
function given(): { matches: ActiveMatches; done: unknown[] } {
  const { matches, done } = fresh({ matchId: MATCH, accepts: [{ game: "linja" }] });
  matches.opened(create(MatchSchema, { id: MATCH }), "first");
  done.length = 0;
  return { matches, done };
}

/** A token may allow to play and not to watch. */
const DENIED = refusal("SCOPE_MISSING");

function refusal(reason: string): ServiceError {
  return new ServiceError("no", { code: Code.PermissionDenied, reason });
}

/** Refuses an answer to a decision; 0 for another request about the match. */
function refuse(matches: ActiveMatches, matchId: string, decisionId: bigint, reason: string): void {
  matches.refused(create(PlayResponse_RefusedSchema, { matchId, decisionId }), refusal(reason), 0);
}

/** An answer to a decision that is never due. */
function probe(matchId: string): unknown[] {
  return ["answer", { matchId, decisionId: 1n, action: "?", requestId: "" }];
}

test("a match that the token may not read continues, until an answer shows that it is over", () => {
  const { matches, done } = given();
  const probed = () => {
    matches.connected("me");
    matches.unchecked(MATCH, DENIED);
    expect(done.splice(0)).toEqual([["tell", "connected"], ["check", MATCH, 0], probe(MATCH)]);
  };
  probed();
  for (const reason of ["STALE_DECISION", "MATCH_NOT_STARTED", "NO_SEAT"]) {
    refuse(matches, MATCH, 1n, reason);
    expect(done).toEqual([]);
  }
  refuse(matches, MATCH, 1n, "LOG_UNAVAILABLE");
  expect(done.splice(0)).toEqual([["check", MATCH, expect.any(Number)]]);
  matches.opened(create(MatchSchema, { id: MATCH }), "first");
  expect(done).toEqual([]);
  probed();
  refuse(matches, MATCH, 1n, "MATCH_ENDED");
  expect(done).toEqual([["tell", "warning"]]);
  expect(matches.isDone).toBe(true);
  expect(matches.summary).toEqual({ matches: 1, won: 0, lost: 0, answers: 0, failures: 0 });
  // It is counted once.
  refuse(matches, MATCH, 1n, "MATCH_ENDED");
  expect(matches.summary.matches).toBe(1);
});

test.each(["MATCH_NOT_FOUND", "LOG_DAMAGED"])("an answer that is refused with %s shows that the match is lost", (reason) => {
  const { matches, done } = given();
  refuse(matches, MATCH, 1n, reason);
  expect(done).toEqual([["fail", "match_unavailable"]]);
});

test("an accepted match that ended during an outage leaves its place", () => {
  const { matches, done } = fresh({ matchesAtOnce: 2, matches: 3 });
  const invite = (...ids: string[]) => ids.forEach((id) => matches.invited(create(MatchSchema, { id, seedCommitment: `of ${id}` }), "first"));
  invite("a", "b", "c", "d");
  expect(done.splice(0)).toEqual([["accept", "a", "of a"], ["accept", "b", "of b"]]);
  matches.connected("me");
  invite("c", "d");
  done.length = 0;
  for (const id of ["a", "b"]) {
    matches.unchecked(id, DENIED);
  }
  expect(done.splice(0)).toEqual([probe("a"), probe("b")]);
  // The seat was taken before the match ended.
  refuse(matches, "a", 1n, "MATCH_ENDED");
  expect(done.splice(0)).toEqual([["tell", "warning"], ["accept", "c", "of c"]]);
  // It was not: the refusal of its acceptance shows that it is over.
  refuse(matches, "b", 1n, "NO_SEAT");
  expect(done.splice(0)).toEqual([["accept", "b", "of b"]]);
  refuse(matches, "b", 0n, "MATCH_ENDED");
  expect(done.splice(0)).toEqual([["tell", "warning"], ["accept", "d", "of d"]]);
  expect(matches.summary.matches).toBe(1);
});

test("a bot that has failed resigns again on a new stream, whoever is to move", () => {
  const { matches, done } = given();
  const resign = ["resign", MATCH, "no idea"];
  matches.botFailed(MATCH, { failure: "no idea" });
  expect(done.splice(0)).toEqual([resign, ["tell", "bot_failed"]]);
  // The connection was lost before the service received it, and the opponent is to move.
  matches.connected("me");
  matches.opened(create(MatchSchema, { id: MATCH }), "first");
  expect(done.splice(0)).toEqual([["tell", "connected"], ["check", MATCH, 0], resign]);
  // Or the bot is.
  matches.decision(create(DecisionSchema, { matchId: MATCH, decisionId: 4n }), 0);
  expect(done).toEqual([resign]);
  expect(matches.summary.failures).toBe(1);
});

test("an invitation whose seat cannot be taken is declined: the inviter must not wait", () => {
  const { matches, done } = fresh({ matchesAtOnce: 1 });
  for (const id of ["a", "b"]) {
    matches.invited(create(MatchSchema, { id, seedCommitment: `of ${id}` }), "first");
  }
  done.length = 0;
  refuse(matches, "a", 0n, "FIELD_INVALID");
  const declined = ["decline", "a", "this bot cannot take its seat: no (FIELD_INVALID)"];
  expect(done.splice(0)).toEqual([["tell", "warning"], declined, ["accept", "b", "of b"]]);
});

test("a bot gets every event of play once", () => {
  const { matches, done } = given();
  const due = (id: number, ...sequences: number[]) => {
    const since = sequences.map((number) => ({
      sequence: BigInt(number),
      event: { case: "action" as const, value: "a1a2" },
    }));
    matches.decision(create(DecisionSchema, { matchId: MATCH, decisionId: BigInt(id), since }), 0);
  };
  const asked = () => {
    const questions = done.splice(0).filter((effect) => (effect as unknown[])[0] === "ask");
    return questions.map((effect) => (effect as [string, Played, Due])[2].since.map(({ sequence }) => Number(sequence)));
  };
  due(6, 4, 5, 6);
  expect(asked()).toEqual([[4, 5, 6]]);
  // Its player answers this decision and the next one elsewhere, while the bot thinks.
  due(8, 7, 8);
  due(10, 9, 10);
  matches.chosen(MATCH, 6n, { action: "a1a2" }, 0);
  expect(asked()).toEqual([[7, 8, 9, 10]]);
  // On the next stream the answer is sent again, and after it comes what the bot does not know.
  matches.chosen(MATCH, 10n, { action: "a1a2" }, 0);
  matches.connected("me");
  done.length = 0;
  due(10, 9, 10);
  expect(done.splice(0).map((effect) => (effect as unknown[])[0])).toEqual(["answer"]);
  due(13, 11, 12, 13);
  expect(asked()).toEqual([[11, 12, 13]]);
});

test("the pauses of what is refused grow until something is accepted: a full service must not be flooded", () => {
  const { matches, done } = given();
  const pause = (retryAfterMs?: number) => {
    const refused = create(PlayResponse_RefusedSchema, { matchId: MATCH, decisionId: 4n });
    const error = new ServiceError("no", { code: Code.Unavailable, reason: "LOG_UNAVAILABLE", retryAfterMs });
    matches.refused(refused, error, 0);
    const [retry] = (done.splice(0) as unknown[][]).filter(([name]) => name === "retry");
    return retry?.[2];
  };
  for (const longest of [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]) {
    const refused = pause();
    expect(refused).toBeGreaterThanOrEqual(longest / 2);
    expect(refused).toBeLessThanOrEqual(longest);
  }
  matches.accepted(create(PlayResponse_AnswerAcceptedSchema, { matchId: MATCH, decisionId: 4n }), 0);
  const asked = pause(900);
  expect(asked).toBeGreaterThanOrEqual(900);
  expect(asked).toBeLessThanOrEqual(950);
});

test("an answer whose request id is used is sent once more, if its decision is still due", () => {
  const { matches, done } = given();
  const reused = new ServiceError("used before", { code: Code.AlreadyExists, reason: "REQUEST_ID_REUSED" });
  const decide = (id: bigint) => matches.decision(create(DecisionSchema, { matchId: MATCH, decisionId: id }), 0);
  const answers = () => {
    const effects = done.splice(0) as [string, Answer][];
    return effects.filter(([name]) => name === "answer").map(([, answer]) => answer);
  };
  const reuse = ({ matchId, decisionId, requestId }: Answer) => {
    matches.refused(create(PlayResponse_RefusedSchema, { matchId, decisionId, requestId }), reused, 0);
  };
  decide(6n);
  matches.chosen(MATCH, 6n, { action: "a1a2" }, 0);
  const [first] = answers();
  expect(first).toEqual({ matchId: MATCH, decisionId: 6n, action: "a1a2", requestId: `${MATCH}:6` });
  reuse(first as Answer);
  const [second] = answers();
  expect(second).toEqual({ ...first, requestId: expect.stringMatching(/^[\x21-\x7e]{1,64}$/) });
  expect(second?.requestId).not.toBe(first?.requestId);
  reuse(second as Answer);
  expect(answers()).toEqual([]);
  // The next one would have a new chance, but another decision is due.
  decide(8n);
  matches.chosen(MATCH, 8n, { action: "a1a2" }, 0);
  const [third] = answers();
  decide(10n);
  reuse(third as Answer);
  expect(answers()).toEqual([]);
});

test("a session of one match leaves other invitations alone, whether it wants them or not", () => {
  const { matches, done } = given();
  for (const game of ["linja", "tzaar"]) {
    matches.invited(create(MatchSchema, { id: `of ${game}`, game }), "first");
  }
  expect(done).toEqual([]);
});

test("a match that is not there ends the session that waits for it", () => {
  const { matches, done } = given();
  matches.connected("me");
  matches.unchecked(MATCH, new ServiceError("no such match", { code: Code.NotFound, reason: "MATCH_NOT_FOUND" }));
  expect(done.at(-1)).toEqual(["fail", "match_unavailable"]);
});
