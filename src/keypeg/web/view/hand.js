/** The hand: the row being filled, the tray of pegs, and the Check button with the reason why it waits. */

import { palette, symbols } from "../game/board.js";
import { pegLetter, pegName } from "../game/code.js";
import { digit } from "../game/colours.js";
import { whyNotReady } from "../game/draft.js";
import { describeHole } from "../game/rowwords.js";
import { attribute, element } from "./element.js";
import { keyCluster, pegElement } from "./peg.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/draft.js").Draft} Draft */

/**
 * @typedef {object} HandHandlers
 * @property {(peg: number) => void} place a peg in the hole with the cursor
 * @property {(peg: number) => void} fill every empty hole with a peg
 * @property {(hole: number) => void} choose a hole
 * @property {(action: "undo" | "clear-all" | "hold") => void} perform
 * @property {() => void} submit
 */

const LONG_PRESS_MS = 500;

export class Hand {
  /**
   * @param {Board} board
   * @param {HandHandlers} handlers
   */
  constructor(board, handlers) {
    this.board = board;
    this.handlers = handlers;
    this.number = element("span", { class: "number", "aria-hidden": "true" });
    this.holes = Array.from({ length: board.holes }, (_, hole) => this.holeButton(hole));
    this.check = element("button", { class: "check primary", type: "button", "aria-describedby": "reason", onclick: () => handlers.submit() });
    this.reason = element("p", { class: "reason", id: "reason" });
    this.holdButton = this.editButton("Hold", "hold", "Hold this peg for the next row");
    this.edits = element(
      "div",
      { class: "edits", role: "group", "aria-label": "Change the row" },
      this.editButton("Undo", "undo", "Undo the last change to this row"),
      this.editButton("Clear", "clear-all", "Remove all pegs from this row"),
      this.holdButton,
    );
    this.leaveKeyboard(this.edits);
    this.go = element("div", { class: "go" }, this.edits, this.check, this.reason);
    this.element = element(
      "div",
      { class: "hand", role: "group", "aria-describedby": "row-keys" },
      this.number,
      element("span", { class: "pegs" }, ...this.holes),
      keyCluster(null, board),
      (this.keys = element("span", { id: "row-keys", hidden: true })),
    );
    this.swatches = symbols(board).map((peg) => this.swatch(peg));
    this.tray = element("div", { class: "tray", role: "radiogroup" }, ...this.swatches);
  }

  /**
   * @param {Draft} draft
   * @param {{ number: string, label: string, check: string, masked: boolean, busy: boolean, lasts?: boolean }} words
   *   `lasts`: whether other rows follow, for which pegs can be held
   */
  update(draft, words) {
    this.number.textContent = words.number;
    this.element.setAttribute("aria-label", words.label);
    this.element.classList.toggle("masked", words.masked);
    this.holes.forEach((button, hole) => this.updateHole(button, draft, hole, words.masked));
    const why = words.busy ? "One moment…" : whyNotReady(draft, this.board, words.masked);
    this.check.textContent = words.check;
    this.keys.textContent = `Left and right arrows choose a hole, up and down a colour. Enter: ${words.check}.`;
    attribute(this.check, "aria-disabled", why ? "true" : null);
    this.reason.textContent = why ?? "Ready";
    this.holdButton.hidden = words.lasts === false;
    this.holdButton.setAttribute("aria-pressed", String(draft.held[draft.cursor]));
    this.updateTray(draft, words.masked);
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {Draft} draft
   * @param {number} hole
   * @param {boolean} masked
   */
  updateHole(button, draft, hole, masked) {
    const peg = draft.holes[hole];
    const shown = masked && peg !== null ? "?" : String(peg);
    const isCursor = draft.cursor === hole;
    button.setAttribute("aria-label", describeHole(draft, hole, this.board, masked));
    attribute(button, "aria-current", isCursor ? "true" : null);
    button.tabIndex = isCursor ? 0 : -1;
    button.classList.toggle("held", draft.held[hole]);
    if (button.dataset.shown === shown) return;
    button.dataset.shown = shown;
    if (peg === null) button.replaceChildren();
    else if (masked) button.replaceChildren(element("span", { class: "peg mask" }));
    else button.replaceChildren(pegElement(peg, this.board));
  }

  /**
   * @param {Draft} draft
   * @param {boolean} masked whether the tray must not show the colour in the hole
   */
  updateTray(draft, masked) {
    const chosen = masked ? null : draft.holes[draft.cursor];
    this.tray.setAttribute("aria-label", `Colour for hole ${draft.cursor + 1}`);
    const reachable = this.swatches.find((swatch) => swatch.tabIndex === 0) ?? this.swatches[0];
    for (const swatch of this.swatches) {
      swatch.setAttribute("aria-checked", String(chosen !== null && Number(swatch.dataset.peg) === chosen));
      swatch.tabIndex = swatch === reachable ? 0 : -1;
    }
  }

  /**
   * Show key pegs beside the row.
   * @param {import("../game/keypegs.js").KeyPegs | null} keys
   */
  layKeys(keys) {
    this.element.querySelector(".keys")?.replaceWith(keyCluster(keys, this.board));
  }

  /** The hole that the Tab key leads to: the one with the cursor. */
  get stop() {
    return this.holes.find((hole) => hole.tabIndex === 0) ?? this.holes[0];
  }

  /** Whether the keyboard focus is in this row, so that a move of the cursor is heard anyway. */
  get isFocused() {
    return this.holes.some((hole) => hole === document.activeElement);
  }

  /** Move the keyboard focus to the hole with the cursor, if the focus is in this row. */
  followFocus() {
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    if (active && this.holes.includes(/** @type {HTMLButtonElement} */ (active))) {
      this.stop.focus();
    }
  }

  /** Take the keyboard from a button beside the row, which would keep Enter for itself. */
  takeKeyboard() {
    const { activeElement, body } = document;
    const isAway = activeElement !== body && !this.element.contains(activeElement) && !this.tray.contains(activeElement);
    if (isAway && !this.element.hidden) this.stop.focus({ preventScroll: true });
  }

  /**
   * Move the focus along the tray, for the arrow keys.
   * @param {number} step
   */
  rove(step) {
    const at = this.swatches.findIndex((swatch) => swatch === document.activeElement);
    if (at < 0) return;
    const next = this.swatches[(at + step + this.swatches.length) % this.swatches.length];
    for (const swatch of this.swatches) swatch.tabIndex = swatch === next ? 0 : -1;
    next.focus();
  }

  /**
   * @param {string} words
   * @param {"undo" | "clear-all" | "hold"} action
   * @param {string} title
   */
  editButton(words, action, title) {
    return element("button", { type: "button", title, onclick: () => this.handlers.perform(action) }, words);
  }

  /** @param {number} hole */
  holeButton(hole) {
    return element("button", {
      class: "hole",
      type: "button",
      "data-hole": hole,
      onclick: () => this.handlers.choose(hole),
    });
  }

  /** @param {number} peg */
  swatch(peg) {
    const name = pegName(peg, this.board);
    const key = peg === 0 ? "0" : digit(peg, palette(this.board));
    const button = element(
      "button",
      {
        class: "swatch",
        type: "button",
        role: "radio",
        "data-peg": peg,
        "aria-label": name,
        title: `${name}: ${key}${peg === 0 ? "" : ` or ${pegLetter(peg, this.board)}`}. Long-press to fill the row.`,
      },
      pegElement(peg, this.board),
    );
    this.pressable(button, peg);
    return button;
  }

  /**
   * A mouse leaves the keyboard at the row, where Enter checks it: on a button Enter would press that again.
   * @param {HTMLElement} part
   */
  leaveKeyboard(part) {
    let isMouse = false;
    part.addEventListener("pointerdown", ({ pointerType }) => (isMouse = pointerType === "mouse"));
    part.addEventListener("mousedown", (event) => {
      if (!isMouse) return;
      event.preventDefault();
      this.stop.focus({ preventScroll: true });
    });
  }

  /**
   * A short press places one peg; a long press fills all empty holes.
   * @param {HTMLButtonElement} button
   * @param {number} peg
   */
  pressable(button, peg) {
    let timer = 0;
    let filled = false;
    const stop = () => clearTimeout(timer);
    this.leaveKeyboard(button);
    button.addEventListener("pointerdown", () => {
      filled = false;
      timer = setTimeout(() => {
        filled = true;
        this.handlers.fill(peg);
      }, LONG_PRESS_MS);
    });
    for (const event of ["pointerup", "pointercancel", "pointerleave"]) button.addEventListener(event, stop);
    button.addEventListener("dragstarted", stop);
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    button.addEventListener("click", () => {
      if (!filled) this.handlers.place(peg);
      filled = false;
    });
  }
}
