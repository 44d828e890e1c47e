/** Making a contest: codes that the player chooses, or that the server draws. */

import { counted, describeBoard, parseBoard, PRESETS } from "../game/board.js";
import { DURATIONS } from "../game/contest.js";
import { whyInvalidName } from "../game/names.js";
import { LEVELS } from "../game/yardsticks.js";
import { Problem, randomBits, sentence } from "../live/api.js";
import { createContest } from "../live/contests.js";
import { readPreferences } from "../look/preferences.js";
import { element } from "./element.js";
import { setUpLook } from "./look.js";
import { strip } from "./reading.js";
import { RowForm } from "./rowform.js";
import { announce } from "./status.js";

/** @typedef {import("../wire.js").Board} Board */

const TITLES = ["Classic", "Classic with blanks", "Advanced", "Advanced with blanks"];
const MOST_CODES = 20;

export class ContestForm {
  /** @param {{ board: string, code: number[] } | null} given a code from another page */
  constructor(given) {
    this.id = randomBits();
    this.board = (given && parseBoard(given.board)) || PRESETS[0];
    /** @type {number[][]} */
    this.codes = given && parseBoard(given.board) ? [given.code] : [];
    this.list = element("ol", { class: "chosen", "aria-label": "Codes chosen" });
    this.hand = element("div", {});
    this.chosen = element("div", { class: "stack" }, element("p", {}, "Whoever you send the link to cannot see these codes. You cannot play yourself."), this.list, this.hand);
    this.count = select("count", "How many codes", Array.from({ length: MOST_CODES }, (_, at) => [at + 1, counted(at + 1, "code")]));
    this.boards = select("board", "Board", this.boardOptions(), () => this.changeBoard());
    this.duration = select("duration", "Open for", DURATIONS);
    this.computers = LEVELS.map((level) => ({ level, input: element("input", { type: "checkbox", value: level }) }));
    this.name = element("input", { id: "name", maxlength: 32, value: readPreferences().name, autocomplete: "nickname" });
    this.problem = element("p", { class: "wrong", role: "alert" });
    this.ways = [this.way("drawn", "The server draws them", "Nobody knows them, so you can play too."), this.way("chosen", "I choose them", "As in a game: you set, the others break.")];
    this.element = element(
      "form",
      { class: "stack", onsubmit: (/** @type {Event} */ event) => this.submit(event) },
      element("p", {}, "Everybody breaks the same code, alone and whenever they like. When you are done with it, you see how the others did. With several codes, it is a league."),
      this.boards.element,
      element("fieldset", {}, element("legend", {}, "The codes"), ...this.ways.map(({ element: label }) => label)),
      this.count.element,
      this.chosen,
      this.duration.element,
      element("fieldset", {}, element("legend", {}, "The computer plays too"), element("div", { class: "options" }, ...this.computers.map(({ level, input }) => element("label", { class: "option" }, input, level)))),
      element("label", { class: "field" }, "Your name (may be empty)", this.name),
      this.problem,
      element("div", { class: "buttons" }, element("button", { class: "primary" }, "Make the link")),
    );
    this.ways[this.codes.length ? 1 : 0].input.checked = true;
    this.showBoard();
  }

  /** @returns {[string, string][]} */
  boardOptions() {
    /** @type {[string, string][]} */
    const options = PRESETS.map((board, at) => [board.name, `${TITLES[at]}: ${describeBoard(board)}`]);
    if (!PRESETS.some(({ name }) => name === this.board.name)) options.push([this.board.name, describeBoard(this.board)]);
    options.sort(([one]) => (one === this.board.name ? -1 : 0));
    return options;
  }

  /**
   * @param {string} value
   * @param {string} label
   * @param {string} words
   */
  way(value, label, words) {
    const input = element("input", { type: "radio", name: "way", value, onchange: () => this.showWay() });
    return { input, element: element("label", { class: "option" }, input, element("span", {}, element("strong", {}, label), ` ${words}`)) };
  }

  get isChosen() {
    return this.ways[1].input.checked;
  }

  changeBoard() {
    this.board = parseBoard(this.boards.input.value) ?? this.board;
    this.codes = [];
    this.showBoard();
  }

  showBoard() {
    setUpLook(this.board);
    const form = new RowForm(this.board, "Add this code", (code) => this.add(code, form), { only: { number: "", label: "A code to set" } });
    this.hand.replaceChildren(form.element);
    this.showCodes();
    this.showWay();
  }

  showWay() {
    this.chosen.hidden = !this.isChosen;
    this.count.element.hidden = this.isChosen;
    this.problem.textContent = "";
  }

  /**
   * @param {number[]} code
   * @param {RowForm} form in which it was filled
   */
  add(code, form) {
    if (this.codes.length === MOST_CODES) return;
    this.codes = [...this.codes, code];
    form.begin(1);
    announce(`Code ${this.codes.length} added.`);
    this.showCodes();
  }

  /** @param {number} at */
  remove(at) {
    this.codes = this.codes.filter((_, index) => index !== at);
    announce(`Code ${at + 1} removed.`);
    this.showCodes();
  }

  showCodes() {
    this.problem.textContent = "";
    this.list.replaceChildren(
      ...this.codes.map((code, at) =>
        element("li", {}, strip(`Code ${at + 1}`, code, null, this.board), element("button", { type: "button", "aria-label": `Remove code ${at + 1}`, onclick: () => this.remove(at) }, "Remove")),
      ),
    );
  }

  /** Why the contest cannot be made; null if it can. */
  whyNot() {
    if (this.isChosen && this.codes.length === 0) return "Fill the holes and add at least one code.";
    return this.name.value.trim() ? whyInvalidName(this.name.value) : null;
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    this.problem.textContent = this.whyNot() ?? "";
    if (this.problem.textContent) return;
    const wanted = {
      board: this.board.name,
      codes: this.isChosen ? this.codes : null,
      count: this.isChosen ? 1 : Number(this.count.input.value),
      name: this.name.value.trim() || null,
      seconds: Number(this.duration.input.value) || null,
      computers: this.computers.filter(({ input }) => input.checked).map(({ level }) => level),
    };
    try {
      const { id } = await createContest({ id: this.id, ...wanted });
      location.assign(`/contest/${id}`);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.status !== 0) this.id = randomBits();
      this.problem.textContent = sentence(problem.message);
    }
  }
}

/**
 * @param {string} id
 * @param {string} label
 * @param {[string | number, string][]} options
 * @param {() => void} [changed]
 */
function select(id, label, options, changed = () => {}) {
  const input = element("select", { id, onchange: changed }, ...options.map(([value, words]) => element("option", { value }, words)));
  return { input, element: element("label", { class: "field" }, label, input) };
}
