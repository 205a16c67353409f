/** The bytes that the service takes of the text of a failure. */
const MAX_FAILURE_BYTES = 1024;

/** What stands for what was left out. */
const CUT = "…";

/** What the service takes of the text of a failure: one line that is not too long. */
export function failureText(text: string): string {
  const encoder = new TextEncoder();
  // The encoder makes Unicode of what is none.
  const line = new TextDecoder().decode(encoder.encode(text.replace(/[\s\p{Cc}]+/gu, " ").trim()));
  if (encoder.encode(line).length <= MAX_FAILURE_BYTES) {
    return line === "" ? "unknown" : line;
  }
  // It takes whole characters only, as many as fit.
  const room = new Uint8Array(MAX_FAILURE_BYTES - encoder.encode(CUT).length);
  const { written } = encoder.encodeInto(line, room);
  return new TextDecoder().decode(room.subarray(0, written)) + CUT;
}
