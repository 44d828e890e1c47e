/**
 * One chair at a table: its connection and the view folded from it. What the computer plays is
 * shown at a pace that can be followed; nothing else waits.
 */

import { receive } from "../game/table.js";
import { Connection } from "./connection.js";

/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {import("../wire.js").Told} Told */
/** @typedef {import("../wire.js").Command} Command */
/** @typedef {import("../wire.js").TableEvent} TableEvent */
/** @typedef {import("../game/table.js").View} View */
/** @typedef {import("./connection.js").Link} Link */

export class Chair {
  /**
   * @param {string} table
   * @param {Seat | null} seat
   * @param {{ changed: (chair: Chair, events: TableEvent[]) => void, pace: () => number }} listener
   */
  constructor(table, seat, listener) {
    this.listener = listener;
    /** @type {View | null} */
    this.view = null;
    /** @type {Link} */
    this.link = "connecting";
    /** @type {Told[]} */
    this.waiting = [];
    this.shown = 0;
    /** Whether a command of this chair is on its way. */
    this.busy = false;
    /** @type {{ seq: number, resolve: () => void }[]} */
    this.expected = [];
    this.connection = new Connection(table, seat, {
      told: (message) => this.told(message),
      link: (link) => this.linked(link),
      seq: () => this.view?.table.status.seq ?? null,
    });
  }

  /**
   * Ask for something at the table. What was done is in the view by the time this is answered.
   * @param {Command} command
   */
  async send(command) {
    const reply = await this.connection.send(command);
    if (reply.done) await this.reached(reply.seq);
    return reply;
  }

  /**
   * Wait until the view has come to an entry: its acknowledgement may be quicker than itself.
   * @param {number} seq
   * @returns {Promise<void>}
   */
  reached(seq) {
    return new Promise((resolve) => {
      this.expected.push({ seq, resolve });
      this.settle();
    });
  }

  settle() {
    const seq = this.view?.table.status.seq ?? 0;
    const due = this.expected.filter((one) => one.seq <= seq);
    this.expected = this.expected.filter((one) => one.seq > seq);
    due.forEach((one) => one.resolve());
  }

  /** @param {Told} message */
  told(message) {
    this.waiting.push(message);
    if (this.waiting.length === 1) this.show();
  }

  show() {
    const [message] = this.waiting;
    if (!message) return;
    const wait = this.isComputersMove(message) ? this.shown + this.listener.pace() - Date.now() : 0;
    if (wait > 0) setTimeout(() => this.apply(message), wait);
    else this.apply(message);
  }

  /** @param {Told} message */
  apply(message) {
    this.waiting.shift();
    const before = this.view;
    try {
      this.view = receive(before, message, Date.now());
    } catch {
      return this.startOver();
    }
    this.shown = Date.now();
    try {
      if (this.view && this.view !== before) this.listener.changed(this, newEvents(before, message));
    } finally {
      this.settle();
      this.show();
    }
  }

  /** What follows a message that does not fit the view does not fit it either. */
  startOver() {
    this.waiting = [];
    this.connection.startOver();
  }

  /** @param {Told} message */
  isComputersMove(message) {
    if (message.type !== "update" || !message.entry.by || !this.view) return false;
    const isMove = message.entry.events.some((event) => event.type === "guessed" || event.type === "answered");
    return isMove && this.view.table[message.entry.by].level !== null;
  }

  /** @param {Link} link */
  linked(link) {
    this.link = link;
    if (this.view || link === "gone" || link === "replaced") this.listener.changed(this, []);
  }
}

/**
 * What is news in a message: a repeated entry is none.
 * @param {View | null} before
 * @param {Told} message
 * @returns {TableEvent[]}
 */
function newEvents(before, message) {
  if (message.type !== "update" || !before) return [];
  return message.entry.seq > before.table.status.seq ? message.entry.events : [];
}
