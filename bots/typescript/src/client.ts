import { readFileSync } from "node:fs";

import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { createClient, type Client as ServiceClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";

import { DEFAULT_SERVER, isLoopback, parseAddresses } from "./address.js";
import { GameService } from "./gen/dragontooth/v1/game_service_pb.js";
import { MatchService } from "./gen/dragontooth/v1/match_service_pb.js";
import { PlayerService } from "./gen/dragontooth/v1/player_service_pb.js";
import { offerMessage, type Offer } from "./offer.js";
import { Replicas } from "./replicas.js";

/** Interval of keep-alive pings. */
const PING_INTERVAL_MS = 20_000;
/** Timeout of a keep-alive ping. */
const PING_TIMEOUT_MS = 20_000;

/** The TLS settings, in PEM. */
export interface TlsOptions {
  /** The authorities against which the service is verified; without it those of Node.js. */
  readonly ca?: string | Uint8Array;
  /** The certificate to show to the service. */
  readonly cert?: string | Uint8Array;
  /** The key of that certificate. */
  readonly key?: string | Uint8Array;
}

/** Where a service is, and as whom to call it. */
export interface ClientOptions {
  /**
   * `http://host:port`, `https://host:port`, or `host:port` for the former; `http://127.0.0.1:4640` if it is not set.
   * Several, separated by commas, are replicas of one service, tried in this order.
   */
  readonly server?: string;
  /** The player's secret. */
  readonly token: string;
  readonly tls?: TlsOptions;
  /**
   * True to send the token in the clear to `http://` addresses other than the loopback, where anyone on the way can
   * read it.
   */
  readonly insecureNoTls?: boolean;
}

/** The form of a token: 16 to 256 visible ASCII characters. */
const TOKEN = /^[\x21-\x7e]{16,256}$/;

/** An offer by a call, and the time for which it counts. */
export interface OfferOptions extends Offer {
  /** The time for which the player is present, from 1 second to 1 hour, in milliseconds. */
  readonly ttlMs: number;
  /** The id that the first call has returned, to make the offer again or change it; none for the first call. */
  readonly presenceId?: string;
}

/**
 * The calls of a service, with a player's token. Errors are Connect's: `serviceError` reads them.
 *
 * With several addresses, calls go to the first that can be reached, and stay there until it cannot be reached, is
 * unavailable or lets a call time out; the next call goes to the next one in the list. Each has 5 seconds for connecting
 * and 5 for the answer to a unary call, but for the last one that is left to try, which has the time of the call to answer.
 * A call that was sent is not sent again: its caller decides.
 */
export class Client {
  readonly games: ServiceClient<typeof GameService>;
  readonly matches: ServiceClient<typeof MatchService>;
  readonly players: ServiceClient<typeof PlayerService>;
  /** The addresses, separated by commas. */
  readonly server: string;
  readonly #connections: readonly Http2SessionManager[];
  readonly #replicas: Replicas;

  /** Connects with the first call. Throws a `TypeError` where an option cannot be right. */
  constructor(options: ClientOptions) {
    const addresses = parseAddresses(options.server ?? DEFAULT_SERVER);
    this.server = addresses.join(",");
    if (!TOKEN.test(options.token)) {
      throw new TypeError("a token has 16 to 256 visible ASCII characters");
    }
    const tls = options.tls ?? {};
    const hasTls = tls.ca !== undefined || tls.cert !== undefined || tls.key !== undefined;
    if (hasTls && !this.server.startsWith("https:")) {
      throw new TypeError(`${this.server} does not use TLS: the address must begin with https://`);
    }
    const open = addresses.find((address) => !address.startsWith("https:") && !isLoopback(address));
    if (open !== undefined && options.insecureNoTls !== true) {
      throw new TypeError(
        `the token would cross the network in the clear: ${open} does not use TLS; use https://, or allow it ` +
          "with --insecure-no-tls or DRAGONTOOTH_INSECURE_NO_TLS=true",
      );
    }
    if ((tls.cert === undefined) !== (tls.key === undefined)) {
      throw new TypeError("a certificate needs its key, and a key its certificate");
    }
    const authorization: Interceptor = (next) => (request) => {
      request.header.set("authorization", `Bearer ${options.token}`);
      return next(request);
    };
    const secure = certificates(tls);
    const replicas = addresses.map((address) => {
      const pings = { pingIntervalMs: PING_INTERVAL_MS, pingTimeoutMs: PING_TIMEOUT_MS };
      const connection = new Http2SessionManager(address, pings, secure);
      const transport = createGrpcTransport({ baseUrl: address, sessionManager: connection, interceptors: [authorization] });
      return { address, connection, transport };
    });
    this.#connections = replicas.map(({ connection }) => connection);
    this.#replicas = new Replicas(replicas);
    const [only, ...others] = replicas;
    const transport: Transport = only !== undefined && others.length === 0 ? only.transport : this.#replicas;
    this.games = createClient(GameService, transport);
    this.matches = createClient(MatchService, transport);
    this.players = createClient(PlayerService, transport);
  }

  /**
   * Says what the player accepts, for one without a `Session`, and returns the id with which the next call makes the offer
   * again or changes it. A call without an id replaces other programs with the same token, which are refused with
   * `SUPERSEDED` when they call again.
   */
  async setOffer({ ttlMs, presenceId = "", ...offer }: OfferOptions): Promise<string> {
    const request = { offer: offerMessage(offer), ttl: durationFromMs(ttlMs), presenceId };
    return (await this.players.setOffer(request)).presenceId;
  }

  /** Withdraws what the player has said with `setOffer`; without an id, what any of its programs has. */
  async withdrawOffer(presenceId = ""): Promise<void> {
    await this.players.setOffer({ presenceId });
  }

  /** The address to which calls go: one of `server`. */
  get address(): string {
    return this.#replicas.address;
  }

  /** Leaves an address that has failed, for one that ends a stream: the next call goes to the next address in the list. */
  leave(address: string): void {
    this.#replicas.leave(address);
  }

  /** Ends the connection and all that is under way on it. The next call makes another. */
  close(): void {
    this.#connections.forEach((connection) => connection.abort());
  }
}

/** Reads the files of TLS. Throws what the system says of one that cannot be read. */
export function readTlsFiles(files: {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}): TlsOptions {
  return {
    ...(files.ca === undefined ? {} : { ca: readFileSync(files.ca) }),
    ...(files.cert === undefined ? {} : { cert: readFileSync(files.cert) }),
    ...(files.key === undefined ? {} : { key: readFileSync(files.key) }),
  };
}

function certificates(tls: TlsOptions): { ca?: Buffer; cert?: Buffer; key?: Buffer } {
  const entries = (["ca", "cert", "key"] as const).flatMap((name) => {
    const pem = tls[name];
    return pem === undefined ? [] : [[name, Buffer.from(pem)] as const];
  });
  return Object.fromEntries(entries);
}
