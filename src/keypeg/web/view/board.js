/**
 * The decoding board: the shield at the top, and the rows, numbered from the bottom. It draws what
 * it is given and contains no rules.
 */

import { describeCode } from "../game/code.js";
import { answerWords, describeRow } from "../game/rowwords.js";
import { element } from "./element.js";
import { keyCluster, pegElement } from "./peg.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */

/**
 * @typedef {object} Drawn the content of the board
 * @property {Row[]} rows
 * @property {number | null} active the number of the row being filled
 * @property {readonly (number | null)[]} secret the code behind the shield; empty if not visible
 * @property {"closed" | "peek" | "open"} shield
 * @property {number[]} marked the numbers of the rows to mark
 */

export class BoardView {
  /**
   * @param {Board} board
   * @param {{ copy: (row: number) => void }} handlers
   */
  constructor(board, handlers) {
    this.board = board;
    this.handlers = handlers;
    this.secret = element("div", { class: "secret" });
    const marks = Array.from({ length: board.holes }, () => element("span", {}, "?"));
    const cover = element("div", { class: "cover", "aria-hidden": "true" }, element("span", { class: "pegs" }, ...marks), keyCluster(null, board));
    this.shield = element("div", { class: "shield", role: "img" }, this.secret, keyCluster(null, board), cover);
    // Screen readers can navigate this log. New rows are announced in the status region instead.
    this.rows = element("div", { class: "rows", role: "log", "aria-label": "Rows played", "aria-live": "off" });
    this.element = element("section", { class: "board", "aria-label": "Decoding board" }, this.shield, this.rows);
    this.slots = Array.from({ length: board.rows }, (_, index) => this.slot(index + 1));
    this.rows.append(...this.slots);
    /** @type {string[]} the content of each slot, so that only changed slots are drawn again */
    this.shown = [];
    /** @type {number | null} */
    this.active = null;
  }

  /** @param {Drawn} drawn */
  update(drawn) {
    this.updateShield(drawn);
    const newest = drawn.rows.findLastIndex(({ code, black }) => code !== null && black !== null) + 1;
    this.slots.forEach((slot, index) => {
      const row = drawn.rows[index] ?? null;
      slot.classList.toggle("active", drawn.active === index + 1);
      slot.classList.toggle("marked", drawn.marked.includes(index + 1));
      slot.classList.toggle("newest", index + 1 === newest);
      const shown = JSON.stringify(row);
      if (this.shown[index] === shown) return;
      const isNew = this.shown.length > index && row !== null;
      this.shown[index] = shown;
      this.fill(slot, index + 1, row, isNew);
    });
    this.element.style.setProperty("--active", String(drawn.active ?? 0));
    if (drawn.active && drawn.active !== this.active) this.slots[drawn.active - 1].scrollIntoView({ block: "nearest" });
    this.active = drawn.active;
  }

  /**
   * Show key pegs beside the active row before they are submitted.
   * @param {import("../game/keypegs.js").KeyPegs | null} keys
   */
  layKeys(keys) {
    const slot = this.slots[(this.active ?? 0) - 1];
    slot?.classList.remove("fresh");
    slot?.querySelector(".keys")?.replaceWith(keyCluster(keys, this.board));
  }

  /** @param {Drawn} drawn */
  updateShield({ secret, shield }) {
    const known = secret.filter((peg) => peg !== null);
    const words = {
      open: `The code: ${describeCode(/** @type {number[]} */ (known), this.board)}`,
      peek: `Your secret: ${describeCode(/** @type {number[]} */ (known), this.board)}`,
      closed: "The secret is behind the shield",
    };
    this.shield.setAttribute("aria-label", words[shield]);
    this.shield.dataset.state = shield;
    const seen = shield === "closed" ? [] : secret;
    this.secret.replaceChildren(...Array.from({ length: this.board.holes }, (_, hole) => this.hole(seen[hole] ?? null)));
  }

  /**
   * An empty row: its number, its holes, its key holes.
   * @param {number} number
   */
  slot(number) {
    const slot = element("div", { class: "row", "data-row": number });
    slot.style.setProperty("--row", String(number));
    this.fill(slot, number, null, false);
    return slot;
  }

  /**
   * @param {HTMLElement} slot
   * @param {number} number
   * @param {Row | null} row
   * @param {boolean} isNew
   */
  fill(slot, number, row, isNew) {
    const keys = row && row.black !== null && row.white !== null ? { black: row.black, white: row.white } : null;
    const code = row?.code ?? [];
    const isHidden = row !== null && row.code === null && keys !== null;
    const holes = Array.from({ length: this.board.holes }, (_, hole) => this.hole(code[hole] ?? null, isHidden));
    slot.classList.toggle("played", row !== null);
    slot.classList.toggle("fresh", isNew);
    slot.classList.toggle("expired", row !== null && row.code === null && !isHidden);
    slot.classList.toggle("broken", keys?.black === this.board.holes);
    slot.replaceChildren(
      element("span", { class: "number", "aria-hidden": "true" }, String(number)),
      row?.code ? this.copyButton(number, row, holes) : element("span", { class: "pegs", "aria-hidden": "true" }, ...holes),
      keyCluster(keys, this.board),
    );
    if (!row) return;
    if (row.code || isHidden) slot.append(element("span", { class: "words", "aria-hidden": "true" }, answerWords(row, this.board).replace(/(\d) /g, "$1\u00a0")));
    slot.append(element("span", { class: "spoken" }, describeRow(row, number, this.board)));
  }

  /**
   * A played row is a button. A double tap, or a key press, copies it into the row being filled.
   * @param {number} number
   * @param {Row} row
   * @param {HTMLElement[]} holes
   */
  copyButton(number, row, holes) {
    return element(
      "button",
      {
        class: "pegs",
        type: "button",
        tabindex: -1,
        "aria-label": `Copy row ${number}: ${describeCode(row.code ?? [], this.board)}`,
        title: "Double-tap to copy this row; drag a peg from it",
        ondblclick: () => this.handlers.copy(number),
        onclick: (/** @type {MouseEvent} */ event) => event.detail === 0 && this.handlers.copy(number),
      },
      ...holes,
    );
  }

  /**
   * @param {number | null} peg
   * @param {boolean} [isHidden] whether there is a peg that may not be seen
   */
  hole(peg, isHidden = false) {
    const mask = isHidden ? element("span", { class: "peg mask" }) : null;
    return element("span", { class: "hole" }, peg === null ? mask : pegElement(peg, this.board));
  }
}
