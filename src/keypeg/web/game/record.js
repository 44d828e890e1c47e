/** Reading a text record (docs/records.md) as far as a review needs it: boards, rows, secrets. */

import { parseBoard } from "./board.js";
import { parseCode, Refusal } from "./code.js";
import { parseKeyPegs, score } from "./keypegs.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {{ rows: Row[], secret: number[] | null }} RecordedGame */

/**
 * @param {string} text
 * @returns {{ board: Board, games: RecordedGame[] }}
 */
export function parseRecord(text) {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/#.*$/, "").trim());
  if (lines[0] !== "keypeg record 1") throw new Refusal("Line 1: a record begins with “keypeg record 1”.");
  const header = lines.find((line) => line.startsWith("board:"));
  const board = parseBoard(header?.slice(6) ?? "");
  if (!board) throw new Refusal("A record names its board, as in “board: classic”.");
  /** @type {RecordedGame[]} */
  const games = [];
  lines.forEach((line, index) => {
    if (index === 0 || line === "" || /^[a-z ]+:/.test(line)) return;
    try {
      follow(games, line, board);
    } catch (error) {
      throw error instanceof Refusal ? new Refusal(`Line ${index + 1}: ${error.message}`) : error;
    }
  });
  return { board, games: games.map((game) => answeredByReferee(game)) };
}

/**
 * @param {RecordedGame[]} games
 * @param {string} line
 * @param {Board} board
 */
function follow(games, line, board) {
  const [, word, rest] = /^(\S+)\s*(.*)$/.exec(line) ?? ["", "", ""];
  if (word === "secret") games.push({ rows: [], secret: secretOf(rest, board) });
  const game = games[games.length - 1];
  if (!game) throw new Refusal("a game begins with its secret.");
  if (word === "guess") game.rows.push({ code: parseCode(rest, board), black: null, white: null });
  else if (word === "expire") game.rows.push({ code: null, black: null, white: null });
  else if (word === "answer") Object.assign(game.rows[game.rows.length - 1] ?? {}, parseKeyPegs(rest.replace("expired", ""), board));
  else if (word === "reveal") game.secret = secretOf(rest, board);
  else if (!["secret", "challenge", "resign", "abandon", "close"].includes(word)) throw new Refusal(`“${word}” is no event.`);
}

/**
 * @param {string} text
 * @param {Board} board
 */
function secretOf(text, board) {
  const written = text.replace(/\b(nonce|seal)\s+[0-9a-f]+/gi, "").replace(/\bexpired\b/, "").trim();
  return written === "hidden" ? null : parseCode(written, board);
}

/**
 * Where a record leaves the answers to the referee, they follow from the secret.
 * @param {RecordedGame} game
 * @returns {RecordedGame}
 */
function answeredByReferee({ rows, secret }) {
  const told = rows.map((row) => (row.code && row.black === null && secret ? { ...row, ...score(secret, row.code) } : row));
  return { rows: told, secret };
}
