/**
 * The assistant: the user enters rows of a real board, and the page shows what follows from them. On
 * small boards the browser tries every code itself; on larger boards the solver is asked.
 */

import { advise, whyAdvised } from "../game/advice.js";
import { everyCode, fits, isSmall } from "../game/analysis.js";
import { describeBoard, parseBoard, PRESETS } from "../game/board.js";
import { describeCode, shortCode } from "../game/code.js";
import { cannotBeRight, contradiction } from "../game/contradiction.js";
import * as drafting from "../game/draft.js";
import { describeKeyPegs } from "../game/keypegs.js";
import { askAdvice, sentence } from "../live/api.js";
import { patiently } from "../live/patience.js";
import { AnswerPanel } from "../view/answer.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { LooseHand } from "../view/loosehand.js";
import { keyCluster } from "../view/peg.js";
import { pegRow, strip } from "../view/reading.js";
import { announce } from "../view/status.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/analysis.js").AnsweredRow} AnsweredRow */
/** @typedef {import("../game/contradiction.js").Contradiction} Contradiction */

const SHOWN_CODES = 60;

class Assistant {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {AnsweredRow[]} */
    this.rows = [];
    /** The rows of the last request. Answers to earlier requests are ignored. */
    this.asked = this.rows;
    this.hand = new LooseHand(board, "", () => this.answer.place());
    this.answer = new AnswerPanel(board, { changed: (keys) => this.hand.hand.layKeys(keys), submit: (keys) => this.add(keys) }, "Add row");
    this.list = element("ol", { class: "review-rows", "aria-label": "Rows entered" });
    this.result = element("section", { class: "card stack", "aria-label": "Result" });
    // The button of the answer panel adds the row together with its key pegs.
    this.hand.hand.go.replaceWith(this.hand.hand.reason, this.answer.element);
    this.element = element("div", { class: "review" }, element("div", { class: "stack" }, this.list, this.hand.element), this.result);
    this.update();
  }

  /** @param {import("../game/keypegs.js").KeyPegs} keys */
  add(keys) {
    const { draft } = this.hand;
    const why = drafting.whyNotReady(draft, this.board);
    if (why) return this.answer.complain(`${why}.`);
    this.rows.push({ code: drafting.pegs(draft), ...keys });
    this.update();
  }

  update() {
    this.hand.begin(this.rows.length + 1);
    this.answer.set({ black: 0, white: 0 });
    this.mark([]);
    if (isSmall(this.board)) this.analyse();
    else this.ask();
  }

  analyse() {
    const left = everyCode(this.board).filter((code) => this.rows.every((row) => fits(code, row)));
    const best = advise(this.board, left);
    const wrong = contradiction(this.board, this.rows);
    if (wrong) return this.showContradiction(wrong);
    if (best) this.showAdvice(left.length, true, best.guess, `${whyAdvised(best, left.length)} This looks only one guess ahead.`, this.solver(), this.codes(left));
  }

  /** Ask the solver, because the board is too large to try every code here. */
  async ask() {
    const { board } = this;
    const asked = (this.asked = [...this.rows]);
    this.result.replaceChildren("Thinking…");
    try {
      const { codes_left: left, exact, guess, why, contradiction: wrong, repairs } = await patiently(() => askAdvice(board.name, asked));
      if (asked !== this.asked) return;
      if (guess) this.showAdvice(left, exact, guess, sentence(why));
      else this.showContradiction({ rows: wrong, repairs: repairs.map(({ row, black, white, codes_left: codes }) => ({ row, keys: { black, white }, codes })) });
    } catch (problem) {
      this.result.replaceChildren(/** @type {Error} */ (problem).message);
    }
  }

  /**
   * @param {number} left
   * @param {boolean} exact
   * @param {number[]} guess
   * @param {string} why
   * @param {...Node} more
   */
  showAdvice(left, exact, guess, why, ...more) {
    const words = left === 1 ? "1 code is left." : `${exact ? "" : "About "}${left.toLocaleString("en")} codes are left.`;
    this.result.replaceChildren(element("p", { class: "answer-text" }, words), strip("Try", guess, null, this.board), element("p", {}, why), ...more);
    announce(`${words} Try ${describeCode(guess, this.board)}.`);
  }

  /**
   * Mark rows of the list.
   * @param {number[]} marked
   */
  mark(marked) {
    this.list.replaceChildren(...this.rows.map((row, index) => this.row(row, index, marked.includes(index + 1))));
  }

  /**
   * @param {AnsweredRow} row
   * @param {number} index
   * @param {boolean} marked
   */
  row(row, index, marked) {
    const remove = () => {
      this.rows.splice(index, 1);
      this.update();
    };
    const words = `${describeCode(row.code, this.board)}, ${describeKeyPegs(row, this.board)}`;
    return element(
      "li",
      { class: `strip small${marked ? " marked" : ""}` },
      element("span", { "aria-hidden": "true" }, `${marked ? "! " : ""}${index + 1}`),
      pegRow(row.code, this.board),
      element("span", { class: "buttons" }, keyCluster(row, this.board), element("button", { type: "button", "aria-label": `Remove row ${index + 1}: ${words}`, onclick: remove }, "×")),
    );
  }

  /** The solver looks further than one guess ahead. It is asked only on request, since it may take long. */
  solver() {
    const answer = element("div", { class: "stack" });
    const ask = async () => {
      button.textContent = "Thinking…";
      try {
        const { guess, why } = await patiently(() => askAdvice(this.board.name, this.rows));
        if (guess) answer.replaceChildren(strip("Best", guess, null, this.board), element("p", {}, sentence(why)));
      } catch (problem) {
        answer.replaceChildren(/** @type {Error} */ (problem).message);
      }
    };
    const button = element("button", { type: "button", onclick: ask }, "Ask the solver for the best guess");
    answer.append(element("div", { class: "buttons" }, button));
    return answer;
  }

  /** @param {number[][]} left */
  codes(left) {
    const items = left.slice(0, SHOWN_CODES).map((code) => element("li", {}, shortCode(code, this.board)));
    const more = left.length > SHOWN_CODES ? `, the first ${SHOWN_CODES} of them` : "";
    return element("details", {}, element("summary", {}, `The codes left${more}`), element("ul", { class: "code-list" }, ...items));
  }

  /** @param {Contradiction} wrong */
  showContradiction({ rows, repairs }) {
    const words = `No code fits. ${cannotBeRight(rows)}.`;
    const lines = this.rows.flatMap((row, index) => {
      const mends = repairs.filter((repair) => repair.row === index + 1).sort((one, two) => two.codes - one.codes);
      return mends.length ? [this.mends(index + 1, row, mends)] : [];
    });
    this.mark(rows);
    this.result.replaceChildren(
      element("p", { class: "answer-text wrong" }, words),
      element("p", {}, lines.length ? "If only one answer is wrong, it is one of these, the most likely first:" : "More than one answer must be wrong."),
      ...lines,
    );
    announce(words);
  }

  /**
   * @param {number} number
   * @param {AnsweredRow} row
   * @param {Contradiction["repairs"]} mends
   */
  mends(number, row, mends) {
    const items = mends.map(({ keys, codes }) => element("li", {}, `${describeKeyPegs(keys, this.board)} (${codes === 1 ? "1 code fits" : `${codes.toLocaleString("en")} codes fit`})`));
    return element("div", {}, element("p", {}, `Row ${number}, answered ${describeKeyPegs(row, this.board)}, could be:`), element("ul", { class: "mends" }, ...items));
  }
}

/** @param {string} name */
function go(name) {
  location.assign(`/assistant?board=${encodeURIComponent(name)}`);
}

/** @param {Board} board */
function boardFields(board) {
  const known = PRESETS.includes(board) ? PRESETS : [...PRESETS, board];
  const choice = element(
    "select",
    { id: "board", onchange: () => go(choice.value) },
    ...known.map((one) => element("option", { value: one.name, selected: one.name === board.name }, `${one.name}: ${describeBoard(one)}`)),
  );
  const problem = element("p", { class: "wrong", role: "alert" });
  const own = element("input", {
    id: "own-board",
    placeholder: "6x10",
    autocomplete: "off",
    onchange: () => {
      const found = parseBoard(own.value);
      if (found) go(found.name);
      else problem.textContent = `“${own.value}” is not a valid board; write holes x colours, such as 6x10, with b for blanks and n for no repeats.`;
    },
  });
  return element(
    "div",
    { class: "fields" },
    element("label", { for: "board" }, "Board", choice),
    element("label", { for: "own-board" }, "or another board, as holes x colours", own),
    problem,
  );
}

function start() {
  const board = parseBoard(new URLSearchParams(location.search).get("board") ?? "classic") ?? PRESETS[0];
  setUpLook(board);
  find("#assistant").replaceChildren(element("div", { class: "stack" }, boardFields(board), new Assistant(board).element));
}

start();
