/** Reads a text record (docs/records.md), as far as a review needs it: boards, rows, secrets, seals. */

import { parseBoard } from "./board.js";
import { parseCode, Refusal } from "./code.js";
import { parseKeyPegs, score } from "./keypegs.js";
import { other } from "./table.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {Pick<import("../wire.js").Game, "id" | "rows" | "secret" | "seal" | "nonce" | "void">} RecordedGame */

/**
 * @param {string} text
 * @returns {{ board: Board, firstMaker: Seat, games: RecordedGame[] }}
 */
export function parseRecord(text) {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/#.*$/, "").trim());
  if (lines[0] !== "keypeg record 1") throw new Refusal("Line 1: a record begins with “keypeg record 1”.");
  const header = lines.find((line) => line.startsWith("board:"));
  const board = parseBoard(header?.slice(6) ?? "");
  if (!board) throw new Refusal("A record names its board, as in “board: classic”.");
  const series = lines.find((line) => line.startsWith("series:"))?.slice(7).trim() ?? "record";
  const firstMaker = lines.some((line) => /^first maker:\s*two$/.test(line)) ? "two" : "one";
  /** @type {RecordedGame[]} */
  const games = [];
  let closed = true;
  lines.forEach((line, index) => {
    if (index === 0 || line === "" || /^[a-z ]+:/.test(line) || /^limit\b/.test(line)) return;
    try {
      if (closed || /^secret\b/.test(line)) games.push(freshGame(nextId(games, series), line));
      follow(games[games.length - 1], line, board);
      closed = line === "close";
    } catch (error) {
      throw error instanceof Refusal ? new Refusal(`Line ${index + 1}: ${error.message}`) : error;
    }
  });
  return { board, firstMaker, games: games.map((game) => answeredByReferee(game)) };
}

/**
 * The seat that broke the code of a game. Roles swap after each game, but not for a replay.
 * @param {Pick<RecordedGame, "id">} game
 * @param {Seat} firstMaker
 * @returns {Seat}
 */
export function breakerOf({ id }, firstMaker) {
  const number = parseInt(id.slice(id.lastIndexOf("/") + 1), 10);
  return number % 2 === 1 ? other(firstMaker) : firstMaker;
}

/**
 * A new game. Its first line sets the secret, unless a player gives up or leaves before that.
 * @param {string} id
 * @param {string} line
 * @returns {RecordedGame}
 */
function freshGame(id, line) {
  if (!/^(secret|resign|abandon)\b/.test(line)) throw new Refusal("a game begins with its secret.");
  return { id, rows: [], secret: null, seal: null, nonce: null, void: false };
}

/**
 * @param {RecordedGame} game
 * @param {string} line
 * @param {Board} board
 */
function follow(game, line, board) {
  const [, word, rest] = /^(\S+)\s*(.*)$/.exec(line) ?? ["", "", ""];
  if (word === "secret" || word === "reveal") Object.assign(game, known(game, rest, board));
  else if (word === "guess") game.rows.push({ code: parseCode(rest, board), black: null, white: null });
  else if (word === "expire") game.rows.push({ code: null, black: null, white: null });
  else if (word === "answer") Object.assign(game.rows[game.rows.length - 1] ?? {}, parseKeyPegs(rest.replace("expired", ""), board));
  else if (!["challenge", "resign", "abandon", "close"].includes(word)) throw new Refusal(`“${word}” is not an event.`);
  if (/^challenge\s+upheld$/.test(line)) game.void = true;
}

/**
 * The id of the next game. The replay of a void game has the same number.
 * @param {RecordedGame[]} games
 * @param {string} series
 */
function nextId(games, series) {
  const counted = games.filter((game) => !game.void).length;
  const attempt = games.length - games.findLastIndex((game) => !game.void);
  return `${series}/${counted + 1}${attempt > 1 ? `.${attempt}` : ""}`;
}

/**
 * The secret, seal and nonce after a line. What the line does not contain stays unchanged.
 * @param {RecordedGame} game
 * @param {string} text
 * @param {Board} board
 */
function known({ seal, nonce }, text, board) {
  const option = (/** @type {string} */ what) => new RegExp(`\\b${what}\\s+([0-9a-f]+)`, "i").exec(text)?.[1] ?? null;
  const written = text.replace(/\b(nonce|seal)\s+[0-9a-f]+/gi, "").replace(/\bexpired\b/, "").trim();
  return { secret: written === "hidden" ? null : parseCode(written, board), seal: option("seal") ?? seal, nonce: option("nonce") ?? nonce };
}

/**
 * Add the answers of the referee, which a record may leave out, from the secret.
 * @param {RecordedGame} game
 * @returns {RecordedGame}
 */
function answeredByReferee({ rows, secret, ...game }) {
  const answered = rows.map((row) => (row.code && row.black === null && secret ? { ...row, ...score(secret, row.code) } : row));
  return { ...game, rows: answered, secret };
}
