/** This browser's results of daily codes. They are stored only here. */

import { safeStorage } from "./storage.js";

/** @typedef {import("./storage.js").StorageLike} StorageLike */
/** @typedef {Record<string, number>} Results the rows needed, by number; 0 stands for a code that was not broken */

export const KEY = "keypeg.daily";
/** Results that do not count: codes that were played after their day. */
const ARCHIVE_KEY = "keypeg.daily-archive";
/** The last day begun on each board, until it is done. */
const BEGUN_KEY = "keypeg.daily-begun";
const BOARDS = ["classic", "advanced"];
const FIRST_DAY = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

/**
 * The number of the code of a time, by this device's clock.
 * @param {number} now
 */
export function numberAt(now) {
  return Math.floor((now - FIRST_DAY) / DAY_MS) + 1;
}

/**
 * The middle of the day of a number, the same in all time zones.
 * @param {number} number
 */
export function timeOf(number) {
  return FIRST_DAY + (number - 0.5) * DAY_MS;
}

/**
 * The date of a number.
 * @param {number} number
 */
export function dateOf(number) {
  return new Date(timeOf(number)).toISOString().slice(0, 10);
}

/**
 * The id of a day's game among the games that were analysed.
 * @param {number} number
 * @param {string} board
 */
export function gameIdOf(number, board) {
  return `daily-${dateOf(number)}-${board}`;
}

/**
 * The results that count.
 * @param {string} board
 * @param {StorageLike} [storage]
 */
export function keptResults(board, storage = safeStorage) {
  return read(KEY, board, storage);
}

/**
 * The results that count, and those that do not.
 * @param {string} board
 * @param {StorageLike} [storage]
 */
export function allResults(board, storage = safeStorage) {
  return { ...read(ARCHIVE_KEY, board, storage), ...keptResults(board, storage) };
}

/**
 * The number of a day that was begun on a board and is not done; null if there is none.
 * @param {string} board
 * @param {StorageLike} [storage]
 */
export function begunOn(board, storage = safeStorage) {
  const { number } = read(BEGUN_KEY, board, storage);
  return Number.isInteger(number) && !(number in keptResults(board, storage)) ? number : null;
}

/**
 * Store that a day was begun.
 * @param {import("../wire.js").DailyView} day
 * @param {StorageLike} [storage]
 */
export function keepBegun({ board, number, counts }, storage = safeStorage) {
  if (!counts || begunOn(board.name, storage) === number) return;
  const all = Object.fromEntries(BOARDS.map((name) => [name, read(BEGUN_KEY, name, storage)]));
  storage.setItem(BEGUN_KEY, JSON.stringify({ ...all, [board.name]: { number } }));
}

/**
 * Store the result of a day that is done.
 * @param {import("../wire.js").DailyView} day
 * @param {StorageLike} [storage]
 */
export function keepResult({ board, number, rows, counts, ending }, storage = safeStorage) {
  if (!ending) return;
  const key = counts ? KEY : ARCHIVE_KEY;
  const all = Object.fromEntries(BOARDS.map((name) => [name, read(key, name, storage)]));
  all[board.name] = { ...all[board.name], [number]: ending.broken ? rows.length : 0 };
  storage.setItem(key, JSON.stringify(all));
}

/**
 * @param {string} key
 * @param {string} board
 * @param {StorageLike} storage
 * @returns {Results}
 */
function read(key, board, storage) {
  try {
    return JSON.parse(storage.getItem(key) ?? "{}")[board] ?? {};
  } catch {
    return {};
  }
}
