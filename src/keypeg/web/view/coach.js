/** The coach: a line of tips in the first game. It goes away for good after two rows, or when dismissed. */

import { whyNotReady } from "../game/draft.js";
import { keyPegMeaning } from "../game/sentences.js";
import { situation } from "../game/situation.js";
import { SERIES_KEY, safeStorage } from "../live/storage.js";
import { keepPreferences, readPreferences } from "../look/preferences.js";
import { element } from "./element.js";
import { announce } from "./status.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../game/draft.js").Draft} Draft */

export class Coach {
  constructor() {
    this.isDone = readPreferences().coached || safeStorage.getItem(SERIES_KEY) !== null;
    this.words = element("span", {});
    const dismiss = element("button", { type: "button", class: "plain", "aria-label": "No more tips", onclick: () => this.finish() }, "×");
    this.element = element("p", { class: "coach", hidden: true }, this.words, dismiss);
  }

  /**
   * @param {Table} table
   * @param {Draft} draft
   */
  update(table, draft) {
    if (this.isDone) return;
    const { hand, row } = situation(table);
    if (hand === "guess" && row > 2) return this.finish();
    this.element.hidden = hand !== "guess";
    if (hand === "guess") this.say(tip(table, draft, row));
  }

  /** @param {string} words */
  say(words) {
    if (this.words.textContent === words) return;
    this.words.textContent = words;
    announce(words);
  }

  finish() {
    this.isDone = true;
    this.element.hidden = true;
    keepPreferences({ coached: true });
  }
}

/**
 * @param {Table} table
 * @param {Draft} draft
 * @param {number} row
 */
function tip({ board }, draft, row) {
  if (row > 1) return keyPegMeaning(board);
  return whyNotReady(draft, board) ? "Tap a colour to place a peg. Fill all holes." : "The row is full. Press Check.";
}
