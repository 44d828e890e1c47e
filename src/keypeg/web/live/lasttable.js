/** The last unfinished table of this browser, so that the player can return to it. */

import { safeStorage } from "./storage.js";

/** @typedef {import("./storage.js").StorageLike} StorageLike */

const KEY = "keypeg.last-table";

/**
 * @param {import("../wire.js").Table} table
 * @param {StorageLike} [storage]
 */
export function keepLastTable(table, storage = safeStorage) {
  // Loaded on demand, to keep the page small.
  if (table.seat) import("../view/turns.js").then(({ sitsAt }) => sitsAt(table)).catch(() => {});
  if (table.seat && table.status.result === null) storage.setItem(KEY, table.id);
  else if (storage.getItem(KEY) === table.id) storage.removeItem(KEY);
}

/** @param {StorageLike} [storage] */
export function lastTable(storage = safeStorage) {
  return storage.getItem(KEY);
}
