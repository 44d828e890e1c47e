/** Practice: breaking a code alone. The browser answers. */

import { describeCode } from "../game/code.js";
import { score } from "../game/keypegs.js";
import { describeRow } from "../game/rowwords.js";
import { element } from "./element.js";
import { focusKeeper } from "./focus.js";
import { strip } from "./reading.js";
import { RowForm } from "./rowform.js";
import { announce } from "./status.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/analysis.js").AnsweredRow} AnsweredRow */
/** @typedef {import("../game/keypegs.js").KeyPegs} KeyPegs */

export class Practice {
  /**
   * @param {Board} board
   * @param {(code: number[]) => KeyPegs} answer
   * @param {readonly AnsweredRow[]} rows that have been played already
   * @param {(rows: AnsweredRow[], isBroken: boolean) => { words: string, isOver: boolean }} judge what is
   *   said about the rows so far
   * @param {{ short?: boolean } & import("./rowform.js").MoreOfRow} [more] `short`: whether only the numbers of
   *   rows are shown; and what the row to fill takes
   */
  constructor(board, answer, rows, judge, { short = false, ...more } = {}) {
    this.board = board;
    this.answer = answer;
    this.rows = [...rows];
    this.judge = judge;
    this.short = short;
    this.strips = element("div", { class: "strips" });
    this.told = element("p", { class: "answer-text", tabindex: -1 });
    this.hand = new RowForm(board, "Check", (code) => this.play(code), more);
    this.element = element("div", { class: "stack" }, this.strips, this.told, this.hand.element);
    this.keepFocus = focusKeeper(this.element, () => this.told);
    this.update();
  }

  /** @param {number[]} code */
  play(code) {
    const row = { code, ...this.answer(code) };
    this.rows.push(row);
    this.update();
    announce(this.told.textContent || describeRow(row, this.rows.length, this.board));
  }

  update() {
    const { board, rows } = this;
    const { words, isOver } = this.judge(rows, rows.some(({ black }) => black === board.holes));
    this.strips.replaceChildren(...rows.map((row, index) => strip(`Row ${index + 1}`, row.code, row, board, this.short ? String(index + 1) : undefined)));
    this.told.textContent = words;
    this.hand.element.hidden = isOver;
    this.hand.begin(rows.length + 1);
    this.keepFocus();
  }
}

/**
 * The right answers for a code.
 * @param {number[]} secret
 */
export function answersFor(secret) {
  return (/** @type {number[]} */ code) => score(secret, code);
}

/**
 * A judge for practice that ends as a game does: when the code is broken, or when no row is left.
 * @param {Board} board
 * @param {number[]} secret
 */
export function asInAGame(board, secret) {
  return (/** @type {AnsweredRow[]} */ rows, /** @type {boolean} */ isBroken) => {
    const isFull = rows.length >= board.rows;
    const unbroken = isFull ? `All rows used. The code was ${describeCode(secret, board)}.` : "";
    return { words: isBroken ? `Broken in row ${rows.length}.` : unbroken, isOver: isBroken || isFull };
  };
}
