/** The results of daily codes as they are exported: for each board, the rows needed by the number of the day. */

import { KEY } from "../live/dailyresults.js";
import { dictionary, record, whole } from "../live/validation.js";

/** @typedef {import("../live/storage.js").StorageLike} StorageLike */
/** @typedef {Record<string, Record<string, number>>} Results */

/** Ten years of days. */
const MOST = 3660;

const days = dictionary(whole(0, 99), MOST);
const isDay = (/** @type {string} */ number) => /^[1-9]\d{0,4}$/.test(number);
const hasShape = record({}, { classic: days, advanced: days });

/**
 * @param {unknown} value
 * @returns {value is Results}
 */
export function areResults(value) {
  return hasShape(value) && Object.values(/** @type {Results} */ (value)).every((board) => Object.keys(board).every(isDay));
}

/**
 * @param {StorageLike} storage
 * @returns {Results}
 */
export function dailyResults(storage) {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? "{}");
    return areResults(kept) ? kept : {};
  } catch {
    return {};
  }
}

/**
 * Add results. Those that are here already stay.
 * @param {Results} others
 * @param {StorageLike} storage
 * @returns {number} how many were new
 */
export function addDaily(others, storage) {
  const here = dailyResults(storage);
  const boards = Object.entries(others).map(([board, results]) => /** @type {const} */ ([board, { ...results, ...here[board] }]));
  const all = { ...here, ...Object.fromEntries(boards) };
  const added = countOf(all) - countOf(here);
  if (added) storage.setItem(KEY, JSON.stringify(all));
  return added;
}

/** @param {Results} results */
function countOf(results) {
  return Object.values(results).reduce((sum, board) => sum + Object.keys(board).length, 0);
}
