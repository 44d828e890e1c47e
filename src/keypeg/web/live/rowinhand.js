/**
 * The row that the player is filling. Each row gets a new draft, which is restored after a reload.
 * Changes made while a row is being checked are kept for the next row.
 */

import { emptyDraft, nextDraft } from "../game/draft.js";
import { situation } from "../game/situation.js";
import { keepDraft, keptDraft } from "./drafts.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../game/draft.js").Draft} Draft */
/** @typedef {(draft: Draft) => Draft} Change */

export class RowInHand {
  /** @param {number} holes */
  constructor(holes) {
    this.draft = emptyDraft(holes);
    /** Which row of which game the draft is for. */
    this.place = "";
    /** @type {Change[]} */
    this.early = [];
    /** Whether to check the next row as soon as the postponed changes are made. */
    this.eager = false;
  }

  /**
   * Begin a new draft for a new row, game or secret. Held pegs stay.
   * @param {Table} table
   */
  renew(table) {
    const { hand, row, game, seat } = situation(table);
    const place = `${game.id} ${seat} ${hand === "secret" ? "secret" : row}`;
    if ((hand !== "guess" && hand !== "secret") || place === this.place) return;
    const follows = this.place.startsWith(`${game.id} ${seat}`) && row > 1;
    this.place = place;
    const kept = hand === "guess" ? keptDraft(place, table.board) : null;
    this.draft = kept ?? (follows ? nextDraft(this.draft) : emptyDraft(table.board.holes));
  }

  /**
   * @param {Table} table
   * @param {Change} change
   */
  change(table, change) {
    this.draft = change(this.draft);
    if (situation(table).hand === "guess") keepDraft(this.place, this.draft);
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
   * @param {Table} table
   * @param {boolean} hasCome
   * @returns {boolean} whether to check that row now
   */
  catchUp(table, hasCome) {
    const early = this.early.splice(0);
    const eager = this.eager;
    this.eager = false;
    if (!hasCome || situation(table).hand !== "guess") return false;
    early.forEach((change) => this.change(table, change));
    return eager;
  }
}
