/** Practice: replaying a finished game from a row on, alone. The browser answers, since it has the code. */

import { describeCode } from "../game/code.js";
import { describeRow } from "../game/sentences.js";
import { score } from "../game/keypegs.js";
import { element } from "./element.js";
import { focusKeeper } from "./focus.js";
import { LooseHand } from "./loosehand.js";
import { strip } from "./reading.js";
import { announce } from "./status.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/analysis.js").AnsweredRow} AnsweredRow */

export class Practice {
  /**
   * @param {Board} board
   * @param {number[]} secret
   * @param {readonly AnsweredRow[]} rows the rows before that
   */
  constructor(board, secret, rows) {
    this.board = board;
    this.secret = secret;
    this.rows = [...rows];
    this.strips = element("div", { class: "strips" });
    this.end = element("p", { class: "answer-text", tabindex: -1 });
    this.hand = new LooseHand(board, "Check", (code) => this.play(code));
    this.element = element("div", { class: "stack" }, element("h2", {}, "Try again"), this.strips, this.hand.element, this.end);
    this.keepFocus = focusKeeper(this.element, () => this.end);
    this.update();
  }

  /** @param {number[]} code */
  play(code) {
    const row = { code, ...score(this.secret, code) };
    this.rows.push(row);
    announce(describeRow(row, this.rows.length, this.board));
    this.update();
  }

  update() {
    const { board, rows } = this;
    this.strips.replaceChildren(...rows.map((row, index) => strip(`Row ${index + 1}`, row.code, row, board)));
    const broken = rows.some(({ black }) => black === board.holes);
    this.hand.element.hidden = broken || rows.length >= board.rows;
    this.end.textContent = broken
      ? `Broken in row ${rows.length}.`
      : this.hand.element.hidden
        ? `All rows used. The code was ${describeCode(this.secret, board)}.`
        : "";
    this.hand.begin(rows.length + 1);
    this.keepFocus();
  }
}
