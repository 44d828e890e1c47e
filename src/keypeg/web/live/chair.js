/**
 * A player's or spectator's place at a table: the connection, and the view computed from its messages.
 * The computer's moves are shown with a short delay, so that the player can follow them.
 */

import { receive } from "../game/table.js";
import { askTicket } from "./api.js";
import { Connection } from "./connection.js";

/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {import("../wire.js").ServerMessage} ServerMessage */
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
    /** @type {ServerMessage[]} */
    this.waiting = [];
    this.shown = 0;
    /** Whether a command is waiting for its reply. */
    this.busy = false;
    /** @type {{ seq: number, resolve: () => void }[]} */
    this.expected = [];
    this.connection = new Connection(() => askTicket(table, seat), {
      received: (message) => this.received(message),
      link: (link) => this.linked(link),
      seq: () => this.view?.table.status.seq ?? null,
    });
  }

  /**
   * Send a command. When this resolves, the view includes the effect of the command.
   * @param {Command} command
   */
  async send(command) {
    const reply = await this.connection.send(command);
    if (reply.done) await this.reached(reply.seq);
    return reply;
  }

  /**
   * Wait until the view includes an entry. Its acknowledgement may arrive before the entry.
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

  /** @param {ServerMessage} message */
  received(message) {
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

  /** @param {ServerMessage} message */
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

  /** Drop all waiting messages, since they do not fit the view either, and reconnect. */
  startOver() {
    this.waiting = [];
    this.connection.startOver();
  }

  /** @param {ServerMessage} message */
  isComputersMove(message) {
    if (message.type !== "update" || !message.entry.by || !this.view) return false;
    const isMove = message.entry.events.some((event) => event.type === "guessed" || event.type === "answered");
    return isMove && this.view.table[message.entry.by].level !== null;
  }

  /** @param {Link} link */
  linked(link) {
    this.link = link;
    if (this.view || link !== "connecting") this.listener.changed(this, []);
  }
}

/**
 * The events in a message that are new. A repeated entry has none.
 * @param {View | null} before
 * @param {ServerMessage} message
 * @returns {TableEvent[]}
 */
function newEvents(before, message) {
  if (message.type !== "update" || !before) return [];
  return message.entry.seq > before.table.status.seq ? message.entry.events : [];
}
