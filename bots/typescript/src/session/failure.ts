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
