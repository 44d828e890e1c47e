/** Deductions and answers in words: the same sentences as those of keypeg.puzzles.wording. */

import { counted, darkKeyPeg } from "../board.js";
import { pegName } from "../code.js";
import { BLANK } from "../colours.js";
import { score } from "../keypegs.js";
import { codeSets } from "./codesets.js";
import { solution } from "./deduction.js";

/** @typedef {import("../../wire.js").Board} Board */
/** @typedef {import("../keypegs.js").KeyPegs} KeyPegs */
/** @typedef {import("./codesets.js").PuzzleRow} PuzzleRow */
/** @typedef {import("./deduction.js").Statement} Statement */
/** @typedef {import("./deduction.js").Step} Step */
/** @typedef {import("./puzzle.js").Puzzle} Puzzle */

/**
 * All deductions that solve a puzzle, in words.
 * @param {Pick<Puzzle, "board" | "rows">} puzzle
 */
export function hints({ board, rows }) {
  const told = [...solution(codeSets(board), rows)].map(({ step }) => describeStep(step, rows, board));
  return [...told, "Now only one code fits."];
}

/**
 * The first row that a code breaks, counted from 1, and how; null if it breaks none.
 * @param {Pick<Puzzle, "board" | "rows">} puzzle
 * @param {number[]} code
 */
export function wrongTry({ board, rows }, code) {
  for (const [index, row] of rows.entries()) {
    const would = score(code, row.guess);
    if (would.black === row.black && would.white === row.white) continue;
    return { row: index + 1, words: `Row ${index + 1} would have ${keyWords(would, board)}, but it has ${keyWords(row, board)}.` };
  }
  return null;
}

/**
 * Key pegs in words: "1 black and 2 white", "3 white", "no key pegs".
 * @param {KeyPegs} keys
 * @param {Board} board
 */
export function keyWords({ black, white }, board) {
  const words = [black > 0 && `${black} ${darkKeyPeg(board)}`, white > 0 && `${white} white`];
  return words.filter(Boolean).join(" and ") || "no key pegs";
}

/**
 * @param {Step} step
 * @param {PuzzleRow[]} rows
 * @param {Board} board
 */
function describeStep(step, rows, board) {
  const told = claimWords(step.learned, board);
  const [one, other] = step.rows;
  switch (step.technique) {
    case "suppose":
      return supposition(step, board);
    case "row":
      return `In every way in which row ${one + 1} can be right: ${told}.`;
    case "compare": {
      const ofPlaces = step.learned[0].fact.hole !== null;
      const what = ofPlaces ? `${darkKeyPeg(board)} key peg` : "key peg";
      const [first, second] = step.rows.map((row) => counted(ofPlaces ? rows[row].black : rows[row].black + rows[row].white, what));
      return `Compare row ${one + 1} (${first}) with row ${other + 1} (${second}). Whatever fits both: ${told}.`;
    }
    default:
      return counting(step, rows[one], board);
  }
}

/**
 * @param {Step} step
 * @param {KeyPegs} keys
 * @param {Board} board
 */
function counting({ rows: [row], learned }, keys, board) {
  const kinds = [[false, false], [false, true], [true, false], [true, true]];
  const alike = kinds.map(([ofPlaces, holds]) => telling(learned).filter((one) => (one.fact.hole !== null) === ofPlaces && one.holds === holds));
  const said = alike.filter((statements) => statements.length > 0);
  return said.map((statements) => `${reason(row + 1, keys, board, statements[0])}: ${claimWords(statements, board)}.`).join(" ");
}

/**
 * Why counting shows this.
 * @param {number} row
 * @param {KeyPegs} keys
 * @param {Board} board
 * @param {Statement} statement
 */
function reason(row, { black, white }, board, { fact, holds }) {
  const dark = darkKeyPeg(board);
  if (fact.hole === null) {
    const total = black + white;
    if (!total) return `Row ${row} has no key pegs`;
    if (holds) return `Row ${row} cannot get its ${allOf(total, "key peg")} otherwise`;
    return `The ${allOf(total, "key peg")} of row ${row} ${total === 1 ? "leaves" : "leave"} no room for more`;
  }
  if (!black) return `Row ${row} has no ${dark} key pegs`;
  if (holds) return `Row ${row} cannot get its ${allOf(black, `${dark} key peg`)} otherwise`;
  return `The ${allOf(black, `${dark} key peg`)} of row ${row} ${black === 1 ? "belongs to another hole" : "belong to other holes"}`;
}

/**
 * "only key peg", "2 key pegs".
 * @param {number} number
 * @param {string} noun
 */
function allOf(number, noun) {
  return number === 1 ? `only ${noun}` : counted(number, noun);
}

/**
 * @param {Step} step
 * @param {Board} board
 */
function supposition({ supposed, learned, inside }, board) {
  const then = inside.slice(0, -1).map((one) => ` By row ${one.rows[0] + 1}: ${claimWords(one.learned, board)}.`);
  const broken = `row ${inside[inside.length - 1].rows[0] + 1} cannot be right`;
  const ending = then.length ? ` Now ${broken}.` : ` Then ${broken}.`;
  return `Suppose: ${claimWords(supposed, board)}.${then.join("")}${ending} So: ${claimWords(learned, board)}.`;
}

/**
 * @param {Statement[]} statements
 * @param {Board} board
 */
function claimWords(statements, board) {
  return telling(statements).map((statement) => oneStatement(statement, board)).join(", ");
}

/**
 * Statements without those that follow from others among them.
 * @param {Statement[]} statements
 */
function telling(statements) {
  const filled = new Set(statements.filter(({ holds }) => holds).map(({ fact }) => fact.hole));
  const absent = new Set(statements.filter(({ fact, holds }) => !holds && fact.hole === null && fact.times === 1).map(({ fact }) => fact.peg));
  /** @type {Map<string, Statement>} */
  const found = new Map();
  for (const statement of statements) {
    const { fact, holds } = statement;
    if (fact.hole !== null && !holds && (filled.has(fact.hole) || absent.has(fact.peg))) continue;
    const key = `${fact.hole} ${fact.peg} ${holds}`;
    if (holds || !found.has(key)) found.set(key, statement);
  }
  return [...found.values()];
}

/**
 * @param {Statement} statement
 * @param {Board} board
 */
function oneStatement({ fact: { hole, peg, times }, holds }, board) {
  const name = pegName(peg, board);
  if (hole !== null) return `hole ${hole + 1} is ${holds ? "" : "not "}${name}`;
  const noun = peg === BLANK ? "blank" : `${name} peg`;
  if (holds) return `at least ${counted(times, noun)}`;
  return times > 1 ? `at most ${counted(times - 1, noun)}` : `no ${noun}s`;
}
