import { create, toBinary } from "@bufbuild/protobuf";

import type { BotThinking } from "../bot.js";
import { ThinkingSchema, type Thinking as WireThinking } from "../gen/dragontooth/v1/match_pb.js";
import { failureOf } from "./failure.js";

/** A choice of a bot, with what it thinks of it, or the reason why that cannot be sent. */
export interface Chosen {
  readonly action: string;
  readonly thinking?: WireThinking;
  readonly leftOut?: string;
}

/**
 * Greatest size of a thinking that is sent, in bytes. The service names the part of a somewhat smaller one that breaks
 * a rule; a larger one might end the whole stream.
 */
const MAX_BYTES = 8 * 1024;

/** A choice whose thinking costs no action, whatever it is. */
export function withThinking(action: string, thinking: BotThinking): Chosen {
  try {
    return { action, thinking: wireThinking(thinking) };
  } catch (error) {
    return { action, leftOut: error instanceof Error ? String(error.message) : failureOf(error).failure };
  }
}

/** Converts what a bot thinks. Throws an error if a part has no form on the wire. */
function wireThinking(thinking: BotThinking): WireThinking {
  const { winProbability, points, depth, nodes, timeMs, line = [], tags = {} } = thinking;
  if (winProbability !== undefined && points !== undefined) {
    throw new Error("a thinking has either winProbability or points");
  }
  // In JavaScript a text is a list of its letters.
  if (typeof line === "string") {
    throw new Error(`line: expected a list of actions, not the text ${JSON.stringify(line)}`);
  }
  const wire = create(ThinkingSchema, {
    line: [...line],
    tags: Object.entries(tags).map(([name, value]) => ({ name, value })),
  });
  if (winProbability !== undefined) {
    wire.value = { case: "winProbability", value: winProbability };
  } else if (points !== undefined) {
    wire.value = { case: "points", value: points };
  }
  if (depth !== undefined) {
    wire.depth = depth;
  }
  if (nodes !== undefined) {
    wire.nodes = BigInt(nodes);
  }
  if (timeMs !== undefined) {
    const micros = Math.round(timeMs * 1e3);
    const time = { seconds: BigInt(Math.floor(micros / 1e6)), nanos: (micros % 1e6) * 1e3 };
    wire.time = { $typeName: "google.protobuf.Duration", ...time };
  }
  // A value that cannot be written would end the stream.
  const { length } = toBinary(ThinkingSchema, wire);
  if (length > MAX_BYTES) {
    throw new Error(`it has ${length} bytes; the limit is 1024`);
  }
  return wire;
}
