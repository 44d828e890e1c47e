/** A puzzle to solve: its rows, a row to fill, hints and the answer. */

import { counted } from "../game/board.js";
import { describeCode } from "../game/code.js";
import { emptyDraft, moveTo } from "../game/draft.js";
import { hints, wrongTry } from "../game/puzzles/wording.js";
import { clock } from "../game/rowwords.js";
import { Stopwatch } from "../live/stopwatch.js";
import { element } from "./element.js";
import { focusKeeper } from "./focus.js";
import { strip } from "./reading.js";
import { RowForm } from "./rowform.js";
import { announce } from "./status.js";

/** @typedef {import("../game/puzzles/puzzle.js").Puzzle} Puzzle */
/** @typedef {{ solved: boolean, seconds: number, tries: number, hints: number }} Played */

export class PuzzleView {
  /**
   * @param {object} settings
   * @param {(puzzle: Puzzle, played: Played) => void} settings.finished called once for each puzzle
   * @param {boolean} [settings.helps] whether there are hints and the answer
   */
  constructor({ finished, helps = true }) {
    this.finished = finished;
    this.puzzle = /** @type {Puzzle | null} */ (null);
    this.tries = 0;
    this.hintsGiven = 0;
    this.isOver = false;
    this.watch = /** @type {Stopwatch | null} */ (null);
    /** A hand listens to the keyboard for ever, so each board has one. @type {Map<string, RowForm>} */
    this.hands = new Map();
    this.rows = element("ol", { class: "puzzle-rows", "aria-label": "Rows" });
    this.told = element("p", { class: "answer-text", tabindex: -1 });
    this.place = element("div", {});
    this.hint = element("button", { type: "button", onclick: () => this.giveHint() }, "Hint");
    this.answer = element("button", { type: "button", onclick: () => this.giveUp() }, "Show the answer");
    this.deductions = element("ol", { class: "deductions", "aria-label": "Deductions" });
    this.helps = element("section", { class: "stack helps", "aria-label": "Help", hidden: !helps }, element("div", { class: "buttons" }, this.hint, this.answer), this.deductions);
    this.element = element("div", { class: "puzzle aligned" }, element("div", { class: "stack" }, this.rows, this.told, this.place), this.helps);
    this.keepFocus = focusKeeper(this.element, () => this.told);
  }

  /** @param {Puzzle} puzzle */
  show(puzzle) {
    this.watch?.stop();
    this.watch = new Stopwatch();
    this.puzzle = puzzle;
    this.tries = 0;
    this.hintsGiven = 0;
    this.isOver = false;
    const strips = puzzle.rows.map((row, index) => element("li", {}, strip(`Row ${index + 1}`, row.guess, row, puzzle.board, String(index + 1))));
    this.rows.replaceChildren(...strips);
    this.deductions.replaceChildren();
    this.told.textContent = "";
    const hand = this.handFor(puzzle);
    hand.edit(emptyDraft(puzzle.board.holes));
    this.place.replaceChildren(hand.element);
    this.place.hidden = false;
    this.hint.textContent = "Hint";
    this.hint.hidden = false;
    this.answer.hidden = false;
  }

  /** @param {Puzzle} puzzle */
  handFor({ board }) {
    const made = this.hands.get(board.name) ?? new RowForm(board, "Try", (code) => this.tryCode(code), { only: { number: "?", label: "Your code" }, alone: true });
    this.hands.set(board.name, made);
    return made;
  }

  /** Put the keyboard focus into the row to fill. */
  focusHand() {
    if (this.puzzle) this.handFor(this.puzzle).hand.stop.focus({ preventScroll: true });
  }

  /** Stop without a result. */
  stop() {
    this.watch?.stop();
    this.isOver = true;
  }

  /** @param {number[]} code */
  tryCode(code) {
    if (!this.puzzle || this.isOver) return;
    this.tries += 1;
    const wrong = wrongTry(this.puzzle, code);
    this.mark(wrong?.row ?? null);
    if (!wrong) return this.end(true);
    this.tell(wrong.words);
    const hand = this.handFor(this.puzzle);
    hand.edit(moveTo(hand.draft, 0));
  }

  /** Show the next deduction; after the end, all of them. */
  giveHint() {
    if (!this.puzzle) return;
    const steps = hints(this.puzzle).slice(this.deductions.childElementCount);
    const given = this.isOver ? steps : steps.slice(0, 1);
    this.deductions.append(...given.map((words) => element("li", {}, words)));
    this.hint.hidden = given.length === steps.length;
    if (!this.isOver) {
      this.hintsGiven += 1;
      announce(given[0]);
    }
    this.keepFocus();
  }

  giveUp() {
    this.end(false);
  }

  /** @param {boolean} solved */
  end(solved) {
    const { puzzle, tries, hintsGiven } = this;
    if (!puzzle || !this.watch) return;
    this.isOver = true;
    this.mark(null);
    const seconds = this.watch.stop();
    this.place.hidden = true;
    this.answer.hidden = true;
    this.hint.textContent = this.deductions.childElementCount ? "Show all other steps" : "Show every step";
    this.rows.append(element("li", {}, strip("Code", puzzle.code, null, puzzle.board, "=")));
    const help = hintsGiven ? `, with ${counted(hintsGiven, "hint")}` : "";
    this.tell(solved ? `Solved in ${clock(1000 * Math.floor(seconds))}${help}.` : `The code is ${describeCode(puzzle.code, puzzle.board)}.`);
    this.finished(puzzle, { solved, seconds, tries, hints: hintsGiven });
    this.keepFocus();
    // Keys are for the row also while nothing has the focus.
    if (document.activeElement === document.body) this.told.focus();
  }

  /** @param {string} words */
  tell(words) {
    this.told.textContent = words;
    announce(words);
  }

  /** @param {number | null} row the number of the row that a try breaks */
  mark(row) {
    [...this.rows.children].forEach((item, index) => item.firstElementChild?.classList.toggle("marked", index + 1 === row));
  }
}
