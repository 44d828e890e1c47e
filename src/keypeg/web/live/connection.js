/**
 * The connection to the server: a socket that reconnects automatically, and commands that are sent
 * again until they are answered. A command keeps its id, so that it is carried out only once.
 */

import { sentence } from "./api.js";

/** @typedef {import("../wire.js").ServerMessage} ServerMessage */
/** @typedef {import("../wire.js").Command} Command */

/** `replaced`: another tab has taken the seat. `gone`: there is no such table or match. */
/** @typedef {"connecting" | "open" | "reconnecting" | "replaced" | "gone"} Link */
/** @typedef {{ done: true, seq: number } | { done: false, message: string }} Reply */
/** @typedef {{ text: string, answer: (reply: Reply) => void, since: number, refusals: number }} Unanswered */

const PING_MS = 2500;
const SILENCE_MS = 7000;
const DELAYS_MS = [100, 400, 1000, 2000, 3500];
/** The delays before a command is repeated that the server could not store. */
const REPEATS_MS = [200, 400, 600, 800, 1000];
/** How long a command is repeated before the player sees a message. */
const LONG_MS = 1500;
const REPLACED = 4001;
/** The required fields of each message. @type {Record<ServerMessage["type"], string[]>} */
const REQUIRED = {
  welcome: ["seq", "now", "status"],
  missed: ["entries"],
  update: ["now", "entry", "status"],
  snapshot: ["table"],
  presence: ["now", "one", "two"],
  ack: ["id", "seq"],
  refused: ["id", "code", "message"],
  time: ["now"],
  error: ["code", "message"],
  match: ["match"],
};

export class Connection {
  /**
   * @param {() => Promise<{ ticket: string }>} askTicket for a table or a match
   * @param {{ received: (message: ServerMessage) => void, link: (link: Link) => void, seq: () => number | null }} listener
   */
  constructor(askTicket, listener) {
    this.askTicket = askTicket;
    this.listener = listener;
    /** @type {Map<string, Unanswered>} */
    this.unanswered = new Map();
    /** @type {WebSocket | null} */
    this.socket = null;
    this.failures = 0;
    /** The number of unreadable messages in a row. */
    this.misread = 0;
    this.heard = 0;
    this.closed = false;
    /** @type {number | undefined} */
    this.retry = undefined;
    this.heart = setInterval(() => this.beat(), PING_MS);
    this.open();
  }

  /**
   * Send a command. The promise resolves when the command is on the server's disk, or refused.
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

  /** Reconnect now instead of waiting for the next attempt: the network is back, or the tab is active. */
  wake() {
    if (this.closed || this.socket || this.opening) return;
    clearTimeout(this.retry);
    this.open();
  }

  /** Close the socket now: the network is gone, and waiting for the timeout would take longer. */
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
  /** Whether a socket is being opened. There must not be two, since the server keeps only one. */
  opening = false;

  async open() {
    this.opening = true;
    this.listener.link(this.failures === 0 ? "connecting" : "reconnecting");
    try {
      const { ticket } = await this.askTicket();
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
    const message = parsed(text);
    if (message) this.hear(message);
    else this.startOver();
  }

  /** A message could not be read: reconnect, and request the whole table. */
  startOver() {
    this.misread += 1;
    this.failures = Math.max(this.failures, this.misread - 1);
    this.drop();
  }

  /** @param {ServerMessage} message */
  hear(message) {
    this.heard = Date.now();
    if (["time", "update", "match"].includes(message.type)) this.misread = 0;
    // A match is shown as a whole, at first as after each change.
    if (message.type === "welcome" || (message.type === "match" && !this.welcomed)) this.welcome();
    if (message.type === "ack") this.answer(message.id, { done: true, seq: message.seq });
    if (message.type === "refused") this.refused(message);
    this.listener.received(message);
  }

  /** @param {Extract<ServerMessage, { type: "refused" }>} message */
  refused({ id, code, message }) {
    if (code === "unavailable") this.repeat(id);
    else this.answer(id, { done: false, message: sentence(message) });
  }

  /**
   * Send a command again after a delay, unless a new socket has already sent it again.
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

  /** Whether the server has been unable to store a command for a while. */
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
 * Read a message; null if it is not valid. An unknown type is accepted: the server may be newer.
 * @param {string} text
 * @returns {ServerMessage | null}
 */
function parsed(text) {
  try {
    const message = JSON.parse(text);
    const fields = REQUIRED[/** @type {ServerMessage["type"]} */ (message.type)] ?? [];
    return typeof message.type === "string" && fields.every((field) => message[field] != null) ? message : null;
  } catch {
    return null;
  }
}

/** A random id. `crypto.randomUUID` would need HTTPS, which a local network may not have. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
