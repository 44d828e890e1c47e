/** How much a person has to hold at once who solves a puzzle by cases, as in keypeg.puzzles.cases. docs/puzzles.md defines it. */

import { after, among, brokenRow, countRow, isSolved, without } from "./deduction.js";

/** @typedef {import("./deduction.js").PuzzleState} PuzzleState */

/**
 * The least sum of steps to solve a puzzle, each step times the cases held at that time. It is exact from `enough` to
 * `most`. If it is higher than `most`, the result is some number above `most`; if it is lower than `enough`, some
 * number up to `enough`.
 * @param {PuzzleState} begun
 * @param {number} most
 * @param {number} [enough]
 * @param {number} [held] how many cases are held now, including this one
 * @returns {number}
 */
export function load(begun, most, enough = 0, held = 1) {
  const { state, steps } = counted(begun);
  const spent = held * (steps + 1);
  if (isSolved(state) || brokenRow(state) >= 0) return spent;
  let best = most + 1;
  for (const cases of splits(state).sort((one, other) => one.length - other.length)) {
    best = Math.min(best, together(state, cases, held + cases.length - 1, best, spent));
    if (best <= enough) break;
  }
  return best;
}

/**
 * The sum after all cases of a row have been gone through, but at most `most`.
 * @param {PuzzleState} state
 * @param {bigint[]} cases
 * @param {number} held
 * @param {number} most
 * @param {number} before the sum so far
 */
function together(state, cases, held, most, before) {
  let spent = before;
  for (const [index, codes] of cases.entries()) {
    const others = held * (cases.length - index - 1);
    if (spent + held + others >= most) return most;
    spent += load(among(state, codes), most - 1 - spent - others, 0, held);
  }
  return Math.min(spent, most);
}

/**
 * What counting leads to, and in how many steps.
 * @param {PuzzleState} begun
 */
function counted(begun) {
  let [state, steps] = [begun, 0];
  while (brokenRow(state) < 0) {
    const learned = firstCount(state);
    if (!learned) break;
    [state, steps] = [after(state, learned), steps + 1];
  }
  return { state, steps };
}

/** @param {PuzzleState} state */
function firstCount(state) {
  for (let number = 0; number < state.rows.length; number += 1) {
    const learned = countRow(state, number);
    if (learned.length) return learned;
  }
  return null;
}

/**
 * For each row that tells something, the codes of each of its readings.
 * @param {PuzzleState} state
 */
function splits({ known, fitting }) {
  const found = /** @type {bigint[][]} */ ([]);
  for (const { both, facts } of fitting) {
    let cases = [known & both];
    for (const { codes } of facts) cases = cases.flatMap((one) => [one & codes, without(one, codes)].filter(Boolean));
    if (cases.length > 1 || cases[0] !== known) found.push(cases);
  }
  return found;
}
