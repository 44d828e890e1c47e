/** The last unfinished table of this browser, so that the player can return to it. */

const KEY = "keypeg.last-table";

/**
 * @param {import("../wire.js").Table} table
 * @param {Storage} [storage]
 */
export function keepLastTable(table, storage = localStorage) {
  if (table.seat && table.status.result === null) storage.setItem(KEY, table.id);
  else if (storage.getItem(KEY) === table.id) storage.removeItem(KEY);
}

/** @param {Storage} [storage] */
export function lastTable(storage = localStorage) {
  return storage.getItem(KEY);
}
