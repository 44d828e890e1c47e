/** The rows that were entered on the assistant's page, for each board. They are stored only in this browser. */

import { symbols } from "../game/board.js";
import { everyAnswer } from "../game/keypegs.js";
import { safeStorage } from "./storage.js";

/** @typedef {import("./storage.js").StorageLike} StorageLike */
/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/analysis.js").AnsweredRow} AnsweredRow */

const KEY = "keypeg.assistant";
const MOST_BOARDS = 20;

/** @typedef {{ board: string, rows: AnsweredRow[] }} Sheet */

/** The board that was used last. @param {StorageLike} [storage] */
export function lastBoard(storage = safeStorage) {
  return sheets(storage)[0]?.board ?? null;
}

/**
 * @param {Board} board
 * @param {StorageLike} [storage]
 * @returns {AnsweredRow[]}
 */
export function keptRows(board, storage = safeStorage) {
  const rows = sheets(storage).find((sheet) => sheet.board === board.name)?.rows ?? [];
  return rows.filter((row) => isRow(row, board));
}

/**
 * @param {Board} board
 * @param {AnsweredRow[]} rows
 * @param {StorageLike} [storage]
 */
export function keepRows(board, rows, storage = safeStorage) {
  const others = sheets(storage).filter((sheet) => sheet.board !== board.name);
  storage.setItem(KEY, JSON.stringify([{ board: board.name, rows }, ...others].slice(0, MOST_BOARDS)));
}

/**
 * @param {AnsweredRow} row
 * @param {Board} board
 */
function isRow({ code, black, white }, board) {
  const pegs = symbols(board);
  return code?.length === board.holes && code.every((peg) => pegs.includes(peg)) && everyAnswer(board).some((keys) => keys.black === black && keys.white === white);
}

/**
 * @param {StorageLike} storage
 * @returns {Sheet[]} the last used first
 */
function sheets(storage) {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}
