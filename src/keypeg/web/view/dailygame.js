/** A daily code being played: the rows, answered by the server, and the row being filled. */

import { describeRow } from "../game/sentences.js";
import { Problem, sentence } from "../live/api.js";
import { guessDaily, readDay } from "../live/daily.js";
import { keepDraft, keptDraft } from "../live/drafts.js";
import { element } from "./element.js";
import { focusKeeper } from "./focus.js";
import { strip } from "./reading.js";
import { RowForm } from "./rowform.js";
import { announce } from "./status.js";

/** @typedef {import("../wire.js").DailyView} DailyView */

export class DailyGame {
  /**
   * @param {DailyView} day
   * @param {{ begun: (day: DailyView) => void, done: (day: DailyView) => void, next: Node | null }} more
   *   `begun` is called with each row, `done` once the code is done; `next` is shown below the result
   */
  constructor(day, { begun, done, next }) {
    this.day = day;
    this.begun = begun;
    this.done = done;
    this.next = next;
    this.strips = element("div", { class: "strips played", role: "log", "aria-label": "Rows played", "aria-live": "off" });
    this.problem = element("p", { class: "wrong", role: "alert" });
    this.note = element("p", { class: "reason", tabindex: -1 });
    this.result = element("div", {});
    /** What is shown beside the game once it is done. */
    this.details = element("div", {});
    this.element = element("section", { class: "stack aligned", "aria-label": "The game" });
    this.hand = new RowForm(day.board, "Check", (code) => this.guess(code), { alone: true, changed: (draft) => this.keep(draft) });
    this.element.append(this.strips, this.note, this.hand.element, this.problem, this.result);
    this.keepFocus = focusKeeper(this.element, () => this.note);
    this.update(null);
  }

  /** The row being filled, as a place in the browser's drafts. @param {number} row */
  place(row) {
    return `daily-${this.day.board.name}-${this.day.date} ${row}`;
  }

  /** @param {import("../game/draft.js").Draft} draft */
  keep(draft) {
    // Not while the hand is being made, or the row of before a reload would be overwritten.
    if (this.hand && !this.day.ending) keepDraft(this.place(this.hand.row), draft);
  }

  /** @param {number[]} code */
  async guess(code) {
    this.problem.textContent = "";
    this.hand.wait(true);
    try {
      const { row, day } = await guessDaily(this.day, code).catch((problem) => this.caughtUp(problem));
      this.day = day;
      announce(describeRow(day.rows[row - 1], row, day.board));
      this.hand.busy = false;
      this.update(row);
    } catch (problem) {
      this.hand.wait(false);
      if (!(problem instanceof Problem)) throw problem;
      this.problem.textContent = sentence(problem.message);
    }
  }

  /**
   * The day if it was done in another tab in the meantime.
   * @param {unknown} problem why a guess was refused
   */
  async caughtUp(problem) {
    if (!(problem instanceof Problem && problem.code === "already-done")) throw problem;
    const day = await readDay(this.day.date, this.day.board.name);
    return { row: day.rows.length, day };
  }

  /** @param {number | null} row the row that was just answered */
  update(row) {
    const { board, rows, ending, counts } = this.day;
    this.strips.replaceChildren(...rows.map((one, index) => strip(`Row ${index + 1}`, one.code, one, board, String(index + 1))));
    if (ending) this.hand.element.remove();
    this.note.textContent = ending ? "" : words(board.rows - rows.length, counts);
    if (ending) this.finish(row !== null);
    else this.begin(rows.length + 1, row === null);
    if (!ending && rows.length) this.begun(this.day);
    this.keepFocus();
    this.strips.lastElementChild?.scrollIntoView({ block: "nearest" });
  }

  /**
   * @param {number} row
   * @param {boolean} isFirst whether the page has just been loaded
   */
  begin(row, isFirst) {
    const kept = isFirst ? keptDraft(this.place(row), this.day.board) : null;
    this.hand.row = row;
    if (kept) this.hand.edit(kept);
    else this.hand.begin(row);
  }

  /**
   * Show the outcome, which is loaded on demand.
   * @param {boolean} isNew whether it was just played
   */
  async finish(isNew) {
    this.done(this.day);
    const { dailyDetails, dailyResult } = await import("./dailyoutcome.js");
    const shown = dailyResult(this.day, this.next);
    this.result.replaceChildren(shown);
    this.details.replaceChildren(dailyDetails(this.day));
    const heading = /** @type {HTMLElement} */ (shown.querySelector("h2"));
    if (isNew) {
      announce(`${heading.textContent}.`);
      heading.focus();
    }
  }
}

/**
 * @param {number} left the rows that are left
 * @param {boolean} counts
 */
function words(left, counts) {
  const rows = left === 1 ? "1 row left" : `${left} rows left`;
  return counts ? `${rows}.` : `${rows}. This code is from the archive, and does not count.`;
}
