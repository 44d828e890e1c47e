/** A game against the unfair maker, which the page plays by itself. */

import { codeCount, counted, grouped } from "../game/board.js";
import { describeKeyPegs } from "../game/keypegs.js";
import { afterRow, isOver, startUnfair } from "../game/unfair.js";
import { element } from "./element.js";
import { Practice } from "./practice.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/unfair.js").UnfairGame} UnfairGame */

export class UnfairGameView {
  /**
   * @param {Board} board
   * @param {readonly number[][]} guesses that have been played already
   * @param {(game: UnfairGame, isNew: boolean) => void} played called at the start and after each row; `isNew`:
   *   whether a row was just played
   */
  constructor(board, guesses, played) {
    this.game = startUnfair(board);
    for (const code of guesses) if (!isOver(this.game)) this.game = afterRow(this.game, code);
    this.played = played;
    this.practice = new Practice(board, (code) => this.answer(code), this.game.rows, () => this.judge(), { short: true, alone: true });
    this.element = element("section", { class: "aligned played", "aria-label": "The game" }, this.practice.element);
    played(this.game, false);
  }

  /** @param {number[]} code */
  answer(code) {
    this.game = afterRow(this.game, code);
    const row = this.game.rows[this.game.rows.length - 1];
    // The row is shown first.
    queueMicrotask(() => {
      this.practice.told.scrollIntoView({ block: "nearest" });
      this.played(this.game, true);
    });
    return row;
  }

  judge() {
    const { board, rows } = this.game;
    const row = rows.at(-1);
    const before = rows.at(-2)?.left ?? codeCount(board);
    const left = counted(board.rows - rows.length, "row");
    if (isOver(this.game)) return { words: "", isOver: true };
    if (!row) return { words: `${counted(before, "code")} are possible. You have ${left}.`, isOver: false };
    return { words: `${describeKeyPegs(row, board)}: ${grouped(row.left)} of ${counted(before, "code")} left. ${left} left.`, isOver: false };
  }
}
