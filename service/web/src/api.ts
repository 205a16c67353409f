// The API of the service, on the address that the page came from.
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";

import { GameService, type Game } from "./gen/dragontooth/v1/game_service_pb.js";
import { MatchService } from "./gen/dragontooth/v1/match_service_pb.js";
import { PlayerService, type WhoAmIResponse } from "./gen/dragontooth/v1/player_service_pb.js";
import { token } from "./session.js";

const withToken: Interceptor = (next) => (request) => {
  const own = token();
  if (own !== undefined && !request.header.has("authorization")) {
    request.header.set("authorization", `Bearer ${own}`);
  }
  return next(request);
};

/** The time after which a call without an answer fails. */
const PATIENCE_MS = 10_000;

/** The time after which a call with a long answer fails. */
export const LONG_PATIENCE_MS = 60_000;

const transport = createGrpcWebTransport({ baseUrl: location.origin, interceptors: [withToken], defaultTimeoutMs: PATIENCE_MS });

export const games = createClient(GameService, transport);
export const matches = createClient(MatchService, transport);
export const players = createClient(PlayerService, transport);

let catalogue: Promise<Game[]> | undefined;

/** The games of the service, which stay the same while the page is open. */
export function catalogueOfGames(): Promise<Game[]> {
  catalogue ??= games.listGames({}).then(
    (answer) => answer.games,
    (error: unknown) => {
      catalogue = undefined;
      throw error;
    },
  );
  return catalogue;
}

let known: { token: string; me: Promise<WhoAmIResponse> } | undefined;

/** The player of this tab's token; undefined without a token. It is asked for once, or `again`: the token may have ended. */
export async function whoAmI(again = false): Promise<WhoAmIResponse | undefined> {
  const own = token();
  if (own === undefined) {
    return undefined;
  }
  if (again || known?.token !== own) {
    const me = players.whoAmI({});
    known = { token: own, me };
    me.catch(() => (known = undefined));
  }
  return known?.me;
}

/** True if a call that failed may succeed when it is made again. */
export function isTemporary(error: unknown): boolean {
  return [Code.Unavailable, Code.Unknown, Code.Internal, Code.Aborted, Code.DeadlineExceeded, Code.ResourceExhausted].includes(
    ConnectError.from(error).code,
  );
}

/** True if the call failed because the token is missing, or is not or no longer valid. */
export function needsToken(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Unauthenticated;
}

/** What a failed call means to a reader, as a sentence. */
export function sentence(error: unknown): string {
  const failure = ConnectError.from(error);
  // A reader of the page knows its fields, and nothing of the message around them.
  const said = failure.rawMessage.replace(/^filter\./, "");
  switch (failure.code) {
    case Code.Unauthenticated:
      return token() === undefined
        ? "This service shows its matches only to those with a token."
        : "Your token is not valid, or no longer.";
    case Code.PermissionDenied:
      return `Your token does not allow this: ${said}.`;
    case Code.NotFound:
      return "There is no such match or player, or you may not see it.";
    case Code.Unavailable:
    case Code.Unknown:
    case Code.Internal:
      return "The service does not answer.";
    case Code.DeadlineExceeded:
      return "The service did not answer in time.";
    case Code.ResourceExhausted:
      return `Too many requests for the moment: ${said}.`;
    default:
      return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
  }
}

/** The failure of a stream on which nothing has come for too long. */
export function fellSilent(): ConnectError {
  return new ConnectError("nothing has come for too long", Code.DeadlineExceeded);
}

/** A request id, with which a repeated call is made once. */
export function requestId(): string {
  const words = crypto.getRandomValues(new Uint32Array(4));
  return Array.from(words, (word) => word.toString(16)).join("-");
}
