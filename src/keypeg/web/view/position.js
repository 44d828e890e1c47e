/** A mistake as a position to practise: the rows before it, a row to fill, and what the answer is worth. */

import { describeCode } from "../game/code.js";
import { answeredOn, judgement } from "../game/mistake.js";
import { completeReview } from "../live/completereview.js";
import { element } from "./element.js";
import { focusKeeper } from "./focus.js";
import { strip } from "./reading.js";
import { RowForm } from "./rowform.js";
import { announce } from "./status.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/mistake.js").Mistake} Mistake */

/** The answer decides nothing about what a row costs, so any will do. */
const NO_KEYS = { black: 0, white: 0 };

export class Position {
  /**
   * @param {Board} board
   * @param {Mistake} mistake
   * @param {(after: Mistake) => void} keep called after the first answer
   * @param {() => void} next called for the next position
   */
  constructor(board, mistake, keep, next) {
    this.board = board;
    this.mistake = mistake;
    this.keep = keep;
    /** Whether the first answer was given, which alone counts. */
    this.isTried = false;
    this.isAsking = false;
    const rows = mistake.rows.map((row, index) => strip(`Row ${index + 1}`, row.code, row, board));
    this.verdict = element("div", { class: "stack", tabindex: -1 });
    this.hand = new RowForm(board, "Check", (code) => this.answer(code), { alone: true });
    this.hand.begin(mistake.row);
    this.reveal = element("button", { type: "button", onclick: () => this.giveUp() }, "Show the best row");
    this.following = element("button", { type: "button", class: "primary", hidden: true, onclick: next }, "Next");
    this.element = element(
      "section",
      { class: "card stack", "aria-label": "Position" },
      element("h2", {}, mistake.rows.length ? `What would you play in row ${mistake.row}?` : "How would you begin?"),
      element("p", { class: "reason" }, `${mistake.board}, played on ${new Date(mistake.at).toLocaleDateString()}. Your row cost ${mistake.loss.toFixed(2)} guesses (${mistake.certainty}).`),
      element("div", { class: "strips" }, ...rows),
      this.hand.element,
      this.verdict,
      element("div", { class: "buttons" }, this.following, this.reveal),
    );
    this.keepFocus = focusKeeper(this.element, () => (this.following.hidden ? this.verdict : this.following));
  }

  /** @param {number[]} guess */
  async answer(guess) {
    const { board, mistake } = this;
    if (this.isAsking) return;
    this.isAsking = true;
    this.show("Thinking…");
    try {
      const { loss, certainty } = await this.costOf(guess);
      const { right, words } = judgement(mistake, guess, loss, certainty, board);
      this.count(right);
      this.show(...(right ? words : [...words, "Try another row, or look at the best one."]));
      if (right) this.finish();
      else this.hand.begin(mistake.row);
    } catch (problem) {
      this.show(/** @type {Error} */ (problem).message);
    } finally {
      this.isAsking = false;
    }
  }

  /**
   * What a row costs here compared with the best one, from the solver if it is not stored.
   * @param {number[]} guess
   * @returns {Promise<{ loss: number, certainty: string }>}
   */
  async costOf(guess) {
    const { best, guess: played, loss, certainty, rows } = this.mistake;
    if (String(guess) === String(best)) return { loss: 0, certainty };
    if (String(guess) === String(played)) return { loss, certainty };
    const review = await completeReview(this.board.name, [...rows, { code: guess, ...NO_KEYS }]);
    const rated = review.rows[rows.length];
    if (!rated) throw new Error("There was no time to rate this row. Please try it again.");
    return rated;
  }

  giveUp() {
    const { board, mistake } = this;
    this.count(false);
    const { words } = judgement(mistake, mistake.best, 0, mistake.certainty, board);
    this.verdict.replaceChildren(strip("Best", mistake.best, null, board), ...words.map((line) => element("p", {}, line)));
    announce(`The best row: ${describeCode(mistake.best, board)}. ${words[0]}`);
    this.finish();
  }

  /** @param {boolean} right */
  count(right) {
    if (!this.isTried) this.keep(answeredOn(this.mistake, right, Date.now()));
    this.isTried = true;
  }

  finish() {
    this.hand.element.hidden = true;
    this.reveal.hidden = true;
    this.following.hidden = false;
    this.keepFocus();
    // Keys are for the row also while nothing has the focus.
    if (document.activeElement === document.body) this.following.focus({ preventScroll: true });
  }

  /** @param {...string} words */
  show(...words) {
    this.verdict.replaceChildren(...words.map((line, at) => element("p", { class: at === 0 ? "answer-text" : "" }, line)));
    announce(words.join(" "));
  }
}
