/** The games against the unfair maker that are being played in this browser: their guesses decide all else. */

import { symbols } from "../game/board.js";
import { whyIllegal } from "../game/code.js";
import { dictionary, list, whole } from "./validation.js";
import { safeStorage } from "./storage.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("./storage.js").StorageLike} StorageLike */

const KEY = "keypeg.unfair";
const MOST_BOARDS = 20;
const isKept = dictionary(list(list(whole(0, 20), 16), 99), MOST_BOARDS);

/**
 * The guesses of the game on a board, as far as they are valid.
 * @param {Board} board
 * @param {StorageLike} [storage]
 */
export function keptGuesses(board, storage = safeStorage) {
  const kept = read(storage)[board.name] ?? [];
  return kept.every((code) => isCode(code, board)) ? kept : [];
}

/**
 * @param {Board} board
 * @param {number[][]} guesses
 * @param {StorageLike} [storage]
 */
export function keepGuesses(board, guesses, storage = safeStorage) {
  const { [board.name]: _, ...others } = read(storage);
  const latest = Object.entries(others).slice(0, MOST_BOARDS - 1);
  storage.setItem(KEY, JSON.stringify({ [board.name]: guesses, ...Object.fromEntries(latest) }));
}

/**
 * @param {number[]} code
 * @param {Board} board
 */
function isCode(code, board) {
  return code.length === board.holes && code.every((peg) => symbols(board).includes(peg)) && whyIllegal(code, board) === null;
}

/**
 * @param {StorageLike} storage
 * @returns {Record<string, number[][]>}
 */
function read(storage) {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? "{}");
    return isKept(kept) ? kept : {};
  } catch {
    return {};
  }
}
