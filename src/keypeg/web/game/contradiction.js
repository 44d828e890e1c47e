/** If no code fits all answers: the smallest set of rows that contradict each other, and repairs. */

import { answered, everyCode, fits, isSmall } from "./analysis.js";
import { everyAnswer, score } from "./keypegs.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {import("./analysis.js").AnsweredRow} AnsweredRow */

/**
 * @typedef {object} Contradiction
 * @property {number[]} rows the numbers of the rows; no smaller set is contradictory
 * @property {{ row: number, keys: import("./keypegs.js").KeyPegs, codes: number }[]} repairs
 *   single changed answers that would remove the contradiction, and how many codes would then fit
 */

/**
 * Null if some code fits all rows, or if the board is too large to try every code.
 * @param {Board} board
 * @param {readonly Row[]} rows
 * @returns {Contradiction | null}
 */
export function contradiction(board, rows) {
  if (!isSmall(board)) return null;
  const clues = answered(rows);
  const codes = everyCode(board);
  // For each code, a bit mask of the rows it does not fit. A set of rows is contradictory if every
  // code fails to fit at least one of them.
  const broken = new Set(codes.map((code) => bitsOf(clues.map((row) => !fits(code, row)))));
  if (broken.has(0)) return null;
  return { rows: fewest(clues.length, [...broken]), repairs: repairs(board, codes, clues) };
}

/**
 * Rows in a sentence: "row 1", "rows 1 and 3", "rows 1, 2 and 5".
 * @param {readonly number[]} rows
 */
export function rowNames(rows) {
  const most = rows.slice(0, -1).join(", ");
  return most ? `rows ${most} and ${rows[rows.length - 1]}` : `row ${rows[0]}`;
}

/**
 * @param {readonly number[]} rows that contradict each other
 */
export function cannotBeRight(rows) {
  const all = rows.length > 2 ? " all" : " both";
  return `${rowNames(rows).replace("r", "R")} cannot${rows.length > 1 ? all : ""} be right`;
}

/**
 * The smallest set of rows (the first, if there are several) that has a row in common with each of `sets`.
 * @param {number} count
 * @param {number[]} sets
 * @returns {number[]}
 */
function fewest(count, sets) {
  for (let size = 1; size <= count; size += 1) {
    const found = choose(count, size, (rows) => {
      const mask = rows.reduce((bits, row) => bits | (1 << (row - 1)), 0);
      return sets.every((set) => (set & mask) !== 0);
    });
    if (found) return found;
  }
  return [];
}

/**
 * The first combination of `size` numbers from 1 to `count` for which `accept` is true, or null.
 * @param {number} count
 * @param {number} size
 * @param {(rows: number[]) => boolean} accept
 * @param {number[]} chosen
 * @returns {number[] | null}
 */
function choose(count, size, accept, chosen = []) {
  if (chosen.length === size) return accept(chosen) ? chosen : null;
  for (let row = (chosen[chosen.length - 1] ?? 0) + 1; row <= count; row += 1) {
    const found = choose(count, size, accept, [...chosen, row]);
    if (found) return found;
  }
  return null;
}

/**
 * @param {Board} board
 * @param {number[][]} codes
 * @param {AnsweredRow[]} rows
 */
function repairs(board, codes, rows) {
  return rows.flatMap((row, index) => {
    const others = rows.filter((_, at) => at !== index);
    const fitting = codes.filter((code) => others.every((past) => fits(code, past)));
    return everyAnswer(board).flatMap((keys) => {
      const count = fitting.filter((code) => {
        const { black, white } = score(code, row.code);
        return black === keys.black && white === keys.white;
      }).length;
      return count > 0 ? [{ row: index + 1, keys, codes: count }] : [];
    });
  });
}

/** @param {boolean[]} flags */
function bitsOf(flags) {
  return flags.reduce((bits, flag, at) => (flag ? bits | (1 << at) : bits), 0);
}
