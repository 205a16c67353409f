/** The failure of a bot, and its place in the code, which the opponent does not see. */
export interface Failure {
  readonly failure: string;
  readonly place?: string;
}

/** Returns the text of what a bot has thrown, which can be anything, with its causes and the line where it was thrown. */
export function failureOf(thrown: unknown): Failure {
  try {
    if (!(thrown instanceof Error)) {
      return { failure: String(thrown) };
    }
    const texts: string[] = [];
    for (let next: unknown = thrown; next instanceof Error && texts.length < 8; next = next.cause) {
      texts.push(`${next.name}: ${next.message}`);
    }
    const failure = texts.join(": ");
    const lines = String(thrown.stack).split("\n");
    const place = lines.find((line) => line.trimStart().startsWith("at "));
    return place === undefined ? { failure } : { failure, place: place.trim() };
  } catch {
    return { failure: "the bot threw something that has no text" };
  }
}

/** Longest text of a failure that the service accepts, in bytes. */
const MAX_FAILURE_BYTES = 1024;

/** Marks a shortened text. */
const CUT = "…";

/** Shortens a failure to what the service accepts: one line of limited length. */
export function failureText(text: string): string {
  const encoder = new TextEncoder();
  // The encoder replaces lone surrogates.
  const line = new TextDecoder().decode(encoder.encode(text.replace(/[\s\p{Cc}]+/gu, " ").trim()));
  if (encoder.encode(line).length <= MAX_FAILURE_BYTES) {
    return line === "" ? "unknown" : line;
  }
  // encodeInto writes whole characters only, as many as fit.
  const room = new Uint8Array(MAX_FAILURE_BYTES - encoder.encode(CUT).length);
  const { written } = encoder.encodeInto(line, room);
  return new TextDecoder().decode(room.subarray(0, written)) + CUT;
}
