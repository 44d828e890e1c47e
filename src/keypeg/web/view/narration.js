/** Tells what happens at a table: in words for screen readers, some of them shown, and in sounds. */

import { changedHoles } from "../game/rowwords.js";
import { announcement, awaited, headline } from "../game/sentences.js";
import { situation } from "../game/situation.js";
import { sentence } from "../live/api.js";
import { play } from "../look/sound.js";
import { announce, notify } from "./status.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").TableEvent} TableEvent */
/** @typedef {import("../game/draft.js").Draft} Draft */

/** Events that change nothing on the board, and so are shown as well as announced. */
const SHOWN = ["challenged", "row-expired", "time-offered", "time-credited", "rematch-offered"];

export class Narration {
  /**
   * @param {() => boolean} isCalm whether animations are unwelcome
   * @param {boolean} isShared whether both players use this device
   */
  constructor(isCalm, isShared) {
    this.isCalm = isCalm;
    this.isShared = isShared;
    /** @type {import("../game/situation.js").Hand} */
    this.hand = null;
    this.hasBegun = false;
    /** What the table is at. A text that is shown is about this, and lies over it. */
    this.headline = "";
  }

  /**
   * @param {Table} table the table after the events
   * @param {TableEvent[]} events
   */
  tell(table, events) {
    if (!this.hasBegun && !table.seat && table.status.stage !== "waiting") announce("You are watching.");
    this.hasBegun = true;
    this.headline = headline(table);
    for (const event of events) this.happened(table, event);
    const { hand } = situation(table);
    if (hand && hand !== this.hand) announce(`${headline(table)}.`);
    this.hand = hand;
  }

  /**
   * @param {Table} table
   * @param {TableEvent} event
   */
  happened(table, event) {
    if (event.type.startsWith("limit-")) return void this.toldLimit(table, event);
    // On a shared device this is the time of the hand-over, which comes back with each turn.
    if (event.type === "time-offered" && this.isShared) return;
    const words = announcement(table, event);
    const isAccepted = event.type === "rematch-offered" && !situation(table).finished;
    if (SHOWN.includes(event.type) && !isAccepted) this.show(words, this.headline);
    else announce(words);
    if (event.type === "answered" && event.black > 0) play("dark");
    if (event.type === "revealed") this.celebrate(table);
    if (event.type === "revealed" || (event.type === "closed" && table.status.result)) {
      announce(`${sentence(headline(table))} ${awaited(table)}`.trim());
    }
  }

  /**
   * @param {Table} table
   * @param {TableEvent} event
   */
  async toldLimit(table, event) {
    const about = this.headline;
    const words = await import("../game/turnlimit.js").catch(() => null);
    if (words) this.show(words.limitAnnouncement(table, event), about);
  }

  /**
   * Show a text until the table goes on.
   * @param {string} words
   * @param {string} about
   */
  show(words, about) {
    notify(words, () => this.headline === about);
  }

  /** @param {Table} table */
  celebrate(table) {
    const { game, role } = situation(table);
    play("broken");
    // Only for the breaker.
    if (game.ending !== "broken" || role !== "breaker" || this.isCalm()) return;
    // Loaded on demand, to keep the page small; the celebration can be missed.
    import("./rain.js").then(({ rain }) => rain(table.board)).catch(() => {});
  }

  /**
   * Announce what a change did to the row being filled.
   * @param {Draft} before
   * @param {Draft} after
   * @param {Table} table
   * @param {boolean} masked
   * @param {boolean} isFocused whether the keyboard focus follows the cursor
   */
  filled(before, after, { board }, masked, isFocused) {
    announce(changedHoles(before, after, board, masked, isFocused));
  }
}
