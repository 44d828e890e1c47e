/**
 * The assistant: the user enters rows of a real board, and the page shows what follows from them. On
 * small boards the browser tries every code itself; on larger boards the solver is asked.
 */

import { advise, codesLeft, whyAdvised, whyBest } from "../game/advice.js";
import { isSmall } from "../game/analysis.js";
import { describeBoard, grouped, parseBoard, PRESETS } from "../game/board.js";
import { describeCode } from "../game/code.js";
import { cannotBeRight, contradiction } from "../game/contradiction.js";
import * as drafting from "../game/draft.js";
import { describeKeyPegs } from "../game/keypegs.js";
import { askAdvice, sentence } from "../live/api.js";
import { patiently } from "../live/patience.js";
import { keepRows, keptRows, lastBoard } from "../live/worksheet.js";
import { AnswerPanel } from "../view/answer.js";
import { confirmed } from "../view/dialog.js";
import { element, find } from "../view/element.js";
import { focusKeeper } from "../view/focus.js";
import { setUpLook } from "../view/look.js";
import { keyCluster } from "../view/peg.js";
import { codeItem, pegRow, strip } from "../view/reading.js";
import { RowForm } from "../view/rowform.js";
import { announce } from "../view/status.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/analysis.js").AnsweredRow} AnsweredRow */
/** @typedef {import("../game/contradiction.js").Contradiction} Contradiction */
/** @typedef {import("../game/keypegs.js").KeyPegs} KeyPegs */

const SHOWN_CODES = 60;

class Assistant {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.rows = keptRows(board);
    /** The index of the row being changed; null while a new one is entered. @type {number | null} */
    this.changing = null;
    /** The rows of the last request. Answers to earlier requests are ignored. */
    this.asked = this.rows;
    this.hand = new RowForm(board, "", () => this.answer.place());
    this.answer = new AnswerPanel(board, { changed: (keys) => this.hand.hand.layKeys(keys), submit: (keys) => this.add(keys) }, "Add row");
    this.list = element("ol", { class: "review-rows", "aria-label": "Rows entered" });
    this.result = element("section", { class: "card stack result", "aria-label": "Result", tabindex: -1 });
    // The button of the answer panel adds the row together with its key pegs.
    const { go, edits, reason } = this.hand.hand;
    go.replaceWith(edits, reason, this.answer.element);
    this.cancel = element("button", { type: "button", onclick: () => this.enter(null) }, "Cancel");
    this.clear = element("button", { type: "button", onclick: () => this.removeAll() }, "Remove all rows");
    this.note = element("p", { class: "reason" }, "Choose a row to change it.");
    const buttons = element("div", { class: "buttons" }, this.cancel, this.clear);
    this.element = element("div", { class: "review" }, element("div", { class: "stack" }, this.list, this.note, this.hand.element, buttons), this.result);
    this.keepFocus = focusKeeper(this.element, () => this.result);
    this.update();
  }

  /**
   * Add a row with these key pegs, or put it in place of the row being changed.
   * @param {KeyPegs} keys
   */
  add(keys) {
    const { draft } = this.hand;
    const why = drafting.whyNotReady(draft, this.board);
    if (why) return this.answer.complain(`${why}.`);
    const row = { code: drafting.pegs(draft), ...keys };
    this.replace(this.changing === null ? [...this.rows, row] : this.rows.with(this.changing, row));
    // On a phone it is below the row to fill.
    (this.result.firstElementChild ?? this.result).scrollIntoView({ block: "nearest" });
  }

  /**
   * Show other rows, and what follows from them.
   * @param {AnsweredRow[]} rows
   */
  replace(rows) {
    this.rows = rows;
    keepRows(this.board, rows);
    this.update();
  }

  async removeAll() {
    if (await confirmed("Remove all rows?", "This cannot be undone.", "Remove")) this.replace([]);
  }

  update() {
    this.enter(null);
    this.mark([]);
    if (isSmall(this.board)) this.analyse();
    else this.ask();
    this.keepFocus();
  }

  /**
   * Begin to enter a new row, or to change one.
   * @param {number | null} at the index of the row; null is a new one
   */
  enter(at) {
    this.changing = at;
    const row = at === null ? null : this.rows[at];
    this.hand.begin((at ?? this.rows.length) + 1);
    if (row) this.hand.edit(drafting.copy(this.hand.draft, row.code));
    this.answer.set(row ? { black: row.black, white: row.white } : { black: 0, white: 0 }, row !== null);
    this.answer.button.textContent = row ? "Change row" : "Add row";
    this.cancel.hidden = !row;
    this.clear.hidden = this.rows.length === 0;
    this.note.hidden = this.clear.hidden;
    this.keepFocus();
  }

  analyse() {
    const left = codesLeft(this.board, this.rows);
    const wrong = left.length ? null : contradiction(this.board, this.rows);
    if (wrong) return this.showContradiction(wrong);
    const best = advise(this.board, left);
    if (best) this.showAdvice(left.length, true, best.guess, `${whyAdvised(best, left.length)} This looks only one guess ahead.`, this.solver(left), this.codes(left));
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
    const words = left === 1 ? "1 code is left." : `${exact ? "" : "About "}${grouped(left)} codes are left.`;
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
    const remove = () => this.replace(this.rows.toSpliced(index, 1));
    const change = () => {
      this.enter(index);
      this.hand.hand.holes[0].focus();
    };
    const words = `${describeCode(row.code, this.board)}, ${describeKeyPegs(row, this.board)}`;
    return element(
      "li",
      { class: `strip small${marked ? " marked" : ""}` },
      element("span", { "aria-hidden": "true" }, `${marked ? "! " : ""}${index + 1}`),
      element(
        "button",
        { type: "button", class: "plain change", "aria-label": `Change row ${index + 1}: ${words}`, onclick: change },
        pegRow(row.code, this.board),
        keyCluster(row, this.board),
      ),
      element("button", { type: "button", "aria-label": `Remove row ${index + 1}: ${words}`, onclick: remove }, "×"),
    );
  }

  /**
   * The solver looks further than one guess ahead. It is asked only on request, since it may take long.
   * @param {number[][]} left
   */
  solver(left) {
    const answer = element("div", { class: "stack" });
    const ask = async () => {
      button.textContent = "Thinking…";
      try {
        const { guess } = await patiently(() => askAdvice(this.board.name, this.rows));
        if (guess) {
          answer.replaceChildren(strip("Best", guess, null, this.board), element("p", {}, whyBest(guess, left)));
          announce(`Best: ${describeCode(guess, this.board)}.`);
        }
      } catch (problem) {
        answer.replaceChildren(/** @type {Error} */ (problem).message);
      }
      this.keepFocus();
    };
    const button = element("button", { type: "button", onclick: ask }, "Ask the solver for the best guess");
    answer.append(element("div", { class: "buttons" }, button));
    return answer;
  }

  /** @param {number[][]} left */
  codes(left) {
    const items = left.slice(0, SHOWN_CODES).map((code) => codeItem(code, this.board));
    const more = left.length > SHOWN_CODES ? `, the first ${SHOWN_CODES} of them` : "";
    return element("details", {}, element("summary", {}, `The codes left${more}`), element("ul", { class: "code-list" }, ...items));
  }

  /** @param {Contradiction} wrong */
  showContradiction({ rows, repairs }) {
    const words = `No code fits. ${cannotBeRight(rows)}.`;
    const mended = this.rows.map((row, index) => ({ row, index, mends: mostFirst(repairs.filter((repair) => repair.row === index + 1)) }));
    const lines = mended
      .filter(({ mends }) => mends.length > 0)
      .sort((one, two) => two.mends[0].codes - one.mends[0].codes)
      .map(({ row, index, mends }) => this.mends(index, row, mends));
    this.mark(rows);
    this.result.replaceChildren(
      element("p", { class: "answer-text wrong" }, words),
      element("p", {}, lines.length ? "If only one answer is wrong, it is one of these. For each row, the answer that most codes fit comes first. Choose one to change the row." : "More than one answer must be wrong."),
      ...lines,
    );
    announce(words);
  }

  /**
   * The answers that a row could have had; each is a button that changes the row.
   * @param {number} index
   * @param {AnsweredRow} row
   * @param {Contradiction["repairs"]} mends
   */
  mends(index, row, mends) {
    const items = mends.map(({ keys, codes }) => {
      const words = `${describeKeyPegs(keys, this.board)} (${codes === 1 ? "1 code fits" : `${grouped(codes)} codes fit`})`;
      const change = () => {
        this.replace(this.rows.with(index, { code: row.code, ...keys }));
        this.result.focus();
      };
      return element("li", {}, element("button", { type: "button", "aria-label": `Row ${index + 1}: ${words}`, onclick: change }, words));
    });
    return element("div", {}, element("p", {}, `Row ${index + 1}, answered ${describeKeyPegs(row, this.board)}, could be:`), element("ul", { class: "mends" }, ...items));
  }
}

/** @param {Contradiction["repairs"]} repairs */
function mostFirst(repairs) {
  return repairs.sort((one, two) => two.codes - one.codes);
}

/**
 * Show the assistant for a board, with the rows that were entered for it before.
 * @param {Board} board
 */
function show(board) {
  setUpLook(board);
  history.replaceState(null, "", `/assistant?board=${encodeURIComponent(board.name)}`);
  find("#sheet").replaceChildren(new Assistant(board).element);
}

/** @param {Board} board */
function boardFields(board) {
  const choice = element("select", { id: "board", onchange: () => choose(parseBoard(choice.value) ?? board) });
  const problem = element("p", { class: "wrong", role: "alert" });
  const choose = (/** @type {Board} */ chosen) => {
    const known = PRESETS.includes(chosen) ? PRESETS : [...PRESETS, chosen];
    choice.replaceChildren(
      ...known.map((one) => element("option", { value: one.name, selected: one.name === chosen.name }, `${one.name}: ${describeBoard(one)}`)),
    );
    problem.textContent = "";
    show(chosen);
  };
  const own = element("input", {
    id: "own-board",
    placeholder: "6x10",
    autocomplete: "off",
    onchange: () => {
      const found = parseBoard(own.value.replace(/\s+/g, "").replace("×", "x"));
      if (found) choose(found);
      else problem.textContent = `“${own.value}” is not a valid board; write holes x colours, such as 6x10, with b for blanks and n for no repeats.`;
    },
  });
  const fields = element(
    "div",
    { class: "fields" },
    element("label", { for: "board" }, "Board", choice),
    element("label", { for: "own-board" }, "or another board, as holes x colours", own),
    problem,
  );
  find("#assistant").replaceChildren(element("div", { class: "stack" }, fields, element("div", { id: "sheet" })));
  choose(board);
}

const asked = new URLSearchParams(location.search).get("board") ?? lastBoard() ?? "classic";
boardFields(parseBoard(asked) ?? PRESETS[0]);
