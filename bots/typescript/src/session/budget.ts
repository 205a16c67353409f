import type { TimeControl } from "../match_info.js";

/**
 * Safety margin subtracted from the clock besides the longest recent round trip: for a program that wakes late and a
 * round trip that is longer than those before.
 */
export const SAFETY_MARGIN_MS = 30;

/** A bot gets at least the time left divided by this. */
const LEAST_PART_DIVISOR = 4;

/**
 * One decision gets the time left on the clock divided by this, because the number of decisions to come is unknown.
 */
const STOCK_DIVISOR = 20;

/**
 * Returns the thinking time for a decision. The clock runs out after `leftMs` and shows `stockMs`; `keptMs` is reserved
 * for overhead such as the round trip of the answer.
 */
export function thinkingTimeMs(
  control: TimeControl | undefined,
  stockMs: number | undefined,
  leftMs: number,
  keptMs: number,
): number {
  const usable = Math.max(leftMs - keptMs, leftMs / LEAST_PART_DIVISOR);
  const part = (stockMs ?? leftMs) / STOCK_DIVISOR;
  switch (control?.kind) {
    case undefined:
    case "per_action":
      return usable;
    case "fischer":
      return Math.min(usable, part + control.incrementMs);
    case "delay":
      return Math.min(usable, part + Math.max(0, control.delayMs - keptMs));
  }
}

/** Returns the time a seat has for a decision when its clock shows `stockMs`. */
export function allowanceMs(control: TimeControl | undefined, stockMs: number): number {
  return control?.kind === "delay" ? stockMs + control.delayMs : stockMs;
}
