/** The tables at which two people play on this device. */

import { shelf } from "./storage.js";

/** @typedef {import("./storage.js").Shelf} Shelf */

const KEY = "keypeg.shared-tables";
const MOST = 50;

/**
 * @param {string} table
 * @param {Shelf} [storage]
 */
export function isShared(table, storage = shelf) {
  return sharedTables(storage).includes(table);
}

/**
 * @param {string} table
 * @param {Shelf} [storage]
 */
export function share(table, storage = shelf) {
  storage.setItem(KEY, JSON.stringify([table, ...sharedTables(storage)].slice(0, MOST)));
}

/**
 * @param {Shelf} storage
 * @returns {string[]}
 */
function sharedTables(storage) {
  try {
    return JSON.parse(storage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}
