/** The assistant: rows of a real board in, what they tell out. Everything is worked out here. */

import { advise, whyAdvised } from "../game/advice.js";
import { everyCode, fits, isSmall } from "../game/analysis.js";
import { describeBoard, parseBoard, PRESETS } from "../game/board.js";
import { describeCode, Refusal, shortCode } from "../game/code.js";
import { contradiction } from "../game/contradiction.js";
import * as drafting from "../game/draft.js";
import { describeKeyPegs, parseKeyPegs } from "../game/keypegs.js";
import { element, find } from "../view/element.js";
import { Hand } from "../view/hand.js";
import { keyCluster } from "../view/peg.js";
import { furnish, pegRow, strip } from "../view/reading.js";
import { announce } from "../view/status.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {{ code: number[], black: number, white: number }} AnsweredRow */

const SHOWN_CODES = 60;

class Assistant {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {AnsweredRow[]} */
    this.rows = [];
    this.draft = drafting.emptyDraft(board.holes);
    this.hand = new Hand(board, {
      place: (peg) => this.edit(drafting.place(this.draft, peg)),
      fill: (peg) => this.edit(drafting.fill(this.draft, peg)),
      choose: (hole) => this.edit(drafting.moveTo(this.draft, hole)),
      submit: () => this.add(),
    });
    this.keys = element("input", {
      id: "keys",
      autocomplete: "off",
      placeholder: "21",
      onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && this.add(),
    });
    this.problem = element("p", { class: "wrong", role: "alert" });
    this.list = element("ol", { class: "review-rows", "aria-label": "Rows entered" });
    this.told = element("section", { class: "card stack", "aria-label": "What the rows tell", "aria-live": "polite" });
    this.element = element("div", { class: "stack" }, this.list, this.entry(), this.told);
    this.update();
  }

  entry() {
    return element(
      "section",
      { class: "entry", "aria-label": "A new row" },
      this.hand.element,
      this.hand.tray,
      this.hand.reason,
      element("div", { class: "keys-entry" }, element("label", {}, "Its key pegs, black then white", this.keys)),
      this.problem,
    );
  }

  /** @param {import("../game/draft.js").Draft} draft */
  edit(draft) {
    this.draft = draft;
    this.showHand();
  }

  add() {
    const why = drafting.whyNotReady(this.draft, this.board);
    if (why) return this.complain(`${why}.`);
    try {
      const keys = parseKeyPegs(this.keys.value, this.board);
      this.rows.push({ code: drafting.pegs(this.draft), ...keys });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return this.complain(error.message);
    }
    this.draft = drafting.emptyDraft(this.board.holes);
    this.keys.value = "";
    this.update();
  }

  /** @param {string} words */
  complain(words) {
    this.problem.textContent = words;
  }

  update() {
    this.problem.textContent = "";
    this.showHand();
    this.list.replaceChildren(...this.rows.map((row, index) => this.row(row, index)));
    const left = everyCode(this.board).filter((code) => this.rows.every((row) => fits(code, row)));
    this.told.replaceChildren(...(left.length ? this.advice(left) : this.contradiction()));
    announce(left.length ? `${left.length} codes left.` : "No code fits.");
  }

  showHand() {
    const words = { number: String(this.rows.length + 1), label: `Row ${this.rows.length + 1}`, check: "Add row", masked: false, busy: false };
    this.hand.update(this.draft, words);
    this.hand.followFocus();
  }

  /**
   * @param {AnsweredRow} row
   * @param {number} index
   */
  row(row, index) {
    const remove = () => {
      this.rows.splice(index, 1);
      this.update();
    };
    const words = `${describeCode(row.code, this.board)}, ${describeKeyPegs(row, this.board)}`;
    return element(
      "li",
      { class: "strip small" },
      element("span", { "aria-hidden": "true" }, String(index + 1)),
      pegRow(row.code, this.board),
      element("span", { class: "buttons" }, keyCluster(row, this.board), element("button", { type: "button", "aria-label": `Remove row ${index + 1}: ${words}`, onclick: remove }, "×")),
    );
  }

  /** @param {number[][]} left */
  advice(left) {
    const best = advise(this.board, left);
    if (!best) return [];
    return [
      element("p", { class: "answer-text" }, left.length === 1 ? "1 code is left." : `${left.length.toLocaleString("en")} codes are left.`),
      strip("Try", best.guess, null, this.board),
      element("p", {}, `${whyAdvised(best, left.length)} Judged one guess ahead.`),
      this.codes(left),
    ];
  }

  /** @param {number[][]} left */
  codes(left) {
    const items = left.slice(0, SHOWN_CODES).map((code) => element("li", {}, shortCode(code, this.board)));
    const more = left.length > SHOWN_CODES ? `, the first ${SHOWN_CODES} of them` : "";
    return element("details", {}, element("summary", {}, `The codes left${more}`), element("ul", { class: "code-list" }, ...items));
  }

  contradiction() {
    const found = contradiction(this.board, this.rows);
    if (!found) return [];
    const rows = found.rows.length === 1 ? `Row ${found.rows[0]} cannot be right` : `Rows ${found.rows.join(", ")} cannot all be right`;
    const repairs = found.repairs.slice(0, 12).map(({ row, keys, codes }) =>
      element("li", {}, `Row ${row} with ${describeKeyPegs(keys, this.board)}: ${codes === 1 ? "1 code" : `${codes.toLocaleString("en")} codes`} would fit.`),
    );
    return [
      element("p", { class: "answer-text wrong" }, `No code fits. ${rows}.`),
      element("p", {}, repairs.length ? "If just one answer is wrong, it could be:" : "More than one answer must be wrong."),
      element("ul", {}, ...repairs),
    ];
  }
}

function start() {
  const asked = parseBoard(new URLSearchParams(location.search).get("board") ?? "classic") ?? PRESETS[0];
  const board = isSmall(asked) ? asked : PRESETS[0];
  furnish(board);
  const choice = element(
    "select",
    { id: "board", onchange: () => location.assign(`/assistant?board=${encodeURIComponent(choice.value)}`) },
    ...[...PRESETS, ...(PRESETS.includes(board) ? [] : [board])].map((one) =>
      element("option", { value: one.name, selected: one.name === board.name }, `${one.name}: ${describeBoard(one)}`),
    ),
  );
  const field = element("label", { for: "board", class: "stack" }, "Board", choice);
  find("#assistant").replaceChildren(element("div", { class: "stack" }, field, new Assistant(board).element));
}

start();
