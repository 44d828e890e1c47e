/** What each row of a finished game was worth: the review, in numbers and in words. */

import { advise, judged, round, whyAdvised } from "./advice.js";
import { answered, everyCode, fits, reviewRows } from "./analysis.js";
import { shortCode } from "./code.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {import("./analysis.js").RowReview} RowReview */
/** @typedef {import("./advice.js").Advice} Advice */
/** @typedef {"best" | "good" | "weak" | "poor" | "wasted"} Mark */
/** @typedef {import("../wire.js").Rating} Rating */

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
  poor: { sign: "▼", words: "a much better row was there" },
  wasted: { sign: "✗", words: "a row wasted" },
};

/** From which loss on, in expected guesses, a row gets which mark. @type {[number, Mark][]} */
const LOSSES = [
  [1, "wasted"],
  [0.5, "poor"],
  [0.25, "weak"],
  [0.005, "good"],
  [-Infinity, "best"],
];

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
  const order = /** @type {Mark[]} */ (["wasted", "poor", "weak", "good", "best"]);
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
 * The same verdicts with the solver's word on each: its loss against the best guess, and why.
 * @param {Verdict[]} all
 * @param {Rating} rating
 * @param {Board} board
 * @returns {Verdict[]}
 */
export function rated(all, rating, board) {
  return all.map((verdict) => {
    const row = rating.rows.find((one) => one.row === verdict.row);
    if (!row) return verdict;
    const mark = LOSSES.find(([least]) => row.loss >= least)?.[1] ?? "best";
    const facts = verdict.words.filter((line) => !line.startsWith("Better, one guess ahead"));
    const isPossible = verdict.left.some((code) => String(code) === String(row.best));
    const best = judged(row.best, verdict.left, isPossible);
    return { ...verdict, mark, best, words: [...facts, ...solverWords(row, best, mark, verdict.left.length, board)] };
  });
}

/**
 * @param {import("../wire.js").RatedRow} row
 * @param {Advice} best
 * @param {Mark} mark
 * @param {number} left
 * @param {Board} board
 */
function solverWords({ loss, certainty }, best, mark, left, board) {
  if (mark === "best") return [`No row was better (${certainty}).`];
  const cost = `It cost ${loss.toFixed(2)} guesses against the best row (${certainty}).`;
  return [cost, `The best: ${shortCode(best.guess, board)}. ${whyAdvised(best, left)}`];
}

/**
 * What the whole game comes to, in guesses, or the rows that the solver had time for.
 * @param {Rating} rating
 * @param {number} played
 */
export function ratingSummary({ rows, loss, luck, start, certainty }, played) {
  const which = rows.length < played ? `the first ${rows.length} rows` : "the rows";
  const fortune = luck >= 0 ? `luck saved ${luck.toFixed(2)}` : `bad luck cost ${(-luck).toFixed(2)}`;
  return `Against the best play, which needs ${start.toFixed(2)} guesses on average, ${which} lost ${loss.toFixed(2)} and ${fortune} (${certainty}).`;
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
