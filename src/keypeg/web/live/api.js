/** The server's HTTP interface, one short function for each thing that is asked. */

/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").NewTable} NewTable */

/** What the server refused: `code` is for programs, the message for people. */
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
 * The solver's word on rows of any board.
 * @param {string} board
 * @param {{ code: number[], black: number, white: number }[]} rows
 * @returns {Promise<import("../wire.js").Rating>}
 */
export const askRating = (board, rows) => post("/api/reviews", { board, rows });

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
 * @returns {Promise<string>}
 */
export const readRecord = (table) => get(`/api/tables/${table}/record`);

/**
 * @param {string} path
 * @returns {Promise<any>} what the server says; the callers above know its type
 */
function get(path) {
  return ask(path, {});
}

const PAUSES_MS = [200, 600, 1500];
/** What each request for a seat that was not answered yet is repeated with. */
const unanswered = /** @type {Map<string, string>} */ (new Map());

/**
 * Ask for a seat. With the same random bits the same request gets the same seat, so it is sent
 * again when no answer came: by itself, and when the same is asked for once more.
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>} what the server says; the callers above know its type
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

/** 256 bits in base64url, as the server wants them. */
function randomBits() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace("=", "");
}

/**
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>} what the server says; the callers above know its type
 */
function post(path, body) {
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
    throw new Problem(0, "unreachable", "The server cannot be reached. Is the network there?");
  });
  const isJson = (answer.headers.get("Content-Type") ?? "").includes("json");
  const said = isJson ? await answer.json() : await answer.text();
  if (answer.ok) return said;
  throw new Problem(answer.status, said?.code ?? "failed", sentence(said?.message));
}

/**
 * The server's reasons begin small and end bare, to be put into any sentence.
 * @param {string | undefined} reason
 */
export function sentence(reason) {
  if (!reason) return "The server did not say why.";
  return reason[0].toUpperCase() + reason.slice(1) + (/[.!?]$/.test(reason) ? "" : ".");
}
