/** Which codes are left after the rows. Every code is tried, so this is only for small boards. */

import { codeCount, symbols } from "./board.js";
import { score } from "./keypegs.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {{ code: number[], black: number, white: number }} AnsweredRow */

/** The most codes that the browser tries. */
export const MOST_CODES = 100_000;

/** @param {Board} board */
export function isSmall(board) {
  return codeCount(board) <= MOST_CODES;
}

/**
 * Every code of a board, in order.
 * @param {Board} board
 * @returns {number[][]}
 */
export function everyCode(board) {
  const pegs = symbols(board);
  let codes = /** @type {number[][]} */ ([[]]);
  for (let hole = 0; hole < board.holes; hole += 1) {
    codes = codes.flatMap((code) =>
      pegs.filter((peg) => board.repeats || !code.includes(peg)).map((peg) => [...code, peg]),
    );
  }
  return codes;
}

/**
 * The guesses that have been answered, with their answers.
 * @param {readonly Row[]} rows
 * @returns {AnsweredRow[]}
 */
export function answered(rows) {
  return rows.flatMap(({ code, black, white }) =>
    code && black !== null && white !== null ? [{ code, black, white }] : [],
  );
}

/**
 * The numbers of the answered rows on the board, which may also have rows that ran out of time.
 * @param {readonly Row[]} rows
 */
export function answeredNumbers(rows) {
  return rows.flatMap((row, index) => (answered([row]).length ? [index + 1] : []));
}

/**
 * @param {readonly number[]} code
 * @param {AnsweredRow} row
 */
export function fits(code, row) {
  const { black, white } = score(code, row.code);
  return black === row.black && white === row.white;
}

/**
 * @typedef {object} RowReview
 * @property {number} before the number of codes left before its answer
 * @property {number} after the number of codes left after its answer
 * @property {boolean} possible whether it could still have been the code
 * @property {number[]} contradicts the earlier answered rows, counted from 1, that it contradicts
 * @property {number} bits the information gained by its answer, in bits
 * @property {number} worth the information that this guess gains on average, in bits
 * @property {number} expected the number of codes that this guess leaves on average
 * @property {string} luck whether the answer was lucky, in words
 */

/**
 * How good each answered row was.
 * @param {Board} board
 * @param {readonly AnsweredRow[]} rows
 * @returns {RowReview[]}
 */
export function reviewRows(board, rows) {
  let left = everyCode(board);
  return rows.map((row, index) => {
    const before = left;
    const sizes = partition(before, row.code);
    left = before.filter((code) => fits(code, row));
    const expected = meanLeft(sizes, before.length);
    const contradicts = rows.slice(0, index).flatMap((past, at) => (fits(row.code, past) ? [] : [at + 1]));
    return {
      before: before.length,
      after: left.length,
      possible: contradicts.length === 0,
      contradicts,
      bits: left.length ? Math.log2(before.length / left.length) : 0,
      worth: meanBits(sizes, before.length),
      expected,
      luck: luck(left.length, expected),
    };
  });
}

/**
 * The number of codes for each possible answer to a guess.
 * @param {readonly (readonly number[])[]} codes
 * @param {readonly number[]} guess
 */
export function partition(codes, guess) {
  const sizes = new Int32Array(17 * 17);
  const spare = new Int8Array(32);
  for (const code of codes) {
    let black = 0;
    let common = 0;
    spare.fill(0);
    // `spare` counts unmatched pegs of each colour: positive in the code, negative in the guess.
    for (let hole = 0; hole < guess.length; hole += 1) {
      if (code[hole] === guess[hole]) black += 1;
      else {
        if (spare[code[hole]]++ < 0) common += 1;
        if (spare[guess[hole]]-- > 0) common += 1;
      }
    }
    sizes[black * 17 + common] += 1;
  }
  return [...sizes.filter((size) => size > 0)];
}

/**
 * The number of codes left after a guess, on average over the codes possible before it.
 * @param {number[]} sizes
 * @param {number} before
 */
export function meanLeft(sizes, before) {
  return sizes.reduce((sum, size) => sum + size * size, 0) / Math.max(1, before);
}

/**
 * The information gained by an answer, in bits, on average.
 * @param {number[]} sizes
 * @param {number} before
 */
function meanBits(sizes, before) {
  return sizes.reduce((sum, size) => sum + (size / before) * Math.log2(before / size), 0);
}

/**
 * @param {number} after
 * @param {number} expected
 */
function luck(after, expected) {
  if (after * 2 <= expected) return "lucky";
  return after > expected * 1.5 ? "unlucky" : "as expected";
}
