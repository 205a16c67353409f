import { createHmac, randomBytes } from "node:crypto";

/** Returns a secret drawn from the randomness of the operating system. */
export function randomSecret(): string {
  return randomBytes(32).toString("hex");
}

/**
 * Returns a player's share of the seed of the matches with this commitment: HMAC-SHA256 under the player's secret of a
 * tag and the commitment, in hexadecimal digits; the same in all programs of Dragontooth. It is the same in matches that
 * share a seed, and says nothing about the share in any other.
 */
export function share(secret: string, commitment: string): string {
  return createHmac("sha256", secret).update("dragontooth.share.v1\0").update(commitment).digest("hex");
}
