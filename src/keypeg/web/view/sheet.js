/** Sheets of puzzles for paper, as in keypeg.terminal.puzzle_sheet. */

import { palette } from "../game/board.js";
import { pegLetter, pegName } from "../game/code.js";
import { BLANK } from "../game/colours.js";
import { describeKeyPegs } from "../game/keypegs.js";
import { pegsOf } from "../game/puzzles/codesets.js";
import { SHAPES } from "../look/shapes.js";
import { drawing, element } from "./element.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/keypegs.js").KeyPegs} KeyPegs */
/** @typedef {import("../game/puzzles/puzzle.js").Puzzle} Puzzle */
/** @typedef {"letters" | "shapes"} Labels */

export const A_PAGE = 6;

/**
 * The pages, the one with the solutions last.
 * @param {Puzzle[]} puzzles
 * @param {Labels} labels
 */
export function sheets(puzzles, labels) {
  const numbered = puzzles.map((puzzle, index) => ({ puzzle, number: index + 1 }));
  const starts = numbered.filter((_, index) => index % A_PAGE === 0).map((_, page) => page * A_PAGE);
  const pages = starts.map((start) => sheet(numbered.slice(start, start + A_PAGE), labels));
  const codes = numbered.map(({ puzzle, number }) => element("li", {}, `${number}. `, pegs(puzzle.code, puzzle.board, labels)));
  return [...pages, element("section", { class: "sheet" }, element("h2", {}, "Solutions"), element("ul", { class: "sheet-solutions" }, ...codes))];
}

/**
 * @param {{ puzzle: Puzzle, number: number }[]} numbered
 * @param {Labels} labels
 */
function sheet(numbered, labels) {
  const articles = numbered.map(({ puzzle, number }) => onPaper(puzzle, number, labels));
  return element("section", { class: "sheet" }, element("h2", {}, "One answer left"), element("p", {}, task(numbered[0].puzzle.board)), element("div", { class: "sheet-puzzles" }, ...articles), legend(numbered[0].puzzle.board, labels));
}

/**
 * What is to be done, for whoever gets the sheet without the page.
 * @param {Board} board
 */
function task({ repeats }) {
  return `Find the one code that fits all rows of a puzzle. ${repeats ? "A colour may appear in it more than once." : "No colour appears in it twice."}`;
}

/**
 * @param {Puzzle} puzzle
 * @param {number} number
 * @param {Labels} labels
 */
function onPaper({ board, grade, seed, rows }, number, labels) {
  const items = rows.map((row) => element("li", { class: "sheet-row" }, pegs(row.guess, board, labels), ...keyPegs(row, board)));
  const empty = Array.from({ length: board.holes }, () => element("span", { class: "sheet-peg" }));
  const answer = element("li", { class: "sheet-row sheet-answer" }, element("span", { class: "sheet-pegs" }, ...empty));
  const title = element("h3", {}, String(number), element("span", {}, `Grade ${grade}, ${board.name}, ${seed}`));
  return element("article", {}, title, element("ul", { class: "sheet-rows" }, ...items, answer), grid(board, labels));
}

/**
 * For each peg and hole a box to cross out.
 * @param {Board} board
 * @param {Labels} labels
 */
function grid(board, labels) {
  const holes = Array.from({ length: board.holes }, (_, hole) => element("th", { scope: "col" }, String(hole + 1)));
  const lines = pegsOf(board).map((peg) => element("tr", {}, element("th", { scope: "row" }, sign(peg, board, labels)), ...holes.map(() => element("td"))));
  return element("table", { class: "sheet-grid", "aria-label": "For your notes" }, element("tr", {}, element("td"), ...holes), ...lines);
}

/**
 * @param {Board} board
 * @param {Labels} labels
 */
function legend(board, labels) {
  const named = pegsOf(board).flatMap((peg, index) => [index ? ", " : "", sign(peg, board, labels, true), ` ${pegName(peg, board)}`]);
  return element("p", { class: "sheet-legend" }, ...named, ". A filled key peg: right colour, right hole. A ring: right colour, wrong hole.");
}

/**
 * @param {number[]} code
 * @param {Board} board
 * @param {Labels} labels
 */
function pegs(code, board, labels) {
  return element("span", { class: "sheet-pegs" }, ...code.map((peg) => element("span", { class: "sheet-peg" }, sign(peg, board, labels))));
}

/**
 * What is on a peg.
 * @param {number} peg
 * @param {Board} board
 * @param {Labels} labels
 * @param {boolean} [isNamed] whether its name is beside it
 * @returns {Node | string}
 */
function sign(peg, board, labels, isNamed = false) {
  if (peg === BLANK || labels === "letters") return pegLetter(peg, board);
  const { name } = palette(board)[peg - 1];
  const shape = drawing(SHAPES[name], "sheet-shape");
  if (isNamed) return shape;
  shape.removeAttribute("aria-hidden");
  shape.setAttribute("role", "img");
  shape.setAttribute("aria-label", name);
  return shape;
}

/**
 * @param {KeyPegs} keys
 * @param {Board} board
 */
function keyPegs(keys, board) {
  const dark = Array.from({ length: keys.black }, () => element("span", { class: "sheet-key dark" }));
  const white = Array.from({ length: keys.white }, () => element("span", { class: "sheet-key" }));
  return [element("span", { class: "sheet-keys" }, ...dark, ...white), element("span", { class: "sheet-said" }, describeKeyPegs(keys, board))];
}
