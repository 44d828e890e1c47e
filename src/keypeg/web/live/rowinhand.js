/**
 * The row in the player's hands, over time: a new draft for each row, kept over a refresh, and
 * changes that come while a row is being checked kept for the next one.
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
    /** Whether the next row is to be checked as soon as it has its early pegs. */
    this.eager = false;
  }

  /**
   * A new row, game or secret begins with a new draft; held pegs stay.
   * @param {Table} table
   */
  renew(table) {
    const { hand, row, game, seat } = situation(table);
    const place = `${game.id} ${seat} ${hand === "secret" ? "secret" : row}`;
    if ((hand !== "guess" && hand !== "secret") || place === this.place) return;
    const follows = this.place.startsWith(`${game.id} ${seat}`) && row > 1;
    this.place = place;
    const kept = hand === "guess" ? keptDraft(place, table.board.holes) : null;
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

  /** Keep a Check for the next row, if pegs for it came before: else it is one press too many. */
  postponeCheck() {
    this.eager = this.early.length > 0;
  }

  /**
   * Make the changes that were postponed, if the row they were meant for has come.
   * @param {Table} table
   * @param {boolean} hasCome
   * @returns {boolean} whether that row is to be checked at once
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
