import { randomUUID } from "node:crypto";

import type { MessageInitShape } from "@bufbuild/protobuf";

import { Client, type Bot, type Decision } from "../src/index.js";
import { Seat, type CreateMatchRequestSchema, type Match, type MatchEvent } from "../src/proto.js";

/** A unique secret. */
export function newToken(): string {
  return `secret-${randomUUID()}`;
}

/** A bot that plays at random. */
export const random: Bot = {
  choose: ({ legalActions, random }: Decision) => legalActions[Math.floor(random() * legalActions.length)] ?? "",
};

/** What is special about a match. */
export type Kind = Pick<
  Exclude<MessageInitShape<typeof CreateMatchRequestSchema>, { $typeName: string }>,
  "game" | "variant" | "target" | "timeControl" | "seatTimeControls" | "title" | "seed" | "illegalActionLimit"
>;

/** Somebody who makes matches and looks at them. */
export class Organiser {
  readonly client: Client;

  constructor(server: string) {
    this.client = new Client({ server, token: newToken() });
  }

  /** Makes a match whose seats are kept for the players of two tokens, and gives its id. */
  async match(tokens: readonly [string, string], more: Kind = {}): Promise<string> {
    const ids = await Promise.all(tokens.map((token) => this.#playerId(token)));
    const [first = "", second = ""] = ids;
    const { match } = await this.client.matches.createMatch({
      game: "kamisado",
      target: 1,
      seed: "vitest",
      reservations: [
        { seat: Seat.FIRST, playerId: first },
        { seat: Seat.SECOND, playerId: second },
      ],
      ...more,
    });
    return match?.id ?? "";
  }

  async see(matchId: string): Promise<Match> {
    const { match } = await this.client.matches.getMatch({ matchId });
    return match as Match;
  }

  /** The events of a match, first to last. */
  async events(matchId: string): Promise<MatchEvent[]> {
    return (await this.client.matches.exportMatch({ matchId })).events;
  }

  /** Waits for the end of a match. */
  async ended(matchId: string): Promise<Match> {
    for await (const { response } of this.client.matches.watchMatch({ matchId })) {
      if (response.case === "closing") {
        break;
      }
    }
    return this.see(matchId);
  }

  async #playerId(token: string): Promise<string> {
    const client = new Client({ server: this.client.server, token });
    const { playerId } = await client.players.whoAmI({});
    client.close();
    return playerId;
  }
}
