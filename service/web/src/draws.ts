// What is drawn in a match, from its seeds: docs/fairness.md.

/** The seeds of a match. */
export interface Seeds {
  readonly server: Uint8Array<ArrayBuffer>;
  /** The match as the draws name it: its id, or nothing if its creator gave the seed. */
  readonly match: string;
  readonly shares: readonly [string, string];
}

/** The share of a player that has sent none. */
const USUAL_SHARE = "dragontooth";

const text = new TextEncoder();

/** Fields as the scheme writes them: the length in four bytes, then the bytes. A number has four. */
function fields(...values: readonly (string | number | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const parts = values.flatMap((value) => {
    const bytes = typeof value === "number" ? bigEndian(value) : typeof value === "string" ? text.encode(value) : value;
    return [bigEndian(bytes.length), bytes];
  });
  return concatenated(...parts);
}

function bigEndian(number: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

/** All bytes in a row. */
export function concatenated(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** SHA-256 of bytes. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** The server's seed that follows from a text given by the creator. */
export function seedOfText(given: string): Promise<Uint8Array<ArrayBuffer>> {
  return sha256(fields("dragontooth.seed.v1", given));
}

/** The commitment to a server's seed. */
export function commitment(match: string, server: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return sha256(fields("dragontooth.commitment.v1", match, server));
}

/** The shares of two players, in the order in which they count. */
export function sharesOf(first: string, second: string, inAnyOrder: boolean): readonly [string, string] {
  const shares: [string, string] = [first || USUAL_SHARE, second || USUAL_SHARE];
  const [one, other] = shares.map((share) => text.encode(share));
  return inAnyOrder && one !== undefined && other !== undefined && compare(one, other) > 0
    ? [shares[1], shares[0]]
    : shares;
}

function compare(one: Uint8Array, other: Uint8Array): number {
  for (const [at, byte] of one.entries()) {
    const difference = byte - (other[at] ?? -1);
    if (difference !== 0) {
      return difference;
    }
  }
  return one.length - other.length;
}

/** The choices of one draw, one after another. */
class Choices {
  readonly #seeds: Seeds;
  readonly #domain: string;
  readonly #game: number;
  readonly #roll: number;
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  #block = 0;

  constructor(seeds: Seeds, domain: string, game: number, roll: number) {
    this.#seeds = seeds;
    this.#domain = domain;
    this.#game = game;
    this.#roll = roll;
  }

  /** A number below `count`, which is at most 256. */
  async below(count: number): Promise<number> {
    for (;;) {
      const byte = await this.#next();
      if (byte < 256 - (256 % count)) {
        return byte % count;
      }
    }
  }

  /** The things in a drawn order. */
  async shuffled<T>(things: readonly T[]): Promise<T[]> {
    const shuffled = [...things];
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = await this.below(last + 1);
      [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
    }
    return shuffled;
  }

  async #next(): Promise<number> {
    if (this.#at === this.#bytes.length) {
      const { server, match, shares } = this.#seeds;
      const algorithm = { name: "HMAC", hash: "SHA-256" };
      const key = await crypto.subtle.importKey("raw", server, algorithm, false, ["sign"]);
      const message = fields(this.#domain, match, ...shares, this.#game, this.#roll, this.#block);
      this.#bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
      this.#at = 0;
      this.#block += 1;
    }
    this.#at += 1;
    return this.#bytes[this.#at - 1] ?? 0;
  }
}

/** A roll of two dice, by its number in the match. */
export async function roll(seeds: Seeds, game: number, number: number): Promise<string> {
  const choice = await new Choices(seeds, "dragontooth.roll.v1", game, number).below(36);
  return `${Math.floor(choice / 6) + 1}${(choice % 6) + 1}`;
}

/** The position from which a game has to start; undefined if nothing is drawn for it. */
export async function deal(seeds: Seeds, name: string, variant: string, game: number): Promise<string | undefined> {
  const choices = new Choices(seeds, "dragontooth.deal.v1", game, 0);
  switch (`${name}/${variant}`) {
    case "tzaar/random": {
      const black = "z".repeat(6) + "r".repeat(9) + "t".repeat(15);
      const pieces = await choices.shuffled([...black.toUpperCase(), ...black]);
      const files = [5, 6, 7, 8, 8, 8, 7, 6, 5].map((length) => pieces.splice(0, length).join(""));
      return `${files.join("/")} w o`;
    }
    case "kamisado/random": {
      if (game !== 1) {
        return undefined;
      }
      const towers = (await choices.shuffled([..."bgrypmlo"])).join("");
      const facing = [...towers].reverse().join("").toUpperCase();
      return `${facing}/8/8/8/8/8/8/${towers} b -`;
    }
    case "linja/random":
      if (game !== 1) {
        return undefined;
      }
      return `6,1,1,1,1,1,1,0/0,1,1,1,1,1,1,6 ${(await choices.below(2)) === 0 ? "r" : "b"} 1`;
    default:
      return undefined;
  }
}
