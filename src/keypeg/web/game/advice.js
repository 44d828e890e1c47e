/**
 * A good next guess, judged one guess ahead: the one that leaves fewest codes on average, and
 * among equals one that could be the code. Not the proven best: that takes the solver's search.
 */

import { everyCode, meanLeft, partition } from "./analysis.js";

/** @typedef {import("../wire.js").Board} Board */
/**
 * @typedef {object} Advice
 * @property {number[]} guess
 * @property {boolean} possible whether it could be the code
 * @property {number} left how many codes it leaves on average
 * @property {number} parts how many different answers it can get
 */

/** How many scores one advice may take; beyond it only some guesses are tried. */
const MOST_WORK = 2_000_000;

/**
 * @param {Board} board
 * @param {number[][]} left the codes that are possible
 * @returns {Advice | null} null where no code is left
 */
export function advise(board, left) {
  if (left.length === 0) return null;
  if (left.length <= 2) return judged(left[0], left, true);
  const possible = spread(left, Math.floor(MOST_WORK / 2 / left.length));
  const others = spread(everyCode(board), Math.floor(MOST_WORK / 2 / left.length));
  const own = new Set(left.map(String));
  let best = judged(possible[0], left, true);
  for (const guess of [...possible, ...others]) {
    const advice = judged(guess, left, own.has(String(guess)));
    if (advice.left < best.left - 1e-9) best = advice;
  }
  return best;
}

/**
 * @param {number[]} guess
 * @param {number[][]} left
 * @param {boolean} possible
 * @returns {Advice}
 */
export function judged(guess, left, possible) {
  const sizes = partition(left, guess);
  return { guess, possible, left: meanLeft(sizes, left.length), parts: sizes.length };
}

/**
 * At most so many of the codes, evenly spread.
 * @param {number[][]} codes
 * @param {number} most
 */
function spread(codes, most) {
  if (codes.length <= most) return codes;
  const step = codes.length / Math.max(1, most);
  return Array.from({ length: Math.max(1, most) }, (_, at) => codes[Math.floor(at * step)]);
}

/**
 * Why it is advised, in words.
 * @param {Advice} advice
 * @param {number} left how many codes are possible
 */
export function whyAdvised(advice, left) {
  if (left === 1) return "It is the only code left.";
  const average = `leaves ${round(advice.left)} of ${left.toLocaleString("en")} codes on average, with ${advice.parts} different answers`;
  if (advice.possible) return `It could be the code, and ${average}.`;
  return `It cannot be the code; it is advised because it splits the remaining ${left.toLocaleString("en")} best: it ${average}.`;
}

/** @param {number} number */
export function round(number) {
  return number >= 100 ? String(Math.round(number)) : String(Math.round(number * 10) / 10);
}
