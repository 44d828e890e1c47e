/** A finished game taken up again at some row, alone: the code is known here, and answers by itself. */

import { describeCode } from "../game/code.js";
import * as drafting from "../game/draft.js";
import { describeRow } from "../game/sentences.js";
import { score } from "../game/keypegs.js";
import { element } from "./element.js";
import { Hand } from "./hand.js";
import { strip } from "./reading.js";
import { announce, notify } from "./status.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */

export class Practice {
  /**
   * @param {Board} board
   * @param {number[]} secret
   * @param {Row[]} rows those played before
   */
  constructor(board, secret, rows) {
    this.board = board;
    this.secret = secret;
    this.rows = [...rows];
    this.draft = drafting.emptyDraft(board.holes);
    this.strips = element("div", { class: "strips" });
    this.end = element("p", { class: "answer-text" });
    this.hand = new Hand(board, {
      place: (peg) => this.edit(drafting.place(this.draft, peg)),
      fill: (peg) => this.edit(drafting.fill(this.draft, peg)),
      choose: (hole) => this.edit(drafting.moveTo(this.draft, hole)),
      submit: () => this.submit(),
    });
    this.entry = element("div", { class: "entry" }, this.hand.element, this.hand.tray, this.hand.reason);
    this.element = element("div", { class: "stack" }, element("h2", {}, "Try again"), this.strips, this.entry, this.end);
    this.update();
  }

  /** @param {import("../game/draft.js").Draft} draft */
  edit(draft) {
    this.draft = draft;
    this.update();
  }

  submit() {
    const why = drafting.whyNotReady(this.draft, this.board);
    if (why) return notify(`${why}.`);
    const code = drafting.pegs(this.draft);
    const row = { code, ...score(this.secret, code) };
    this.rows.push(row);
    announce(describeRow(row, this.rows.length, this.board));
    this.edit(drafting.nextDraft(this.draft));
  }

  update() {
    const { board, rows } = this;
    this.strips.replaceChildren(
      ...rows.flatMap(({ code, black, white }, index) =>
        code && black !== null && white !== null ? [strip(`Row ${index + 1}`, code, { black, white }, board)] : [],
      ),
    );
    const broken = rows.some(({ black }) => black === board.holes);
    this.entry.hidden = broken || rows.length >= board.rows;
    this.end.textContent = broken
      ? `Broken in row ${rows.length}.`
      : this.entry.hidden
        ? `All rows used. The code was ${describeCode(this.secret, board)}.`
        : "";
    const number = String(rows.length + 1);
    this.hand.update(this.draft, { number, label: `Row ${number}`, check: "Check", masked: false, busy: false });
  }
}
