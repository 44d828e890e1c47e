/** A player's or spectator's line to a match: what is seen of it, and commands. */

import { Connection } from "./connection.js";
import { askMatchTicket, commandMatch } from "./matches.js";

/** @typedef {import("../wire.js").MatchView} MatchView */
/** @typedef {import("./connection.js").Link} Link */

export class MatchLine {
  /**
   * @param {string} id
   * @param {{ changed: (before: MatchView | null) => void, linked: () => void }} listener
   */
  constructor(id, listener) {
    this.id = id;
    this.listener = listener;
    /** @type {MatchView | null} */
    this.match = null;
    /** How many milliseconds the server's clock is ahead of the browser's. */
    this.ahead = 0;
    /** @type {Link} */
    this.link = "connecting";
    /** Whether a command waits for its reply, and whether the server does not answer. */
    this.busy = false;
    this.stalled = false;
    this.connection = this.connect();
  }

  connect() {
    return new Connection(() => askMatchTicket(this.id), {
      received: (message) => {
        if (message.type === "match") this.see(message.match);
        if (message.type === "time") this.ahead = message.now - Date.now();
      },
      link: (link) => {
        this.link = link;
        this.listener.linked();
      },
      seq: () => null,
    });
  }

  /** Connect again as somebody else: a spectator has joined. */
  reconnect() {
    this.connection.close();
    this.connection = this.connect();
  }

  /** The server's time, as far as it is known. */
  get now() {
    return Date.now() + this.ahead;
  }

  /**
   * Show a view of the match, unless there is a newer one. Answers and messages may overtake one another.
   * @param {MatchView} match
   */
  see(match) {
    const before = this.match;
    if (before && before.you === match.you && before.seq > match.seq) return;
    this.ahead = match.now - Date.now();
    this.match = match;
    this.listener.changed(before);
  }

  /**
   * Have a command carried out. When this resolves, its effect is seen.
   * @param {import("./matches.js").Bare<import("../wire.js").MatchCommand>} command
   * @returns {Promise<MatchView>} the match after it
   */
  async send(command) {
    this.busy = true;
    try {
      const { match } = await commandMatch(this.id, command, (stalled) => {
        this.stalled = stalled;
        this.listener.linked();
      });
      this.busy = false;
      this.see(match);
      return match;
    } finally {
      this.busy = false;
    }
  }
}
