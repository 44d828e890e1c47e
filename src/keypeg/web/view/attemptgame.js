/** A code being broken alone: the rows, answered by the server, and the row being filled. */

import { describeRow } from "../game/rowwords.js";
import { Problem, sentence } from "../live/api.js";
import { keepDraft, keptDraft } from "../live/drafts.js";
import { element } from "./element.js";
import { focusKeeper } from "./focus.js";
import { strip } from "./reading.js";
import { RowForm } from "./rowform.js";
import { announce } from "./status.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").DailyRow} Row */

/**
 * An attempt at a code, of whatever kind: how its state, as the server shows it, is read and changed.
 * @template View
 * @typedef {object} Attempt
 * @property {Board} board
 * @property {string} place a name of the game for the browser's drafts, without spaces
 * @property {(view: View) => Row[]} rows
 * @property {(view: View) => boolean} isDone
 * @property {(view: View, left: string) => string} note what is said below the rows, with how many are left
 * @property {(view: View, code: number[]) => Promise<{ row: number, view: View }>} guess
 * @property {() => Promise<View>} reread the state, after another tab has finished the attempt
 * @property {(view: View) => void} begun called with each row, until the attempt is done
 * @property {(view: View, result: HTMLElement) => Promise<void>} done shows the outcome in `result`
 */

/** @template View */
export class AttemptGame {
  /**
   * @param {View} view
   * @param {Attempt<View>} attempt
   */
  constructor(view, attempt) {
    this.view = view;
    this.attempt = attempt;
    this.strips = element("div", { class: "strips played", role: "log", "aria-label": "Rows played", "aria-live": "off" });
    this.problem = element("p", { class: "wrong", role: "alert" });
    this.note = element("p", { class: "reason", tabindex: -1 });
    this.result = element("div", {});
    this.element = element("section", { class: "stack aligned", "aria-label": "The game" });
    this.hand = new RowForm(attempt.board, "Check", (code) => this.guess(code), { alone: true, changed: (draft) => this.keep(draft) });
    this.element.append(this.strips, this.note, this.hand.element, this.problem, this.result);
    this.keepFocus = focusKeeper(this.element, () => this.note);
    this.update(null);
  }

  /** The row being filled, as a place in the browser's drafts. @param {number} row */
  place(row) {
    return `${this.attempt.place} ${row}`;
  }

  /** @param {import("../game/draft.js").Draft} draft */
  keep(draft) {
    // Not while the hand is being made, or the row of before a reload would be overwritten.
    if (this.hand && !this.attempt.isDone(this.view)) keepDraft(this.place(this.hand.row), draft);
  }

  /** @param {number[]} code */
  async guess(code) {
    this.problem.textContent = "";
    this.hand.wait(true);
    try {
      const { row, view } = await this.attempt.guess(this.view, code).catch((problem) => this.caughtUp(problem));
      this.view = view;
      announce(describeRow(this.attempt.rows(view)[row - 1], row, this.attempt.board));
      this.hand.busy = false;
      this.update(row);
    } catch (problem) {
      this.hand.wait(false);
      if (!(problem instanceof Problem)) throw problem;
      this.problem.textContent = sentence(problem.message);
    }
  }

  /**
   * The attempt if it was done in another tab in the meantime.
   * @param {unknown} problem why a guess was refused
   */
  async caughtUp(problem) {
    if (!(problem instanceof Problem && problem.code === "already-done")) throw problem;
    const view = await this.attempt.reread();
    return { row: this.attempt.rows(view).length, view };
  }

  /** @param {number | null} row the row that was just answered */
  update(row) {
    const { attempt, view } = this;
    const rows = attempt.rows(view);
    const isDone = attempt.isDone(view);
    this.strips.replaceChildren(...rows.map((one, index) => strip(`Row ${index + 1}`, one.code, one, attempt.board, String(index + 1))));
    if (isDone) this.hand.element.remove();
    this.note.textContent = isDone ? "" : attempt.note(view, left(attempt.board.rows - rows.length));
    if (isDone) this.finish(row !== null);
    else this.begin(rows.length + 1, row === null);
    if (!isDone && rows.length) attempt.begun(view);
    this.keepFocus();
    this.strips.lastElementChild?.scrollIntoView({ block: "nearest" });
  }

  /**
   * @param {number} row
   * @param {boolean} isFirst whether the page has just been loaded
   */
  begin(row, isFirst) {
    const kept = isFirst ? keptDraft(this.place(row), this.attempt.board) : null;
    this.hand.row = row;
    if (kept) this.hand.edit(kept);
    else this.hand.begin(row);
  }

  /** @param {boolean} isNew whether it was just played */
  async finish(isNew) {
    await this.attempt.done(this.view, this.result);
    const heading = this.result.querySelector("h2");
    if (!isNew || !heading) return;
    announce(`${heading.textContent}.`);
    heading.focus();
  }
}

/** @param {number} rows */
function left(rows) {
  return rows === 1 ? "1 row left" : `${rows} rows left`;
}
