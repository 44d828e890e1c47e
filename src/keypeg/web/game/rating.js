/**
 * The player's rating: Glicko-2 over the results against fixed yardsticks, the computer's levels and the
 * grades of puzzles. It is computed from the stored results each time, so that it need not be exported.
 */

import { PRESETS } from "./board.js";
import { afterPeriod, UNRATED } from "./glicko.js";
import { weekOf } from "./week.js";

/** @typedef {import("./glicko.js").Standing} Standing */
/** @typedef {import("../live/mygames.js").KeptSeries} KeptSeries */
/** @typedef {import("../live/puzzles.js").FinishedPuzzle} FinishedPuzzle */
/** @typedef {{ at: number, rating: number, score: number }} Measured */

/**
 * The ratings of the levels. Careful has 1500. The others follow from how many guesses they need on the
 * classic board: a level that scores s against careful in series of two games is 400 log10(s / (1 - s))
 * above it. tests/web/test_yardsticks.py computes them again.
 * @type {Record<string, number>}
 */
export const LEVEL_RATINGS = { beginner: 1413, casual: 1470, careful: 1500, strong: 1559, perfect: 1574 };

/**
 * The ratings of the grades of puzzles, by definition: whoever solves half of a grade at the first try and
 * without hints has its rating, and solves three of four a grade below.
 * @type {Record<number, number>}
 */
export const GRADE_RATINGS = { 1: 1100, 2: 1300, 3: 1500, 4: 1700, 5: 1900 };

const SCORES = { won: 1, tied: 0.5, lost: 0 };
/** 95 of 100 players have their true rating within this many deviations. */
const SURE = 1.96;

/**
 * Series against the computer on the official boards, by one player and without hints.
 * @param {readonly KeptSeries[]} series
 * @returns {Measured[]}
 */
export function seriesResults(series) {
  return series.flatMap(({ at, board, result, level, hints, shared }) => {
    const rating = level && Object.hasOwn(LEVEL_RATINGS, level) ? LEVEL_RATINGS[level] : undefined;
    const counts = rating !== undefined && hints === 0 && !shared && PRESETS.some(({ name }) => name === board);
    return counts ? [{ at, rating, score: SCORES[result] }] : [];
  });
}

/**
 * Puzzles at the first try and without hints; of each puzzle, only the first time.
 * @param {readonly FinishedPuzzle[]} puzzles
 * @returns {Measured[]}
 */
export function puzzleResults(puzzles) {
  const seen = new Set();
  return [...puzzles].sort((one, two) => one.at - two.at).flatMap(({ at, board, grade, seed, tries, hints, solved }) => {
    const name = `${board} ${grade} ${seed}`;
    if (seen.has(name)) return [];
    seen.add(name);
    return [{ at, rating: GRADE_RATINGS[grade], score: solved && tries === 1 && hints === 0 ? 1 : 0 }];
  });
}

/**
 * The standing after results, with the current week as if it ended now. Each week is a rating period.
 * @param {readonly Measured[]} results
 * @param {number} now
 * @returns {Standing | null} null without results
 */
export function standingAfter(results, now) {
  if (results.length === 0) return null;
  /** @type {Map<number, import("./glicko.js").Result[]>} */
  const weeks = new Map();
  for (const { at, rating, score } of results) {
    const week = weekOf(Math.min(at, now));
    weeks.set(week, [...(weeks.get(week) ?? []), { rating, score, deviation: 0 }]);
  }
  let standing = UNRATED;
  for (let week = Math.min(...weeks.keys()); week <= weekOf(now); week += 1) standing = afterPeriod(standing, weeks.get(week) ?? []);
  return standing;
}

/**
 * The range that a rating is shown as, in tens.
 * @param {Standing} standing
 * @returns {[number, number]}
 */
export function rangeOf({ rating, deviation }) {
  const tens = (/** @type {number} */ number) => Math.max(0, Math.round(number / 10) * 10);
  return [tens(rating - SURE * deviation), tens(rating + SURE * deviation)];
}
