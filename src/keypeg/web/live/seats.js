/** The tables at which two people play on this device. */

const KEY = "keypeg.shared-tables";
const MOST = 50;

/**
 * @param {string} table
 * @param {Storage} [storage]
 */
export function isShared(table, storage = localStorage) {
  return sharedTables(storage).includes(table);
}

/**
 * @param {string} table
 * @param {Storage} [storage]
 */
export function share(table, storage = localStorage) {
  storage.setItem(KEY, JSON.stringify([table, ...sharedTables(storage)].slice(0, MOST)));
}

/**
 * @param {Storage} storage
 * @returns {string[]}
 */
function sharedTables(storage) {
  try {
    return JSON.parse(storage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}
