import type { TimeControl } from "../match_info.js";

/**
 * What a session keeps of a decision's time besides the longest of the last round trips: for a program that wakes
 * late, and for a journey that is longer than those before.
 */
export const SAFETY_MARGIN_MS = 30;

/** The part of the time left that a bot gets at least, as a divisor. */
const LEAST_PART_DIVISOR = 4;

/**
 * The part of a stock of time that one decision gets, as a divisor: what is spent can only be spent once, and nobody
 * knows how many decisions the match has.
 */
const STOCK_DIVISOR = 20;

/**
 * The time that a bot gets for a decision: when `leftMs` has passed the clock runs out, the clock shows `stockMs`, and
 * `keptMs` is kept for what has to be done besides, such as the answer's journey.
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

/** How long a seat may take from the start of a decision, when its clock shows `stockMs`. */
export function allowanceMs(control: TimeControl | undefined, stockMs: number): number {
  return control?.kind === "delay" ? stockMs + control.delayMs : stockMs;
}
