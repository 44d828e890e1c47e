/**
 * What the player is measured against: how many guesses the levels and the best known play need on average.
 * tests/web/test_yardsticks.py compares these numbers with bench/atlas/atlas.json and bench/levels.json.
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
  advanced: { beginner: 6.53, casual: 6.07, careful: 5.85, strong: 5.47, perfect: 5.4434 },
};

/**
 * The total of guesses over all codes with the best known play, and whether that is proven to be the best.
 * A blank counts as a colour. `make atlas` writes these.
 * @type {Record<string, [number, boolean]>}
 */
export const BEST_TOTALS = {
  "2x2": [8, true], "2x3": [21, true], "2x4": [45, true], "2x5": [81, true], "2x6": [132, true], "2x7": [198, true],
  "2x8": [284, true], "2x9": [388, true], "2x10": [517, true], "2x11": [667, true], "2x12": [847, true], "2x13": [1051, true],
  "2x14": [1290, true], "2x15": [1556, true], "2x16": [1862, true], "2x17": [2198, true], "2x18": [2579, true], "2x19": [2993, true],
  "2x20": [3457, true], "3x2": [18, true], "3x3": [73, true], "3x4": [206, true], "3x5": [451, true], "3x6": [854, true],
  "3x7": [1474, true], "3x8": [2359, true], "3x9": [3596, true], "3x10": [5242, true], "3x11": [7361, true], "3x12": [10076, true],
  "3x13": [13438, true], "3x14": [17544, true], "3x15": [22540, true], "3x16": [28479, true], "3x17": [35488, true], "3x18": [43724, true],
  "3x19": [53262, true], "3x20": [64253, true], "4x2": [44, true], "4x3": [246, true], "4x4": [905, true], "4x5": [2463, true],
  "4x6": [5625, true], "4x7": [11228, true], "4x8": [20471, true], "4x9": [34666, true], "4x10": [55632, true], "5x2": [97, true],
  "5x3": [816, true], "5x4": [3954, true], "5x5": [13496, true], "5x6": [36721, true], "5x7": [85645, true], "5x8": [178370, false],
  "5x9": [340283, false], "5x10": [610182, false], "6x2": [224, true], "6x3": [2649, true], "6x4": [17281, true], "6x5": [73959, false],
  "6x6": [240753, false], "6x7": [656966, false], "6x8": [1558495, false], "6x9": [3335418, false], "7x2": [496, true], "7x3": [8715, true],
  "7x7": [5005438, false], "7x10": [71462779, false], "8x2": [1104, true], "8x3": [28430, true], "8x8": [118212272, false], "9x2": [2390, true],
  "10x2": [5179, false], "11x2": [11132, false], "12x2": [23807, false], "13x2": [50496, false], "2x2n": [3, true], "2x3n": [13, true],
  "2x4n": [30, true], "2x5n": [60, true], "2x6n": [103, true], "2x7n": [161, true], "2x8n": [238, true], "2x9n": [332, true],
  "2x10n": [451, true], "2x11n": [589, true], "2x12n": [758, true], "2x13n": [948, true], "2x14n": [1175, true], "2x15n": [1425, true],
  "2x16n": [1718, true], "2x17n": [2036, true], "2x18n": [2403, true], "2x19n": [2797, true], "2x20n": [3246, true], "3x3n": [15, true],
  "3x4n": [72, true], "3x5n": [196, true], "3x6n": [436, true], "3x7n": [836, true], "3x8n": [1449, true], "3x9n": [2337, true],
  "3x10n": [3575, true], "3x11n": [5204, true], "3x12n": [7343, true], "3x13n": [10059, true], "3x14n": [13404, true], "3x15n": [17555, true],
  "3x16n": [22555, true], "3x17n": [28482, true], "3x18n": [35563, true], "3x19n": [43812, true], "3x20n": [53349, true], "4x4n": [86, true],
  "4x5n": [462, true], "4x6n": [1446, true], "4x7n": [3639, true], "4x8n": [7817, true], "4x9n": [14914, true], "4x10n": [26274, true],
  "4x11n": [43537, true], "5x5n": [535, true], "5x6n": [3434, true], "5x7n": [12305, true], "5x8n": [34444, true], "5x9n": [82193, false],
  "6x6n": [3924, true], "6x7n": [29226, false], "7x7n": [33157, false],
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
