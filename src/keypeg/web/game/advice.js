/**
 * A good next guess, looking one guess ahead: the guess that leaves the fewest codes on average, and
 * among equal ones a guess that could be the code. Only the solver can find the proven best guess.
 */

import { answered, everyCode, fits, meanLeft, partition } from "./analysis.js";
import { codeCount, grouped, symbols } from "./board.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */
/**
 * @typedef {object} Advice
 * @property {number[]} guess
 * @property {boolean} possible whether it could be the code
 * @property {number} left the number of codes it leaves on average
 * @property {number} parts the number of different answers it can get
 */

/** The most scores to compute. If all guesses would take more, only some are tried. */
const MOST_WORK = 2_000_000;

/**
 * @param {Board} board
 * @param {number[][]} left the possible codes
 * @returns {Advice | null} null if no code is left
 */
export function advise(board, left) {
  if (left.length === codeCount(board)) return openings(board).map((guess) => judged(guess, left, true)).reduce(fewer);
  const possible = bestPossible(left);
  if (!possible || left.length <= 2) return possible;
  const own = new Set(left.map(String));
  return spread(everyCode(board), workFor(left))
    .filter((guess) => !own.has(String(guess)))
    .map((guess) => judged(guess, left, false))
    .reduce(fewer, possible);
}

/**
 * A first guess of every kind, such as 1111, 1112, 1123: before the first answer, neither the order of the
 * holes nor the names of the colours matter.
 * @param {Board} board
 */
function openings(board) {
  const [first] = symbols(board);
  return everyCode(board).filter((code) => code.every((peg, hole) => (hole === 0 ? peg === first : [0, 1].includes(peg - code[hole - 1]))));
}

/**
 * The best guess that could be the code.
 * @param {number[][]} left
 * @returns {Advice | null}
 */
function bestPossible(left) {
  if (left.length === 0) return null;
  const tried = left.length <= 2 ? [left[0]] : spread(left, workFor(left));
  return tried.map((guess) => judged(guess, left, true)).reduce(fewer);
}

/**
 * @param {Advice} one
 * @param {Advice} two
 */
function fewer(one, two) {
  return two.left < one.left - 1e-9 ? two : one;
}

/** @param {number[][]} left */
function workFor(left) {
  return Math.floor(MOST_WORK / 2 / left.length);
}

/**
 * @param {number[]} guess
 * @param {number[][]} left
 * @param {boolean} possible
 * @returns {Advice}
 */
export function judged(guess, left, possible) {
  const sizes = partition(left, guess);
  return { guess, possible, left: meanLeft(sizes, left.length), parts: sizes.length };
}

/**
 * At most `most` of the codes, evenly spaced.
 * @param {number[][]} codes
 * @param {number} most
 */
function spread(codes, most) {
  if (codes.length <= most) return codes;
  const step = codes.length / Math.max(1, most);
  return Array.from({ length: Math.max(1, most) }, (_, at) => codes[Math.floor(at * step)]);
}

/**
 * The reason for the advice.
 * @param {Advice} advice
 * @param {number} left the number of possible codes
 */
export function whyAdvised(advice, left) {
  if (left === 1) return "It is the only code left.";
  const average = describeSplit(advice, left);
  if (advice.possible) return `It could be the code, and ${average}.`;
  return `It cannot be the code; it is advised because it splits the remaining ${grouped(left)} best: it ${average}.`;
}

/**
 * The reason for the solver's guess, measured as the others are, so that they can be compared.
 * @param {number[]} guess
 * @param {number[][]} left the possible codes
 */
export function whyBest(guess, left) {
  if (left.length === 1) return "It is the only code left.";
  const isPossible = left.some((code) => String(code) === String(guess));
  const split = describeSplit(judged(guess, left, isPossible), left.length);
  const chance = isPossible ? `It could be the code, and ${split}.` : `It cannot be the code, but ${split}.`;
  return `${chance} Looking further ahead, the solver found no better guess.`;
}

/**
 * @param {Advice} advice
 * @param {number} left
 */
export function describeSplit({ left: mean, parts }, left) {
  return `leaves ${round(mean)} of ${grouped(left)} codes on average, with ${parts === 1 ? "only 1 possible answer" : `${parts} different answers`}`;
}

/** @param {number} number */
export function round(number) {
  return number >= 100 ? grouped(number) : String(Math.round(number * 10) / 10);
}

/**
 * The best guess among those that could be the code.
 * @param {Board} board
 * @param {readonly Row[]} rows
 * @returns {{ guess: number[], why: string } | null}
 */
export function goodGuess(board, rows) {
  const left = codesLeft(board, rows);
  const good = bestPossible(left);
  return good && { guess: good.guess, why: whyAdvised(good, left.length) };
}

/**
 * @param {Board} board
 * @param {readonly Row[]} rows
 */
export function codesLeft(board, rows) {
  const clues = answered(rows);
  return everyCode(board).filter((code) => clues.every((row) => fits(code, row)));
}
