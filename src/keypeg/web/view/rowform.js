/**
 * A row to fill on a page without a table. It has its own draft, and is filled by tap, drag and
 * keyboard as at a table.
 */

import { symbols } from "../game/board.js";
import * as drafting from "../game/draft.js";
import { changedHoles } from "../game/rowwords.js";
import { draggable } from "./drag.js";
import { element } from "./element.js";
import { Hand } from "./hand.js";
import { listenToKeys } from "./keyboard.js";
import { announce } from "./status.js";

/** @typedef {import("../wire.js").Board} Board */

/** Keys that scroll the page while another element has the focus. */
const SCROLLING = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", " "];

/**
 * @typedef {object} MoreOfRow
 * @property {{ number: string, label: string }} [only] what the row is called, if no others follow
 * @property {boolean} [alone] whether keys are for it wherever the focus is, as long as it can be seen; those that scroll are not
 * @property {(draft: import("../game/draft.js").Draft) => void} [changed] is told of each draft
 */

export class RowForm {
  /**
   * @param {Board} board
   * @param {string} check the label of the button
   * @param {(code: number[]) => void} filled called with a full and legal row
   * @param {MoreOfRow} [more]
   */
  constructor(board, check, filled, { only, alone = false, changed = () => {} } = {}) {
    this.board = board;
    this.words = check;
    this.filled = filled;
    this.only = only;
    this.changed = changed;
    /** Whether a row is being checked, so that it cannot be changed. */
    this.busy = false;
    this.row = 1;
    this.draft = drafting.emptyDraft(board.holes);
    this.hand = new Hand(board, {
      place: (peg) => this.change(drafting.place(this.draft, peg)),
      fill: (peg) => this.change(drafting.fill(this.draft, peg)),
      choose: (hole) => this.edit(drafting.moveTo(this.draft, hole)),
      perform: (action) => this.perform(action),
      submit: () => this.submit(),
    });
    this.element = element("section", { class: "entry", "aria-label": only?.label ?? "A new row" }, this.hand.element, this.hand.tray, this.hand.go);
    draggable(this.element, {
      drop: ({ peg, hole, from }) =>
        this.change(from === null ? drafting.place(this.draft, peg, hole) : drafting.swap(this.draft, from, hole)),
      discard: (hole) => this.change(drafting.clear(this.draft, hole)),
    });
    listenToKeys(board, {
      listens: (key) => this.takes(key, alone),
      place: (peg) => this.focused().change(drafting.place(this.draft, peg)),
      perform: (action) => this.focused().perform(action),
      rove: (step) => this.hand.rove(step),
    });
    this.edit(this.draft);
  }

  /**
   * Whether a key is for this row. Some pages have other content, so there it is only while the row has the focus.
   * @param {string} key
   * @param {boolean} alone
   */
  takes(key, alone) {
    const { activeElement, body } = document;
    if (this.element.contains(activeElement)) return true;
    return alone && this.element.offsetParent !== null && (activeElement === body || !SCROLLING.includes(key));
  }

  /** Take the focus from another element, which would keep Enter for itself. */
  focused() {
    const { activeElement, body } = document;
    if (activeElement !== body && !this.element.contains(activeElement)) this.hand.stop.focus({ preventScroll: true });
    return this;
  }

  /**
   * Begin a new row.
   * @param {number} row
   */
  begin(row) {
    this.row = row;
    this.edit(drafting.nextDraft(this.draft));
  }

  /**
   * Change the row as the player asked, and announce what changed.
   * @param {import("../game/draft.js").Draft} draft
   */
  change(draft) {
    if (this.busy) return;
    announce(changedHoles(this.draft, draft, this.board, false, this.hand.isFocused));
    this.edit(draft);
  }

  /** @param {import("../game/draft.js").Draft} draft */
  edit(draft) {
    this.draft = draft;
    const named = this.only ?? { number: String(this.row), label: `Row ${this.row}` };
    this.hand.update(draft, { ...named, check: this.words, masked: false, busy: this.busy, lasts: !this.only });
    this.hand.followFocus();
    this.changed(draft);
  }

  /** @param {import("../look/keys.js").KeyAction} action */
  perform(action) {
    const change = drafting.BY_KEY[action];
    if (change) this.change(change(this.draft, symbols(this.board)));
    else if (action === "check") this.submit();
  }

  /** @param {boolean} busy */
  wait(busy) {
    this.busy = busy;
    this.edit(this.draft);
  }

  submit() {
    if (this.busy) return;
    const why = drafting.whyNotReady(this.draft, this.board);
    if (why === null) this.filled(drafting.pegs(this.draft));
    else announce(`${why}.`);
  }
}
