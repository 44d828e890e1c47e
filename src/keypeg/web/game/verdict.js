/** What each row of a finished game was worth: the review, in numbers and in words. */

import { advise, round, whyAdvised } from "./advice.js";
import { answered, everyCode, fits, reviewRows } from "./analysis.js";
import { shortCode } from "./code.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {import("./analysis.js").RowReview} RowReview */
/** @typedef {import("./advice.js").Advice} Advice */
/** @typedef {"best" | "good" | "weak" | "wasted"} Mark */

/**
 * @typedef {object} Verdict
 * @property {number} row
 * @property {number[]} code
 * @property {{ black: number, white: number }} keys
 * @property {RowReview} review
 * @property {Advice | null} best the best guess there, judged one guess ahead
 * @property {number[][]} left the codes possible before the row
 * @property {Mark} mark
 * @property {string[]} words
 */

/** What the marks look like and mean. @type {Record<Mark, { sign: string, words: string }>} */
export const MARKS = {
  best: { sign: "★", words: "as good as any" },
  good: { sign: "✓", words: "good" },
  weak: { sign: "△", words: "a better row was there" },
  wasted: { sign: "✗", words: "told nothing new" },
};

/**
 * @param {Board} board
 * @param {readonly Row[]} rows
 * @returns {Verdict[]}
 */
export function verdicts(board, rows) {
  const told = answered(rows);
  let left = everyCode(board);
  return reviewRows(board, told).map((review, index) => {
    const { code, black, white } = told[index];
    const best = advise(board, left);
    const mark = markOf(review, best, black === board.holes);
    const verdict = { row: index + 1, code, keys: { black, white }, review, best, left, mark };
    left = left.filter((one) => fits(one, told[index]));
    return { ...verdict, words: wordsOf(verdict, board) };
  });
}

/**
 * The row to look at first: the one that fell furthest behind the best.
 * @param {Verdict[]} all
 */
export function worst(all) {
  const order = /** @type {Mark[]} */ (["wasted", "weak", "good", "best"]);
  return [...all].sort((one, two) => order.indexOf(one.mark) - order.indexOf(two.mark))[0];
}

/**
 * Luck told apart from skill, over the whole game.
 * @param {Verdict[]} all
 */
export function luckAndSkill(all) {
  const gained = all.reduce((sum, { review }) => sum + review.bits, 0);
  const worth = all.reduce((sum, { review }) => sum + review.worth, 0);
  const luck = gained - worth;
  const sign = luck >= 0 ? "brought" : "cost";
  const rest = all[all.length - 1].review.after;
  const end = rest > 1 ? ` ${count(rest)} were left at the end.` : "";
  return `The rows were worth ${round(worth)} bits on average: that is skill. They gained ${round(gained)}: luck ${sign} ${round(Math.abs(luck))}.${end}`;
}

/**
 * @param {RowReview} review
 * @param {Advice | null} best
 * @param {boolean} broken
 * @returns {Mark}
 */
function markOf(review, best, broken) {
  if (broken || !best || review.expected <= best.left * 1.05) return "best";
  if (review.after === review.before) return "wasted";
  return review.expected <= best.left * 1.5 ? "good" : "weak";
}

/**
 * @param {Omit<Verdict, "words">} verdict
 * @param {Board} board
 * @returns {string[]}
 */
function wordsOf({ review, best, left, mark }, board) {
  const { before, after, bits, expected, luck, possible, contradicts } = review;
  const words = [`${count(before)} possible before, ${count(after)} after: ${round(bits)} bits gained.`];
  words.push(`On average this row leaves ${round(expected)}: the answer was ${luck}.`);
  if (!possible) {
    words.push(`It could not be the code: it contradicts row${contradicts.length > 1 ? "s" : ""} ${contradicts.join(", ")}.`);
  }
  if (best && mark !== "best") words.push(`Better, one guess ahead: ${shortCode(best.guess, board)}. ${whyAdvised(best, left.length)}`);
  return words;
}

/** @param {number} codes */
function count(codes) {
  return codes === 1 ? "1 code" : `${codes.toLocaleString("en")} codes`;
}
