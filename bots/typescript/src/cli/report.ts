import { inspect } from "node:util";

import type { MatchResult } from "../match_info.js";
import type { Notice, Summary } from "../session/notice.js";

/** Tells a line on standard error. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** What was thrown, with its place if it has one. Anything can be thrown, even what cannot be shown. */
export function thrown(thrown: unknown): string {
  try {
    return inspect(thrown);
  } catch {
    return "something that cannot be shown";
  }
}

/** A notice, for people. */
export function notice(notice: Notice): string {
  switch (notice.type) {
    case "connected":
      return `connected as player ${notice.playerId}`;
    case "disconnected":
      return `disconnected: ${notice.reason}; trying again in ${Math.round(notice.pauseMs)} ms`;
    case "opened": {
      const { id, game, variant, target, seat, opponent } = notice.match;
      const against = opponent === "" ? "an unnamed opponent" : JSON.stringify(opponent);
      return `match ${id} opened: ${game} ${variant} to ${target}, ${seat} seat, against ${against}`;
    }
    case "closed":
      return closed(notice.result);
    case "bot_failed":
      return `match ${notice.matchId}: the bot failed and resigns: ${notice.failure}`;
    case "warning":
      return `${notice.matchId === undefined ? "" : `match ${notice.matchId}: `}${notice.message}`;
  }
}

/** A match that is over; the player's points come first. */
export function closed({ matchId, seat, winner, score, termination }: MatchResult): string {
  const won = winner === undefined ? "no winner" : winner === seat ? "won" : "lost";
  const points = seat === "second" ? `${score.second}-${score.first}` : `${score.first}-${score.second}`;
  return `match ${matchId} ended: ${won} ${points} (${termination})`;
}

export function summary({ matches, won, lost, failures }: Summary): string {
  return `played ${matches}: won ${won}, lost ${lost}${failures === 0 ? "" : `, the bot failed in ${failures}`}`;
}
