/**
 * Puzzles from seeds, and their grades: the same as those of keypeg.puzzles, which a test compares.
 * docs/puzzles.md defines both.
 */

import { codeCount, grouped } from "../board.js";
import { Refusal } from "../code.js";
import { score } from "../keypegs.js";
import { codeSets, pegsOf, rowSets } from "./codesets.js";
import { isSolved, solution } from "./deduction.js";
import { Numbers } from "./numbers.js";

/** @typedef {import("../../wire.js").Board} Board */
/** @typedef {import("./codesets.js").CodeSets} CodeSets */
/** @typedef {import("./codesets.js").PuzzleRow} PuzzleRow */
/** @typedef {import("./deduction.js").Step} Step */
/** @typedef {{ board: Board, grade: number, seed: number, rows: PuzzleRow[], code: number[] }} Puzzle */

export const GRADES = [1, 2, 3, 4, 5];
export const MOST_SEED = 999_999_999;
const MOST_CODES = 60_000;
const MOST_TRIES = 2_000;
/** After this many rows in a row that rule out nothing, no row of the board can. */
const MOST_FUTILE = 2_000;
/** Up to this grade a row may also have no key pegs, or one for each hole. */
const TELLING_GRADES = 3;
/** The most work in a puzzle of grades 1 to 4. */
const MOST_WORK = [8, 18, 36, 52];
/** The least grade of a puzzle that needs a technique. */
const LEAST_GRADE = { count: 1, row: 2, compare: 3, suppose: 4 };

/**
 * The puzzle of a seed. Refused if the board is too large, or has none of this grade.
 * @param {Board} board
 * @param {number} wanted
 * @param {number} seed
 * @returns {Puzzle}
 */
export function makePuzzle(board, wanted, seed) {
  checkRequest(board, wanted, seed);
  const sets = codeSets(board);
  const numbers = new Numbers(`${board.name} ${wanted} ${seed}`);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const code = drawn(board, numbers);
    const rows = needed(sets, drawnRows(sets, code, wanted, numbers));
    if (rows.length <= board.rows && gradeOf(sets, rows, wanted) === wanted) return { board, grade: wanted, seed, rows, code };
  }
  throw none(board, wanted);
}

/**
 * @param {Board} board
 * @param {number} wanted
 */
function none(board, wanted) {
  return new Refusal(`${board.name} has no puzzle of grade ${wanted}; try a lower grade.`);
}

/** A seed that nobody has chosen. */
export function anySeed() {
  return crypto.getRandomValues(new Uint32Array(1))[0] % (MOST_SEED + 1);
}

/**
 * @param {Board} board
 * @param {number} wanted
 * @param {number} seed
 */
function checkRequest(board, wanted, seed) {
  const codes = codeCount(board);
  const most = grouped(MOST_CODES);
  if (codes > MOST_CODES) throw new Refusal(`${board.name} has ${grouped(codes)} codes; puzzles are made on boards with at most ${most}.`);
  if (!GRADES.includes(wanted)) throw new Refusal(`A puzzle has a grade from 1 to 5, not ${wanted}.`);
  if (!Number.isInteger(seed) || seed < 0 || seed > MOST_SEED) throw new Refusal(`A seed is a number from 0 to ${MOST_SEED}, not ${seed}.`);
}

/**
 * The grade of a puzzle; null if it is above `most`, or the steps do not solve it.
 * @param {CodeSets} sets
 * @param {PuzzleRow[]} rows
 * @param {number} most
 */
function gradeOf(sets, rows, most) {
  let [found, total, solved] = [1, 0, false];
  for (const { step, after } of solution(sets, rows)) {
    total += work(step, rows);
    found = Math.max(found, LEAST_GRADE[step.technique], 1 + MOST_WORK.filter((limit) => total > limit).length);
    solved = isSolved(after);
    if (found > most) return null;
  }
  return solved ? found : null;
}

/**
 * @param {Step} step
 * @param {PuzzleRow[]} rows
 * @returns {number}
 */
function work({ technique, rows: numbers, inside }, rows) {
  if (technique === "count") return 1;
  const read = numbers.reduce((sum, number) => sum + readings(rows[number]).toString(2).length, 1);
  return inside.reduce((sum, step) => sum + work(step, rows), read);
}

/**
 * In how many ways the key pegs can belong to the pegs of a row.
 * @param {PuzzleRow} row
 */
function readings({ guess, black, white }) {
  return choose(guess.length, black) * choose(guess.length - black, white);
}

/**
 * @param {number} all
 * @param {number} some
 */
function choose(all, some) {
  let ways = 1;
  for (let at = 0; at < some; at += 1) ways = (ways * (all - at)) / (at + 1);
  return ways;
}

/**
 * @param {Board} board
 * @param {Numbers} numbers
 */
function drawn(board, numbers) {
  const pegs = pegsOf(board);
  return Array.from({ length: board.holes }, () => {
    const at = numbers.below(pegs.length);
    return board.repeats ? pegs[at] : pegs.splice(at, 1)[0];
  });
}

/**
 * Rows drawn until one code fits them all; those that rule out nothing are left out.
 * @param {CodeSets} sets
 * @param {number[]} code
 * @param {number} wanted
 * @param {Numbers} numbers
 */
function drawnRows(sets, code, wanted, numbers) {
  const rows = /** @type {PuzzleRow[]} */ ([]);
  let [left, futile] = [sets.every, 0];
  while (left & (left - 1n)) {
    if (futile === MOST_FUTILE) throw none(sets.board, wanted);
    futile += 1;
    const guess = drawn(sets.board, numbers);
    const row = { guess, ...score(code, guess) };
    const sum = row.black + row.white;
    if (row.black === guess.length || (wanted > TELLING_GRADES && (sum === 0 || sum === guess.length))) continue;
    const fewer = left & rowSets(sets, row).both;
    if (fewer === left) continue;
    [left, futile] = [fewer, 0];
    rows.push(row);
  }
  return rows;
}

/**
 * The rows without the superfluous ones, which are looked for from the first on.
 * @param {CodeSets} sets
 * @param {PuzzleRow[]} rows
 */
function needed(sets, rows) {
  let kept = rows.map((row) => ({ row, codes: rowSets(sets, row).both }));
  for (const one of [...kept]) {
    const others = kept.filter((other) => other !== one);
    const left = others.reduce((codes, other) => codes & other.codes, sets.every);
    if (!(left & (left - 1n))) kept = others;
  }
  return kept.map(({ row }) => row);
}
