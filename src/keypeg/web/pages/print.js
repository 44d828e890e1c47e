/** The page that prints puzzles: six a page, and their solutions. Its address has what is printed. */

import { parseBoard } from "../game/board.js";
import { Refusal } from "../game/code.js";
import { BOARD_TITLES, BOARDS, GRADE_TITLES, readQuery } from "../game/puzzles/address.js";
import { GRADES } from "../game/puzzles/grading.js";
import { anySeed, makePuzzle, MOST_SEED } from "../game/puzzles/puzzle.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { A_PAGE, sheets } from "../view/sheet.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/puzzles/puzzle.js").Puzzle} Puzzle */

const MOST_PAGES = 5;
/** The grades of a page for which none was chosen. */
const MIXED_GRADES = [1, 2, 2, 3, 4, 5];

/**
 * A select with a label.
 * @param {string} id
 * @param {string} words
 * @param {[string, string][]} options values with their words
 * @param {string} chosen
 */
function field(id, words, options, chosen) {
  const choices = options.map(([value, text]) => element("option", { value }, text));
  const select = element("select", { id, onchange: () => draw() }, ...choices);
  select.value = chosen;
  return { select, label: element("label", { for: id }, words, select) };
}

const asked = new URLSearchParams(location.search);
const first = readQuery(location.search);
const offered = BOARDS.includes(first.board.name) ? BOARDS : [...BOARDS, first.board.name];
let seed = first.seed ?? anySeed();
const board = field("board", "Board", offered.map((name) => [name, BOARD_TITLES[name] ?? name]), first.board.name);
const grade = field("grade", "Grade", [["", "mixed"], ...GRADES.map((one) => /** @type {[string, string]} */ ([String(one), GRADE_TITLES[one]]))], asked.has("grade") ? String(first.grade) : "");
const pages = field("pages", "Pages", Array.from({ length: MOST_PAGES }, (_, index) => [String(index + 1), String(index + 1)]), String(Math.min(Math.max(Number(asked.get("pages")) || 1, 1), MOST_PAGES)));
const labels = field("labels", "On the pegs", [["letters", "letters"], ["shapes", "shapes"]], asked.get("labels") === "shapes" ? "shapes" : "letters");
const wrong = element("p", { class: "wrong", role: "alert" });

/** Draw the sheets again. If the board has no such puzzles, say so and leave them as they are. */
function draw() {
  wrong.textContent = "";
  try {
    const chosen = parseBoard(board.select.value) ?? first.board;
    const puzzles = forSheets(chosen, Number(grade.select.value) || null, Number(pages.select.value) * A_PAGE);
    find("#sheets").replaceChildren(...sheets(puzzles, labels.select.value === "shapes" ? "shapes" : "letters"));
    const query = new URLSearchParams({ board: chosen.name, seed: String(seed), pages: pages.select.value, labels: labels.select.value });
    if (grade.select.value) query.set("grade", grade.select.value);
    history.replaceState(null, "", `/print?${query}`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    wrong.textContent = error.message;
  }
}

/**
 * The puzzles from a seed on; without a grade they get harder, as far as the board allows.
 * @param {Board} chosen
 * @param {number | null} wanted
 * @param {number} number
 * @returns {Puzzle[]}
 */
function forSheets(chosen, wanted, number) {
  let hardest = wanted ?? GRADES[GRADES.length - 1];
  return Array.from({ length: number }, (_, index) => {
    const at = (seed + index) % (MOST_SEED + 1);
    for (let tried = wanted ?? Math.min(MIXED_GRADES[index % A_PAGE], hardest); ; tried -= 1) {
      try {
        return makePuzzle(chosen, tried, at);
      } catch (error) {
        if (!(error instanceof Refusal) || wanted !== null || tried === GRADES[0]) throw error;
        hardest = tried - 1;
      }
    }
  });
}

function others() {
  seed = anySeed();
  draw();
}

find("#choices").append(
  element("div", { class: "fields" }, board.label, grade.label, pages.label, labels.label),
  wrong,
  element("div", { class: "buttons" }, element("button", { type: "button", class: "primary", onclick: () => print() }, "Print"), element("button", { type: "button", onclick: others }, "Other puzzles")),
);
setUpLook(first.board);
draw();
