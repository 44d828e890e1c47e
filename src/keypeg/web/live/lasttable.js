/** The last unfinished table of this browser, so that the player can return to it. */

import { shelf } from "./storage.js";

/** @typedef {import("./storage.js").Shelf} Shelf */

const KEY = "keypeg.last-table";

/**
 * @param {import("../wire.js").Table} table
 * @param {Shelf} [storage]
 */
export function keepLastTable(table, storage = shelf) {
  if (table.seat && table.status.result === null) storage.setItem(KEY, table.id);
  else if (storage.getItem(KEY) === table.id) storage.removeItem(KEY);
}

/** @param {Shelf} [storage] */
export function lastTable(storage = shelf) {
  return storage.getItem(KEY);
}
