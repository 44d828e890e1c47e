/** The grade of a puzzle, as in keypeg.puzzles.grading: how much must be held at once, and how hard the hardest step is. */

import { load } from "./cases.js";
import { begin, isSolved, solution } from "./deduction.js";

/** @typedef {import("./codesets.js").CodeSets} CodeSets */
/** @typedef {import("./codesets.js").PuzzleRow} PuzzleRow */
/** @typedef {import("./deduction.js").PuzzleState} PuzzleState */

export const GRADES = [1, 2, 3, 4, 5];
/** The greatest load of a puzzle of these grades. @type {Record<number, number>} */
const MOST_LOAD = { 2: 18, 3: 50, 4: 150 };
/** From easy to hard. @type {import("./deduction.js").Technique[]} */
const TECHNIQUES = ["count", "row", "compare", "suppose"];

/**
 * Whether a puzzle has a grade. It has none if its steps are too hard for its load. Grades 1 to 4 may each need one
 * more technique than the grade below; grade 1 has nothing else.
 * @param {CodeSets} sets
 * @param {PuzzleRow[]} rows
 * @param {number} wanted
 */
export function hasGrade(sets, rows, wanted) {
  if (wanted > GRADES[0] && !carries(begin(sets, rows), wanted)) return false;
  let [hardest, solved] = [0, false];
  for (const { step, after } of solution(sets, rows)) {
    hardest = Math.max(hardest, TECHNIQUES.indexOf(step.technique));
    solved = isSolved(after);
    if (hardest >= wanted) return false;
  }
  return solved && (wanted === GRADES[0]) === (hardest === 0);
}

/**
 * Whether the load of a puzzle is that of a grade above the first.
 * @param {PuzzleState} puzzle
 * @param {number} wanted
 */
function carries(puzzle, wanted) {
  const less = MOST_LOAD[wanted - 1] ?? 0;
  const most = MOST_LOAD[wanted];
  if (most === undefined) return load(puzzle, less, less) > less;
  const carried = load(puzzle, most);
  return less < carried && carried <= most;
}
