/**
 * One chair's line to the server: a socket that comes back by itself, and commands that are sent
 * again until they are answered. A command has one id for life, so sending it twice does it once.
 */

import { askTicket, sentence } from "./api.js";

/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {import("../wire.js").Told} Told */
/** @typedef {import("../wire.js").Command} Command */

/** `replaced`: another tab took the chair; `gone`: there is no such table. */
/** @typedef {"connecting" | "open" | "reconnecting" | "replaced" | "gone"} Link */
/** @typedef {{ done: true, seq: number } | { done: false, message: string }} Reply */
/** @typedef {{ text: string, answer: (reply: Reply) => void, since: number, refusals: number }} Unanswered */

const PING_MS = 2500;
const SILENCE_MS = 7000;
const DELAYS_MS = [100, 400, 1000, 2000, 3500];
/** Before a command is repeated that could not be written down. */
const REPEATS_MS = [200, 400, 600, 800, 1000];
/** How long a command may be repeated before the player is told. */
const LONG_MS = 1500;
const REPLACED = 4001;
/** What a message cannot do without. @type {Record<Told["type"], string[]>} */
const PARTS = {
  welcome: ["seq", "now", "status"],
  missed: ["entries"],
  update: ["now", "entry", "status"],
  snapshot: ["table"],
  presence: ["now", "one", "two"],
  ack: ["id", "seq"],
  refused: ["id", "code", "message"],
  time: ["now"],
  error: ["code", "message"],
};

export class Connection {
  /**
   * @param {string} table
   * @param {Seat | null} seat
   * @param {{ told: (message: Told) => void, link: (link: Link) => void, seq: () => number | null }} listener
   */
  constructor(table, seat, listener) {
    this.table = table;
    this.seat = seat;
    this.listener = listener;
    /** @type {Map<string, Unanswered>} */
    this.unanswered = new Map();
    /** @type {WebSocket | null} */
    this.socket = null;
    this.failures = 0;
    /** How many messages in a row were beyond us. */
    this.misread = 0;
    this.heard = 0;
    this.closed = false;
    /** @type {number | undefined} */
    this.retry = undefined;
    this.heart = setInterval(() => this.beat(), PING_MS);
    this.open();
  }

  /**
   * Ask for something at the table; the reply comes when it is on the server's disk, or refused.
   * @param {Command} command
   * @returns {Promise<Reply>}
   */
  send(command) {
    const id = newId();
    const text = JSON.stringify({ ...command, id });
    return new Promise((answer) => {
      this.unanswered.set(id, { text, answer, since: Date.now(), refusals: 0 });
      if (this.socket?.readyState === WebSocket.OPEN && this.welcomed) this.socket.send(text);
    });
  }

  /** Come back at once rather than at the next attempt: the network or the tab woke up. */
  wake() {
    if (this.closed || this.socket || this.opening) return;
    clearTimeout(this.retry);
    this.open();
  }

  /** The network is gone: do not wait for the silence to tell. */
  drop() {
    const { socket } = this;
    if (!socket) return;
    socket.close();
    this.lost(socket, 0);
  }

  close() {
    this.closed = true;
    clearInterval(this.heart);
    clearTimeout(this.retry);
    this.socket?.close();
  }

  welcomed = false;
  /** Whether a socket is on its way: of two, either may be the one that the server keeps. */
  opening = false;

  async open() {
    this.opening = true;
    this.listener.link(this.failures === 0 ? "connecting" : "reconnecting");
    try {
      const { ticket } = await askTicket(this.table, this.seat);
      if (!this.closed) this.dial(ticket);
    } catch (problem) {
      const status = /** @type {import("./api.js").Problem} */ (problem).status;
      if (status === 404) this.end("gone");
      else this.later();
    } finally {
      this.opening = false;
    }
  }

  /** @param {string} ticket */
  dial(ticket) {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/api/live`);
    this.socket = socket;
    this.heard = Date.now();
    socket.onopen = () => {
      const seq = this.misread ? null : this.listener.seq();
      socket.send(JSON.stringify(seq === null ? { type: "hello", ticket } : { type: "hello", ticket, seq }));
    };
    socket.onmessage = ({ data }) => {
      if (this.socket === socket) this.read(data);
    };
    socket.onclose = ({ code }) => this.lost(socket, code);
  }

  /** @param {string} text */
  read(text) {
    const message = understood(text);
    if (message) this.hear(message);
    else this.startOver();
  }

  /** Something told was beyond us: ask for everything anew, sooner or later as with lost lines. */
  startOver() {
    this.misread += 1;
    this.failures = Math.max(this.failures, this.misread - 1);
    this.drop();
  }

  /** @param {Told} message */
  hear(message) {
    this.heard = Date.now();
    if (message.type === "time" || message.type === "update") this.misread = 0;
    if (message.type === "welcome") this.welcome();
    if (message.type === "ack") this.answer(message.id, { done: true, seq: message.seq });
    if (message.type === "refused") this.refused(message);
    this.listener.told(message);
  }

  /** @param {Extract<Told, { type: "refused" }>} message */
  refused({ id, code, message }) {
    if (code === "unavailable") this.repeat(id);
    else this.answer(id, { done: false, message: sentence(message) });
  }

  /**
   * Send a command once more, in a moment. On another socket it was sent again already.
   * @param {string} id
   */
  repeat(id) {
    const { socket } = this;
    const command = this.unanswered.get(id);
    if (!command) return;
    const delay = REPEATS_MS[Math.min(command.refusals, REPEATS_MS.length - 1)];
    command.refusals += 1;
    setTimeout(() => {
      const waits = this.socket === socket && this.unanswered.has(id);
      if (waits && socket?.readyState === WebSocket.OPEN) socket.send(command.text);
    }, delay);
  }

  /** Whether the server has not been able to write a command down for a while. */
  get stalled() {
    const long = Date.now() - LONG_MS;
    return [...this.unanswered.values()].some(({ refusals, since }) => refusals > 0 && since < long);
  }

  welcome() {
    this.failures = 0;
    this.welcomed = true;
    this.listener.link("open");
    for (const { text } of this.unanswered.values()) this.socket?.send(text);
  }

  /**
   * @param {string} id
   * @param {Reply} reply
   */
  answer(id, reply) {
    this.unanswered.get(id)?.answer(reply);
    this.unanswered.delete(id);
  }

  /**
   * @param {WebSocket} socket
   * @param {number} code
   */
  lost(socket, code) {
    if (this.socket !== socket) return;
    this.socket = null;
    this.welcomed = false;
    if (this.closed) return;
    if (code === REPLACED) this.end("replaced");
    else this.later();
  }

  later() {
    const delay = DELAYS_MS[Math.min(this.failures, DELAYS_MS.length - 1)];
    this.failures += 1;
    this.listener.link("reconnecting");
    this.retry = setTimeout(() => this.open(), delay * (0.75 + Math.random() / 2));
  }

  /** @param {Link} link */
  end(link) {
    this.close();
    this.listener.link(link);
  }

  beat() {
    if (!this.socket || this.socket.readyState !== WebSocket.OPEN) return;
    if (Date.now() - this.heard > SILENCE_MS) this.drop();
    else if (this.welcomed) this.socket.send('{"type":"ping"}');
  }
}

/**
 * A message, if that is what the text is. A type that we do not know may be a newer server's.
 * @param {string} text
 * @returns {Told | null}
 */
function understood(text) {
  try {
    const message = JSON.parse(text);
    const parts = PARTS[/** @type {Told["type"]} */ (message.type)] ?? [];
    return typeof message.type === "string" && parts.every((part) => message[part] != null) ? message : null;
  } catch {
    return null;
  }
}

/** An id nobody else makes; works on a LAN without HTTPS, where randomUUID is missing. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
