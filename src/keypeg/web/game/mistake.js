/** Mistakes: rows that cost 0.25 guesses or more, as positions to practise. */

import { codesLeft, describeSplit, judged } from "./advice.js";
import { answered, answeredNumbers, isSmall } from "./analysis.js";
import { describeCode } from "./code.js";
import { dayOf } from "./week.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Review} Review */
/** @typedef {import("./analysis.js").AnsweredRow} AnsweredRow */

/**
 * @typedef {object} Mistake
 * @property {string} id its game and the number of the row
 * @property {number} at when it was found
 * @property {string} board
 * @property {number} row its number on the board
 * @property {AnsweredRow[]} rows the answered rows before it
 * @property {number[]} guess the row that was played
 * @property {number[]} best
 * @property {number} loss what the row cost, in expected guesses
 * @property {string} certainty
 * @property {string | null} tried the day of the last answer
 * @property {string[]} solved the days on which the first answer was right
 */

/** The least loss of a mistake, in expected guesses. */
export const LEAST_LOSS = 0.25;
/** Two losses that are no further apart are the same. */
export const SAME = 0.005;
/** A mistake is practised until it is solved on this many days. */
const TIMES = 2;

/**
 * The mistakes of a game.
 * @param {string} game its id
 * @param {number} at when it was played
 * @param {Board} board
 * @param {readonly import("../wire.js").Row[]} rows
 * @param {Review} review
 * @returns {Mistake[]}
 */
export function mistakesOf(game, at, board, rows, review) {
  const clues = answered(rows);
  const numbers = answeredNumbers(rows);
  return review.rows.flatMap(({ loss, best, certainty }, index) => {
    if (loss < LEAST_LOSS) return [];
    const place = { id: `${game} ${numbers[index]}`, at, board: board.name, row: numbers[index], rows: clues.slice(0, index) };
    return [{ ...place, guess: clues[index].code, best, loss, certainty, tried: null, solved: [] }];
  });
}

/** @param {Mistake} mistake */
export function isDone({ solved }) {
  return solved.length >= TIMES;
}

/**
 * The mistakes to practise today, the oldest first. Each comes once a day.
 * @param {readonly Mistake[]} mistakes
 * @param {number} now
 * @returns {Mistake[]}
 */
export function dueAt(mistakes, now) {
  const today = dayOf(now);
  return mistakes
    .filter((mistake) => !isDone(mistake) && mistake.tried !== today && !mistake.solved.includes(today))
    .sort((one, two) => one.at - two.at || one.row - two.row);
}

/**
 * A mistake after the first answer of a day.
 * @param {Mistake} mistake
 * @param {boolean} right
 * @param {number} now
 * @returns {Mistake}
 */
export function answeredOn(mistake, right, now) {
  const today = dayOf(now);
  return { ...mistake, tried: today, solved: right ? [...new Set([...mistake.solved, today])].sort() : mistake.solved };
}

/**
 * One mistake that two browsers know.
 * @param {Mistake} one
 * @param {Mistake} two
 * @returns {Mistake}
 */
export function mergedMistake(one, two) {
  const tried = [one.tried, two.tried].filter((day) => day !== null).sort().pop() ?? null;
  return { ...one, tried, solved: [...new Set([...one.solved, ...two.solved])].sort().slice(-9) };
}

/**
 * What an answer is worth, in words.
 * @param {Mistake} mistake
 * @param {number[]} guess
 * @param {number} loss what it costs compared with the best row
 * @param {string} certainty
 * @param {Board} board
 * @returns {{ right: boolean, words: string[] }}
 */
export function judgement(mistake, guess, loss, certainty, board) {
  const right = loss < SAME;
  const left = isSmall(board) ? codesLeft(board, mistake.rows) : [];
  const named = (/** @type {number[]} */ code) => `(${describeCode(code, board)}) ${split(code, left)}`;
  const compared = left.length ? [`This row ${named(guess)}; your row ${named(mistake.guess)}.`] : [];
  if (String(guess) === String(mistake.guess)) {
    return { right, words: [`This is the row you played. It is ${loss.toFixed(2)} guesses worse than the best row (${certainty}).`] };
  }
  const first = right ? `No row is better than this one (${certainty}): ${difference(mistake.loss - loss)}.` : `${loss.toFixed(2)} guesses worse than the best row (${certainty}), and ${difference(mistake.loss - loss)}.`;
  return { right, words: [first, ...compared] };
}

/**
 * How an answer compares with the row that was played.
 * @param {number} saved
 */
function difference(saved) {
  if (Math.abs(saved) < SAME) return "as good as your row";
  return saved > 0 ? `${saved.toFixed(2)} guesses better than your row` : `${(-saved).toFixed(2)} guesses worse than your row`;
}

/**
 * @param {number[]} guess
 * @param {number[][]} left
 */
function split(guess, left) {
  return describeSplit(judged(guess, left, false), left.length);
}
