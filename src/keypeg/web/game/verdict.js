/**
 * The review of a finished game: how good each row was, in numbers and words. On small boards the
 * browser tries every code itself; on larger boards the solver is asked.
 */

import { advise, describeSplit, judged, round, whyAdvised } from "./advice.js";
import { answered, answeredNumbers, everyCode, fits, reviewRows } from "./analysis.js";
import { counted } from "./board.js";
import { describeCode } from "./code.js";
import { rowNames } from "./contradiction.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {import("./analysis.js").RowReview} RowReview */
/** @typedef {import("./analysis.js").AnsweredRow} AnsweredRow */
/** @typedef {import("./advice.js").Advice} Advice */
/** @typedef {"best" | "good" | "weak" | "poor" | "wasted"} Mark */
/** @typedef {import("../wire.js").Review} Review */

/**
 * @typedef {object} Verdict
 * @property {number} row its number on the board
 * @property {number[]} code
 * @property {{ black: number, white: number }} keys
 * @property {Pick<RowReview, "before" | "after">} review
 * @property {number[] | null} best the best guess at this point
 * @property {number[][]} left the codes possible before the row; empty if there are too many to list
 * @property {Mark} mark
 * @property {string[]} words
 */

/** The signs and names of the marks. @type {Record<Mark, { sign: string, words: string }>} */
export const MARKS = {
  best: { sign: "★", words: "no row was better" },
  good: { sign: "✓", words: "good" },
  weak: { sign: "△", words: "a better row was possible" },
  poor: { sign: "▼", words: "a much better row was possible" },
  wasted: { sign: "✗", words: "a wasted row" },
};

/** The least loss, in expected guesses, for each mark. @type {[number, Mark][]} */
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
  const clues = answered(rows);
  const numbers = answeredNumbers(rows);
  let left = everyCode(board);
  return reviewRows(board, clues).map((review, index) => {
    const { code, black, white } = clues[index];
    const best = advise(board, left);
    const mark = markOf(review, best, black === board.holes);
    const words = [...facts(review, numbers), ...fortune(review), ...(best && mark !== "best" ? [better(best, left.length, board)] : [])];
    const verdict = { row: numbers[index], code, keys: { black, white }, review, best: best?.guess ?? null, left, mark, words };
    left = left.filter((one) => fits(one, clues[index]));
    return verdict;
  });
}

/**
 * The row with the worst mark, which is shown first.
 * @param {Verdict[]} all
 */
export function worst(all) {
  const order = /** @type {Mark[]} */ (["wasted", "poor", "weak", "good", "best"]);
  return [...all].sort((one, two) => order.indexOf(one.mark) - order.indexOf(two.mark))[0];
}

/**
 * Luck and skill over the whole game, in words.
 * @param {Board} board
 * @param {readonly Row[]} rows
 */
export function luckAndSkill(board, rows) {
  const all = reviewRows(board, answered(rows));
  const gained = all.reduce((sum, { bits }) => sum + bits, 0);
  const worth = all.reduce((sum, row) => sum + row.worth, 0);
  const luck = gained - worth;
  const sign = luck >= 0 ? "luck added" : "bad luck cost";
  const rest = all[all.length - 1].after;
  const end = rest > 1 ? ` ${counted(rest, "code")} were left at the end.` : "";
  return `On average, these guesses gain ${bitsOf(worth)}: that is skill. They gained ${round(gained)}: ${sign} ${round(Math.abs(luck))}.${end}`;
}

/**
 * The solver's verdicts: how much each row cost compared with the best one, and why. The solver
 * stops where no code fits; the browser's own verdicts are used for the rows after that.
 * @param {Board} board
 * @param {readonly Row[]} rows
 * @param {Review} review
 * @param {Verdict[]} here the browser's own verdicts, if every code could be tried
 * @returns {Verdict[]}
 */
export function rated(board, rows, review, here) {
  const clues = answered(rows);
  const numbers = answeredNumbers(rows);
  const found = review.rows.map((row, index) => {
    const { code, black, white } = clues[index];
    const left = here[index]?.left ?? [];
    const mark = LOSSES.find(([least]) => row.loss >= least)?.[1] ?? "best";
    const compared = mark === "best" || !left.length ? [] : [own(code, left), best(row.best, left, board)];
    const words = [...facts(row, numbers), ...cost(row, mark), ...compared];
    return { row: numbers[index], code, keys: { black, white }, review: row, best: row.best, left, mark, words };
  });
  return [...found, ...here.slice(found.length)];
}

/**
 * @param {import("../wire.js").RatedRow} row
 * @param {Mark} mark
 */
function cost({ loss, luck, certainty }, mark) {
  const lost = mark === "best" ? `No row was better (${certainty}).` : `${loss.toFixed(2)} guesses worse than the best row (${certainty}).`;
  if (luck === null || Math.abs(luck) < 0.005) return [lost];
  return [lost, luck > 0 ? `Luck in the answer saved ${luck.toFixed(2)} guesses.` : `Bad luck in the answer cost ${(-luck).toFixed(2)} guesses.`];
}

/**
 * What the row that was played does to the codes, measured as for the best row.
 * @param {number[]} code
 * @param {number[][]} left
 */
function own(code, left) {
  return `This row ${describeSplit(judged(code, left, false), left.length)}.`;
}

/**
 * @param {number[]} guess
 * @param {number[][]} left
 * @param {Board} board
 */
function best(guess, left, board) {
  const isPossible = left.some((code) => String(code) === String(guess));
  const split = describeSplit(judged(guess, left, isPossible), left.length);
  return `The best row (${describeCode(guess, board)}) ${split}. ${isPossible ? "It could be the code." : "It could not be the code."}`;
}

/**
 * A summary of the rated rows, in expected guesses; and why some rows are not rated.
 * @param {Review} review
 * @param {number} played
 */
export function reviewSummary({ rows, loss, luck, start, certainty, complete }, played) {
  const first = rows.length === 1 ? "the first row" : `the first ${rows.length} rows`;
  const which = rows.length < played ? first : "the rows";
  const fortune = luck >= 0 ? `luck saved ${luck.toFixed(2)}` : `bad luck cost ${(-luck).toFixed(2)}`;
  return `Compared with the best play, which needs ${start.toFixed(2)} guesses on average, ${which} lost ${loss.toFixed(2)} and ${fortune} (${certainty}).${rest(rows.length < played, complete)}`;
}

/**
 * @param {boolean} isShort
 * @param {boolean} complete
 */
function rest(isShort, complete) {
  if (!isShort) return "";
  return complete ? " No code fits the answers after that." : " There was no time to rate the others.";
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
 * @param {{ before: number, after: number, exact?: boolean, bits: number | null, contradicts: number[] }} row
 * @param {number[]} numbers of the answered rows
 * @returns {string[]}
 */
function facts({ before, after, exact, bits, contradicts }, numbers) {
  const about = exact === false ? "About " : "";
  const gained = bits === null ? "" : `: ${bitsOf(bits)} gained`;
  const words = [`${about}${counted(before, "code")} possible before, ${counted(after, "code")} after${gained}.`];
  if (contradicts.length === 0) return words;
  return [...words, `It could not be the code: it contradicts ${rowNames(contradicts.map((row) => numbers[row - 1]))}.`];
}

/** @param {RowReview} review */
function fortune({ expected, luck }) {
  return [`On average this row leaves ${round(expected)}: the answer was ${luck}.`];
}

/**
 * @param {Advice} advice
 * @param {number} left
 * @param {Board} board
 */
function better(advice, left, board) {
  return `Better, looking one guess ahead: ${describeCode(advice.guess, board)}. ${whyAdvised(advice, left)}`;
}

/** @param {number} bits */
function bitsOf(bits) {
  return `${round(bits)} bit${round(bits) === "1" ? "" : "s"}`;
}
