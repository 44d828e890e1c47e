/** The server's HTTP interface: one function for each kind of request. */

/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").NewTable} NewTable */

/** A refusal by the server: a `code` for programs and a message for people. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * @param {NewTable} terms
 * @returns {Promise<{ table: string, seat: Seat | null }>}
 */
export const openTable = (terms) => sit("/api/tables", terms);

/**
 * @param {string} table
 * @returns {Promise<Table>}
 */
export const readTable = (table) => get(`/api/tables/${table}`);

/**
 * @param {string} table
 * @param {Seat} seat
 * @param {string} name
 */
export const takeSeat = (table, seat, name) => sit(`/api/tables/${table}/seats`, { seat, name });

/**
 * @param {string} table
 * @param {Seat | null} seat
 * @returns {Promise<{ ticket: string }>}
 */
export const askTicket = (table, seat) => post(`/api/tables/${table}/tickets`, seat ? { seat } : {});

/**
 * @param {string} table
 * @param {Seat} seat
 * @param {import("../wire.js").Grade} grade
 * @param {string} id
 * @returns {Promise<import("../wire.js").Hint>}
 */
export const askHint = (table, seat, grade, id) => post(`/api/tables/${table}/hints?seat=${seat}`, { id, grade });

/**
 * The solver's review of rows on any board.
 * @param {string} board
 * @param {{ code: number[], black: number, white: number }[]} rows
 * @returns {Promise<import("../wire.js").Review>}
 */
export const askReview = (board, rows) => post("/api/reviews", { board, rows });

/**
 * @param {string} board
 * @param {{ code: number[], black: number, white: number }[]} rows
 * @returns {Promise<import("../wire.js").Advice>}
 */
export const askAdvice = (board, rows) => post("/api/hints", { board, rows });

/** @returns {Promise<{ levels: string[] }>} */
export const readChoices = () => get("/api/choices");

/**
 * The text record of a finished series.
 * @param {string} table
 * @param {number} series its number at the table
 * @returns {Promise<string>}
 */
export const readRecord = (table, series) => get(`/api/tables/${table}/record?series=${series}`);

/**
 * @param {string} path
 * @returns {Promise<any>} the server's answer; its type is given by the callers above
 */
export function get(path) {
  return ask(path, {});
}

const PAUSES_MS = [200, 600, 1500];
/** The random bits of each request for a seat that has not been answered yet. */
const unanswered = /** @type {Map<string, string>} */ (new Map());

/**
 * Request a seat. A repeated request with the same random bits gets the same seat, so a request
 * without an answer is sent again: automatically, and when the player tries again.
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>} the server's answer; its type is given by the callers above
 */
async function sit(path, body) {
  const asked = JSON.stringify([path, body]);
  const retry = unanswered.get(asked) ?? randomBits();
  unanswered.set(asked, retry);
  for (let attempt = 0; ; attempt += 1) {
    try {
      const seated = await post(path, { ...body, retry });
      unanswered.delete(asked);
      return seated;
    } catch (problem) {
      const { status } = /** @type {Problem} */ (problem);
      if (status !== 0 && status !== 503) unanswered.delete(asked);
      if (!unanswered.has(asked) || attempt === PAUSES_MS.length) throw problem;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[attempt]));
  }
}

/** 256 random bits in base64url, as the server requires. */
export function randomBits() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace("=", "");
}

/**
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>} the server's answer; its type is given by the callers above
 */
export function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/**
 * @param {string} path
 * @param {RequestInit} request
 * @returns {Promise<any>}
 */
async function ask(path, request) {
  const answer = await fetch(path, request).catch(() => {
    throw new Problem(0, "unreachable", "The server cannot be reached. Check your network connection.");
  });
  const isJson = (answer.headers.get("Content-Type") ?? "").includes("json");
  const content = isJson ? await answer.json() : await answer.text();
  if (answer.ok) return content;
  throw new Problem(answer.status, content?.code ?? "failed", sentence(content?.message));
}

/**
 * Make a sentence of a reason from the server, which has no capital letter and no full stop.
 * @param {string | undefined} reason
 */
export function sentence(reason) {
  if (!reason) return "The server gave no reason.";
  return reason[0].toUpperCase() + reason.slice(1) + (/[.!?]$/.test(reason) ? "" : ".");
}
