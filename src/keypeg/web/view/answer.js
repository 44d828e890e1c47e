/** The panel for the maker's key pegs: buttons, a text field, and why an answer is not possible. */

import { darkKeyPeg } from "../game/board.js";
import { Refusal } from "../game/code.js";
import { describeKeyPegs, parseKeyPegs, whyImpossible } from "../game/keypegs.js";
import { attribute, element } from "./element.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/keypegs.js").KeyPegs} KeyPegs */

export class AnswerPanel {
  /**
   * @param {Board} board
   * @param {{ changed: (keys: KeyPegs | null) => void, submit: (keys: KeyPegs) => void }} handlers
   * @param {string} [words] the label of the button
   */
  constructor(board, handlers, words = "Place key pegs") {
    this.board = board;
    this.handlers = handlers;
    /** @type {KeyPegs} */
    this.keys = { black: 0, white: 0 };
    this.row = 0;
    /** Whether the player chose None or typed an answer; the steppers at 0 and 0 are not one. */
    this.hasChosen = false;
    this.black = element("span", { class: "value" });
    this.white = element("span", { class: "value" });
    this.typed = element("input", {
      id: "typed-answer",
      inputmode: "numeric",
      autocomplete: "off",
      "aria-label": `${darkKeyPeg(board)} then white key pegs, typed`,
      placeholder: "or type 21",
      oninput: () => this.read(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && this.place(),
    });
    this.reason = element("p", { class: "reason", id: "answer-reason", "aria-live": "polite" });
    this.button = element(
      "button",
      { class: "primary", type: "button", "aria-describedby": "answer-reason", onclick: () => this.place() },
      words,
    );
    this.none = element("button", { type: "button", onclick: () => this.chooseNone() }, "None");
    this.element = element(
      "section",
      { class: "answer", "aria-label": "Key pegs for this row" },
      element("div", { class: "steppers" }, this.stepper("black", this.black), this.stepper("white", this.white)),
      element("div", { class: "typing" }, this.none, this.typed, this.button),
      this.reason,
    );
    this.update();
  }

  /**
   * Start with an empty answer for a new row.
   * @param {number} row
   */
  begin(row) {
    if (this.row === row) return;
    this.row = row;
    this.set({ black: 0, white: 0 });
  }

  /**
   * @param {KeyPegs} keys
   * @param {boolean} [hasChosen] whether they are the player's answer
   */
  set(keys, hasChosen = false) {
    this.keys = keys;
    this.hasChosen = hasChosen;
    this.typed.value = "";
    this.problem = "";
    this.update();
  }

  problem = "";

  chooseNone() {
    this.set({ black: 0, white: 0 }, true);
  }

  read() {
    try {
      const text = this.typed.value.trim();
      this.keys = text ? parseKeyPegs(text, this.board) : { black: 0, white: 0 };
      this.hasChosen = text !== "";
      this.problem = "";
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.problem = error.message;
    }
    this.update();
  }

  /** @param {string} words */
  complain(words) {
    this.reason.textContent = words;
  }

  place() {
    if (this.why()) return;
    this.handlers.submit(this.keys);
  }

  /** Whether nothing has been chosen yet. */
  isOpen() {
    return this.keys.black + this.keys.white === 0 && !this.hasChosen;
  }

  why() {
    return this.problem || (this.isOpen() ? "Choose the key pegs, or None" : whyImpossible(this.keys, this.board));
  }

  update() {
    const why = this.why();
    this.black.textContent = String(this.keys.black);
    this.white.textContent = String(this.keys.white);
    this.handlers.changed(this.isOpen() ? null : this.keys);
    this.reason.textContent = why || describeKeyPegs(this.keys, this.board);
    attribute(this.button, "aria-disabled", why ? "true" : null);
    this.none.setAttribute("aria-pressed", String(!why && this.keys.black + this.keys.white === 0));
  }

  /**
   * @param {"black" | "white"} colour
   * @param {HTMLElement} count
   */
  stepper(colour, count) {
    const name = colour === "black" ? darkKeyPeg(this.board) : "white";
    const step = (/** @type {number} */ by) => {
      const value = Math.min(Math.max(this.keys[colour] + by, 0), this.board.holes);
      this.set({ ...this.keys, [colour]: value });
    };
    return element(
      "div",
      { class: "stepper", role: "group", "aria-label": `${name} key pegs` },
      element("button", { type: "button", "aria-label": `one ${name} fewer`, onclick: () => step(-1) }, "−"),
      element("span", { class: "count" }, count, element("span", { class: "unit" }, name)),
      element("button", { type: "button", "aria-label": `one ${name} more`, onclick: () => step(1) }, "+"),
    );
  }
}
