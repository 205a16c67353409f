import type { MessageInitShape } from "@bufbuild/protobuf";

import type { AcceptedGame } from "./accepted_game.js";
import type { OfferSchema } from "./gen/dragontooth/v1/player_service_pb.js";
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

/** Returns an offer as a message. */
export function offerMessage({ accepts = [], matchesAtOnce = 0, build = "" }: Offer): MessageInitShape<typeof OfferSchema> {
  const games = accepts.map(({ game, variants = [], targetMin = 0, targetMax = 0, timeControls = [] }) => ({
    game,
    variants: [...variants],
    targetMin,
    targetMax,
    timeControls: timeControls.map(timeControlMessage),
  }));
  return { games, matchesAtOnce, build };
}
