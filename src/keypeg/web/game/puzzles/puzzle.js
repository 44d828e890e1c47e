/**
 * Puzzles from seeds, and their grades: the same as those of keypeg.puzzles, which a test compares.
 * docs/puzzles.md defines both.
 */

import { codeCount, grouped } from "../board.js";
import { Refusal } from "../code.js";
import { score } from "../keypegs.js";
import { codeSets, pegsOf, rowSets } from "./codesets.js";
import { GRADES, hasGrade } from "./grading.js";
import { Numbers } from "./numbers.js";

/** @typedef {import("../../wire.js").Board} Board */
/** @typedef {import("./codesets.js").CodeSets} CodeSets */
/** @typedef {import("./codesets.js").PuzzleRow} PuzzleRow */
/** @typedef {{ board: Board, grade: number, seed: number, rows: PuzzleRow[], code: number[] }} Puzzle */

export const MOST_SEED = 999_999_999;
const MOST_CODES = 60_000;
const MOST_TRIES = 2_000;
/** After this many rows in a row that rule out nothing, no row drawn for a code will. */
const MOST_FUTILE = 500;
/** After this many such codes, the board has no such puzzle. */
const MOST_HOPELESS = 10;

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
  for (let [tries, hopeless] = [0, 0]; tries < MOST_TRIES && hopeless < MOST_HOPELESS; tries += 1) {
    const code = drawn(board, numbers);
    const all = drawnRows(sets, code, leastReadings(board, wanted), numbers);
    if (!all) {
      hopeless += 1;
      continue;
    }
    const rows = needed(sets, all);
    if (rows.length <= board.rows && hasGrade(sets, rows, wanted)) return { board, grade: wanted, seed, rows, code };
  }
  throw new Refusal(`${board.name} has no puzzle of grade ${wanted}; try a lower grade.`);
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
 * Rows that can be read in fewer ways are left out: they say too much for a hard puzzle.
 * @param {Board} board
 * @param {number} wanted
 */
function leastReadings({ holes }, wanted) {
  if (wanted === 5) return 2 * holes;
  return wanted === 4 ? holes + 1 : 0;
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
 * Rows drawn until one code fits them all, without those that rule out nothing; null if it is in vain.
 * @param {CodeSets} sets
 * @param {number[]} code
 * @param {number} least the fewest readings of a row
 * @param {Numbers} numbers
 */
function drawnRows(sets, code, least, numbers) {
  const rows = /** @type {PuzzleRow[]} */ ([]);
  let [left, futile] = [sets.every, 0];
  while (left & (left - 1n)) {
    if (futile === MOST_FUTILE) return null;
    futile += 1;
    const guess = drawn(sets.board, numbers);
    const row = { guess, ...score(code, guess) };
    if (row.black === guess.length || readings(row) < least) continue;
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
