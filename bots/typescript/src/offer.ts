import { create, toBinary, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";

import type { AcceptedGame } from "./accepted_game.js";
import { OfferSchema } from "./gen/dragontooth/v1/player_service_pb.js";
import { timeControlMessage } from "./match_info.js";

/** What a player says that it accepts. */
export interface Offer {
  /** The games; every game by default. */
  readonly accepts?: readonly AcceptedGame[];
  /** Greatest number of matches played at once; by default the player does not say. */
  readonly matchesAtOnce?: number;
  /** The build of the bot, such as `v12` or a commit, at most 64 bytes. */
  readonly build?: string;
}

/** Returns an offer as a message. Throws a `TypeError` for an option that cannot be sent. */
export function offerMessage({ accepts = [], matchesAtOnce = 0, build = "" }: Offer): MessageInitShape<typeof OfferSchema> {
  const games = () =>
    accepts.map(({ game, variants = [], targetMin = 0, targetMax = 0, timeControls = [] }) => ({
      game,
      variants: [...variants],
      targetMin,
      targetMax,
      timeControls: timeControls.map(timeControlMessage),
    }));
  return {
    games: checked("accepts", () => ({ games: games() })).games,
    matchesAtOnce: checked("matchesAtOnce", () => ({ matchesAtOnce })).matchesAtOnce,
    build,
  };
}

/** Writes the message of an option: one that cannot be written would look like a broken connection. */
function checked(option: keyof Offer, make: () => MessageInitShape<typeof OfferSchema>): MessageShape<typeof OfferSchema> {
  try {
    const message = create(OfferSchema, make());
    toBinary(OfferSchema, message);
    return message;
  } catch (error) {
    throw new TypeError(`${option}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
