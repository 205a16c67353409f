// Watching a list of matches: its first page, and what changes in it.
import type { MessageInitShape } from "@bufbuild/protobuf";

import { fellSilent, matches } from "./api.js";
import type { Match } from "./gen/dragontooth/v1/match_pb.js";
import type { WatchMatchesRequestSchema } from "./gen/dragontooth/v1/match_service_pb.js";
import { FIRST_SILENCE_MS, SILENCE_MS } from "./watch.js";

/** What a watch knows of a list. */
export interface Listed {
  /** The newest first. */
  readonly found: readonly Match[];
  /** The token of the page after the one with which the watch began; empty if there is none. */
  readonly next: string;
}

/** Watches until the stream ends, or `changed` returns false; fails when nothing comes for too long. */
export async function watchList(
  request: MessageInitShape<typeof WatchMatchesRequestSchema>,
  signal: AbortSignal,
  changed: (listed: Listed) => boolean,
): Promise<void> {
  const known = new Map<string, Match>();
  const stream = new AbortController();
  const end = () => stream.abort();
  signal.addEventListener("abort", end);
  let silence = setTimeout(end, FIRST_SILENCE_MS);
  let next: string | undefined;
  try {
    for await (const { response } of matches.watchMatches(request, { signal: stream.signal, timeoutMs: 0 })) {
      clearTimeout(silence);
      silence = setTimeout(end, SILENCE_MS);
      if (response.case === "batch") {
        for (const { change } of response.value.changes) {
          if (change.case === "match") {
            known.set(change.value.id, change.value);
          } else if (change.case === "goneMatchId") {
            known.delete(change.value);
          }
        }
      } else if (response.case === "caughtUp") {
        next = response.value.nextPageToken;
      } else {
        continue;
      }
      // The ids are in the order of creation.
      const found = [...known.values()].sort((one, other) => (one.id < other.id ? 1 : -1));
      if (next !== undefined && !changed({ found, next })) {
        return;
      }
    }
  } catch (error) {
    // Nobody waits for a stream that this tab has ended.
    if (!signal.aborted) {
      throw stream.signal.aborted ? fellSilent() : error;
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", end);
    stream.abort();
  }
}
