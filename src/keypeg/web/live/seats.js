/** The tables at which two people play on this device. */

import { safeStorage } from "./storage.js";

/** @typedef {import("./storage.js").StorageLike} StorageLike */

const KEY = "keypeg.shared-tables";
const MOST = 50;

/**
 * @param {string} table
 * @param {StorageLike} [storage]
 */
export function isShared(table, storage = safeStorage) {
  return sharedTables(storage).includes(table);
}

/**
 * @param {string} table
 * @param {StorageLike} [storage]
 */
export function share(table, storage = safeStorage) {
  storage.setItem(KEY, JSON.stringify([table, ...sharedTables(storage)].slice(0, MOST)));
}

/**
 * @param {StorageLike} storage
 * @returns {string[]}
 */
function sharedTables(storage) {
  try {
    return JSON.parse(storage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}
