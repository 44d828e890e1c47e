/** What the rows tell: which codes are left. Every code is tried, so it is for boards of a size. */

import { codeCount, symbols } from "./board.js";
import { score } from "./keypegs.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {{ code: number[], black: number, white: number }} AnsweredRow */

/** Up to how many codes are tried in the browser. */
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
 * The rows that tell something: guesses with their answers.
 * @param {readonly Row[]} rows
 * @returns {AnsweredRow[]}
 */
export function answered(rows) {
  return rows.flatMap(({ code, black, white }) =>
    code && black !== null && white !== null ? [{ code, black, white }] : [],
  );
}

/**
 * The numbers that the answered rows have on the board, where rows may have run out of time.
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
 * @property {number} before how many codes were left before its answer
 * @property {number} after and after it
 * @property {boolean} possible whether it could still have been the code
 * @property {number[]} contradicts the earlier answered rows, counted from 1, that it contradicts
 * @property {number} bits what its answer told, in bits
 * @property {number} worth what it tells on average, in bits
 * @property {number} expected the codes left after it on average, over all codes then possible
 * @property {string} luck in one word
 */

/**
 * What each answered row was worth.
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
 * How many of the codes would get each answer to a guess; answers that none gets are left out.
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
    // A colour of the code meets one of the guess when either comes while the other is spare.
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
 * How many codes are left after a guess, on average over those possible before it.
 * @param {number[]} sizes
 * @param {number} before
 */
export function meanLeft(sizes, before) {
  return sizes.reduce((sum, size) => sum + size * size, 0) / Math.max(1, before);
}

/**
 * How many bits an answer tells, on average.
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
