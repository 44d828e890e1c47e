/**
 * What the player is measured against: how many guesses the levels and the best known play need on average.
 * tests/web/test_yardsticks.py compares these numbers with bench/records.json and bench/levels.json.
 */

import { codeCount, symbols } from "./board.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {{ name: string, average: number }} Yardstick */

/** From the weakest to the strongest. */
export const LEVELS = ["beginner", "casual", "careful", "strong", "perfect"];

/** The guesses that each level needs on average. @type {Record<string, Record<string, number>>} */
export const LEVEL_AVERAGES = {
  classic: { beginner: 5.159, casual: 4.8171, careful: 4.662, strong: 4.409, perfect: 4.3403 },
  "classic-blanks": { beginner: 5.5768, casual: 5.1924, careful: 5.0337, strong: 4.7301, perfect: 4.6764 },
  advanced: { beginner: 6.53, casual: 6.07, careful: 5.85, strong: 5.47, perfect: 5.444 },
};

/**
 * The total of guesses over all codes with the best known play, and whether that is proven to be the best.
 * A blank counts as a colour.
 * @type {Record<string, [number, boolean]>}
 */
export const BEST_TOTALS = {
  "3x4": [206, true], "3x5": [451, true], "3x6": [854, true], "3x7": [1474, true], "3x8": [2359, true], "3x9": [3596, true],
  "3x10": [5242, true], "4x2": [44, true], "4x3": [246, true], "4x4": [905, true], "4x5": [2463, true], "4x6": [5625, true],
  "4x7": [11228, true], "4x8": [20471, true], "4x9": [34776, false], "4x10": [55921, false], "5x2": [97, true], "5x3": [816, true],
  "5x4": [3954, true], "5x5": [13496, true], "5x6": [36721, true], "5x7": [85661, false], "5x8": [178390, false], "5x9": [340283, false],
  "5x10": [610182, false], "6x2": [224, true], "6x3": [2649, true], "6x6": [240753, false], "6x7": [656966, false], "6x8": [1558495, false],
  "6x9": [3335418, false], "7x7": [5005438, false], "3x6n": [436, true], "3x8n": [1449, true], "3x10n": [3575, true], "4x5n": [462, true],
  "4x6n": [1446, true], "4x7n": [3639, true], "4x8n": [7817, true], "4x9n": [14914, true], "4x10n": [26274, true], "5x5n": [535, true],
  "5x6n": [3434, true],
};

/**
 * The best known play on a board.
 * @param {Board} board
 * @returns {(Yardstick & { proven: boolean }) | null}
 */
export function bestOn(board) {
  const name = `${board.holes}x${symbols(board).length}${board.repeats ? "" : "n"}`;
  if (!Object.hasOwn(BEST_TOTALS, name)) return null;
  const [total, proven] = BEST_TOTALS[name];
  return { name: proven ? "optimum" : "best known", average: total / codeCount(board), proven };
}

/**
 * The levels on a board, from the weakest to the strongest. Only the official boards have them.
 * @param {Board} board
 * @returns {Yardstick[]}
 */
export function levelsOn(board) {
  const averages = Object.hasOwn(LEVEL_AVERAGES, board.name) ? LEVEL_AVERAGES[board.name] : {};
  return LEVELS.filter((name) => name in averages).map((name) => ({ name, average: averages[name] }));
}
