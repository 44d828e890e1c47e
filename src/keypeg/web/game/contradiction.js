/** When no code fits all the answers: the fewest rows that contradict each other, and the repairs. */

import { answered, everyCode, fits, isSmall } from "./analysis.js";
import { everyAnswer, score } from "./keypegs.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {import("./analysis.js").AnsweredRow} AnsweredRow */

/**
 * @typedef {object} Contradiction
 * @property {number[]} rows counted from 1; no fewer rows contradict each other
 * @property {{ row: number, keys: import("./keypegs.js").KeyPegs, codes: number }[]} repairs
 *   single answers that would make the board consistent again, and how many codes would fit then
 */

/**
 * Null where some code fits every row, or the board is too big to try all.
 * @param {Board} board
 * @param {readonly Row[]} rows
 * @returns {Contradiction | null}
 */
export function contradiction(board, rows) {
  if (!isSmall(board)) return null;
  const told = answered(rows);
  const codes = everyCode(board);
  // For each code the rows that it breaks, as bits: a set of rows contradicts when it meets all.
  const broken = new Set(codes.map((code) => bitsOf(told.map((row) => !fits(code, row)))));
  if (broken.has(0)) return null;
  return { rows: fewest(told.length, [...broken]), repairs: repairs(board, codes, told) };
}

/**
 * @param {readonly number[]} rows that contradict each other
 */
export function cannotBeRight(rows) {
  return rows.length === 1 ? `Row ${rows[0]} cannot be right` : `Rows ${rows.join(", ")} cannot all be right`;
}

/**
 * The first and smallest set of rows that has a member in every one of `sets`.
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
 * The first `size` numbers of 1 to `count`, in order, that will do; null where none will.
 * @param {number} count
 * @param {number} size
 * @param {(rows: number[]) => boolean} willDo
 * @param {number[]} chosen
 * @returns {number[] | null}
 */
function choose(count, size, willDo, chosen = []) {
  if (chosen.length === size) return willDo(chosen) ? chosen : null;
  for (let row = (chosen[chosen.length - 1] ?? 0) + 1; row <= count; row += 1) {
    const found = choose(count, size, willDo, [...chosen, row]);
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
