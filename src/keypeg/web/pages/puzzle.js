/** The page of puzzles: one answer left. Its address has the board, the grade and the seed. */

import { parseBoard } from "../game/board.js";
import { Refusal } from "../game/code.js";
import { BOARD_TITLES, BOARDS, GRADE_TITLES, puzzleAddress, readQuery } from "../game/puzzles/address.js";
import { GRADES } from "../game/puzzles/grading.js";
import { anySeed, makePuzzle } from "../game/puzzles/puzzle.js";
import { puzzleFinished } from "../live/puzzles.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { PuzzleView } from "../view/puzzle.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/puzzles/puzzle.js").Puzzle} Puzzle */
/** @typedef {import("../view/puzzle.js").Played} Played */

class PuzzlePage {
  constructor() {
    this.view = new PuzzleView({ finished: (puzzle, played) => this.finished(puzzle, played) });
    this.title = element("h2", { tabindex: -1 });
    this.boards = element("select", { id: "board", onchange: () => this.choose() });
    this.grades = element("select", { id: "grade", onchange: () => this.choose() }, ...GRADES.map((grade) => element("option", { value: grade }, GRADE_TITLES[grade])));
    this.next = element("button", { type: "button", onclick: () => this.another() }, "Another puzzle");
    const fields = element("div", { class: "fields" }, labelled("Board", this.boards), labelled("Grade", this.grades));
    this.wrong = element("p", { class: "wrong", role: "alert" });
    const choice = element("section", { class: "stack choice", "aria-label": "Another puzzle" }, fields, this.wrong, element("div", { class: "buttons" }, this.next));
    find("#puzzle").append(this.title, this.view.element, choice);
    this.follow();
    addEventListener("popstate", () => this.follow());
  }

  /** Show the puzzle of the address, unless it is the one that is shown. */
  follow() {
    const { puzzle } = this.view;
    if (puzzle && location.search === puzzleAddress(puzzle).replace("/puzzle", "")) return;
    const { board, grade, seed } = readQuery(location.search);
    this.offer(board);
    this.grades.value = String(grade);
    this.open(board, grade, seed ?? anySeed(), false);
  }

  /**
   * The boards to choose from, this one included.
   * @param {Board} board
   */
  offer(board) {
    const names = BOARDS.includes(board.name) ? BOARDS : [...BOARDS, board.name];
    this.boards.replaceChildren(...names.map((name) => element("option", { value: name }, BOARD_TITLES[name] ?? name)));
    this.boards.value = board.name;
  }

  choose() {
    const board = parseBoard(this.boards.value);
    if (board) this.open(board, Number(this.grades.value), anySeed(), true);
  }

  another() {
    this.choose();
    this.title.focus();
  }

  /**
   * Show a puzzle. If the board has none, say so and leave the page as it is.
   * @param {Board} board
   * @param {number} grade
   * @param {number} seed
   * @param {boolean} isNew whether the browser's Back leads to the one before
   */
  open(board, grade, seed, isNew) {
    this.wrong.textContent = "";
    try {
      const puzzle = makePuzzle(board, grade, seed);
      setUpLook(board);
      this.view.show(puzzle);
      this.next.classList.remove("primary");
      this.title.textContent = `Puzzle ${seed}, grade ${grade}`;
      const address = puzzleAddress(puzzle);
      if (isNew) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.wrong.textContent = error.message;
      if (this.view.puzzle) this.grades.value = String(this.view.puzzle.grade);
    }
    this.title.hidden = this.view.element.hidden = !this.view.puzzle;
  }

  /**
   * @param {Puzzle} puzzle
   * @param {Played} played
   */
  finished({ board, grade, seed }, played) {
    puzzleFinished({ board: board.name, grade, seed, ...played });
    this.next.classList.add("primary");
  }
}

/**
 * @param {string} words
 * @param {HTMLElement} field
 */
function labelled(words, field) {
  return element("label", { for: field.id }, words, field);
}

new PuzzlePage();
