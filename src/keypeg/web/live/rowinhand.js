/**
 * The row that the player is filling. Each row gets a new draft, which is restored after a reload.
 * Changes made while a row is being checked are kept for the next row.
 */

import { emptyDraft, nextDraft } from "../game/draft.js";
import { keepDraft, keptDraft } from "./drafts.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/draft.js").Draft} Draft */
/** @typedef {(draft: Draft) => Draft} Change */

/**
 * Where a player is: which row of which game, and what is to be done there. A table's situation is one.
 * @typedef {object} Moment
 * @property {string | null} hand a draft is filled for "secret" and for "guess"
 * @property {number} row
 * @property {{ id: string }} game
 * @property {string | number | null} seat
 */

export class RowInHand {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.draft = emptyDraft(board.holes);
    /** Which row of which game the draft is for. */
    this.place = "";
    /** @type {Change[]} */
    this.early = [];
    /** Whether to check the next row as soon as the postponed changes are made. */
    this.eager = false;
  }

  /**
   * Begin a new draft for a new row, game or secret. Held pegs stay.
   * @param {Moment} moment
   */
  renew({ hand, row, game, seat }) {
    const place = `${game.id} ${seat} ${hand === "secret" ? "secret" : row}`;
    if ((hand !== "guess" && hand !== "secret") || place === this.place) return;
    const follows = this.place.startsWith(`${game.id} ${seat}`) && row > 1;
    this.place = place;
    const kept = hand === "guess" ? keptDraft(place, this.board) : null;
    this.draft = kept ?? (follows ? nextDraft(this.draft) : emptyDraft(this.board.holes));
  }

  /**
   * @param {Moment} moment
   * @param {Change} change
   */
  change(moment, change) {
    this.draft = change(this.draft);
    if (moment.hand === "guess") keepDraft(this.place, this.draft);
  }

  /**
   * Keep a change for the next row.
   * @param {Change} change
   */
  postpone(change) {
    this.early.push(change);
  }

  /** Check the next row too, if pegs were placed in it. Otherwise the player just pressed twice. */
  postponeCheck() {
    this.eager = this.early.length > 0;
  }

  /**
   * Make the postponed changes, if the row they were meant for has begun.
   * @param {Moment} moment
   * @param {boolean} hasCome
   * @returns {boolean} whether to check that row now
   */
  catchUp(moment, hasCome) {
    const early = this.early.splice(0);
    const eager = this.eager;
    this.eager = false;
    if (!hasCome || moment.hand !== "guess") return false;
    early.forEach((change) => this.change(moment, change));
    return eager;
  }
}
