import { createHash } from "node:crypto";

import type { Seat } from "../match_info.js";

const MASK = 0xffff_ffff_ffff_ffffn;

/**
 * Returns the seed of a decision: the first eight bytes, big-endian, of SHA-256 over a tag, the bot's seed, the seat,
 * the decision's number and the match's title. It is the same whenever the same decision of a match with the same title
 * comes again, and the same as in the built-in bots.
 */
export function decisionSeed(seed: bigint, title: string, seat: Seat, decisionId: number): bigint {
  const numbers = Buffer.alloc(17);
  numbers.writeBigUInt64BE(seed & MASK, 0);
  numbers.writeUInt8(seat === "first" ? 0 : 1, 8);
  numbers.writeBigUInt64BE(BigInt(decisionId), 9);
  const digest = createHash("sha256").update("dragontooth.decision.v1\0").update(numbers).update(title).digest();
  return digest.readBigUInt64BE(0);
}

/** SplitMix64: a generator of numbers of at least 0 and below 1. */
export function randomFrom(seed: bigint): () => number {
  let state = seed & MASK;
  return () => {
    state = (state + 0x9e37_79b9_7f4a_7c15n) & MASK;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d0_49bb_1331_11ebn) & MASK;
    z ^= z >> 31n;
    return Number(z >> 11n) / 2 ** 53;
  };
}
