/** Answering a row of the other player by hand: one's own code, their row, and the key pegs to place. */

import { nameOf, toAnswer } from "../game/match.js";
import { AnswerPanel } from "./answer.js";
import { element } from "./element.js";
import { keyCluster } from "./peg.js";
import { strip } from "./reading.js";

/** @typedef {import("../wire.js").MatchView} MatchView */
/** @typedef {import("../game/keypegs.js").KeyPegs} KeyPegs */

export class HandAnswer {
  /**
   * @param {import("../wire.js").Board} board
   * @param {(row: number, keys: KeyPegs) => void} submit
   */
  constructor(board, submit) {
    this.board = board;
    this.row = 0;
    this.strips = element("div", { class: "strips aligned" });
    this.panel = new AnswerPanel(board, { changed: (keys) => this.lay(keys), submit: (keys) => submit(this.row, keys) });
    this.element = element("div", { class: "hand-answer", hidden: true }, this.strips, this.panel.element);
  }

  /** @param {MatchView} match */
  update(match) {
    const asked = toAnswer(match);
    if (!asked || !match.secret || asked.row === this.row) return;
    this.row = asked.row;
    const theirs = strip(`Row ${asked.row} of ${nameOf(match, asked.player)}`, asked.code, null, this.board, String(asked.row));
    theirs.lastElementChild?.replaceWith(keyCluster(null, this.board));
    this.strips.replaceChildren(strip("Your code", match.secret, null, this.board, "Code"), theirs);
    this.panel.begin(asked.row);
  }

  /** Show the key pegs beside the row before they are placed. @param {KeyPegs | null} keys */
  lay(keys) {
    this.strips?.querySelector(".keys")?.replaceWith(keyCluster(keys, this.board));
  }

  /** Where to begin. */
  get stop() {
    return this.panel.none;
  }
}
