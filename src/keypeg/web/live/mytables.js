/**
 * The open tables at which this browser has a seat, and the open matches that it plays in, the latest first.
 * The seats themselves are cookies.
 */

import { safeStorage, TABLES_KEY } from "./storage.js";
import { list, text } from "./validation.js";

/** @typedef {import("./storage.js").StorageLike} StorageLike */

const MOST = 20;
/** Before the id of a match, so that it is none of a table. */
const MATCH = "match/";
const isKept = list(text(22 + MATCH.length), MOST);

/**
 * The ids of the tables, and of the matches with "match/" before.
 * @param {StorageLike} [storage]
 * @returns {string[]}
 */
export function keptTables(storage = safeStorage) {
  try {
    const kept = JSON.parse(storage.getItem(TABLES_KEY) ?? "[]");
    return isKept(kept) ? kept : [];
  } catch {
    return [];
  }
}

/**
 * Store a table as the latest, or remove it once its series is over and the other player wants no other.
 * @param {Pick<import("../wire.js").Table, "id" | "seat" | "status">} table
 * @param {StorageLike} [storage]
 */
export function keepTable({ id, seat, status }, storage = safeStorage) {
  if (!seat) return;
  if (isOver({ seat, status })) forgetTable(id, storage);
  else keepFirst(id, storage);
}

/**
 * Store a match as the latest, or remove it once it is over.
 * @param {Pick<import("../wire.js").MatchView, "id" | "you" | "stage">} match
 * @param {StorageLike} [storage]
 */
export function keepMatch({ id, you, stage }, storage = safeStorage) {
  if (you === null || stage === "over" || stage === "cancelled") forgetTable(MATCH + id, storage);
  else keepFirst(MATCH + id, storage);
}

/**
 * The id of a match that is kept; null for a table.
 * @param {string} key
 */
export function matchOf(key) {
  return key.startsWith(MATCH) ? key.slice(MATCH.length) : null;
}

/**
 * @param {string} id
 * @param {StorageLike} storage
 */
function keepFirst(id, storage) {
  if (keptTables(storage)[0] !== id) write([id, ...others(id, storage)].slice(0, MOST), storage);
}

/**
 * @param {string} id
 * @param {StorageLike} [storage]
 */
export function forgetTable(id, storage = safeStorage) {
  if (keptTables(storage).includes(id)) write(others(id, storage), storage);
}

/**
 * Whether there is nothing left to do at a table.
 * @param {Pick<import("../wire.js").Table, "seat" | "status">} table
 */
export function isOver({ seat, status }) {
  return status.result !== null && (status.rematch === null || status.rematch === seat);
}

/**
 * @param {string} id
 * @param {StorageLike} storage
 */
function others(id, storage) {
  return keptTables(storage).filter((one) => one !== id);
}

/**
 * @param {string[]} ids
 * @param {StorageLike} storage
 */
function write(ids, storage) {
  if (ids.length) storage.setItem(TABLES_KEY, JSON.stringify(ids));
  else storage.removeItem(TABLES_KEY);
}
