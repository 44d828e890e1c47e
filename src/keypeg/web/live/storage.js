/**
 * The browser's storage, which may be blocked or full. Then pages go on, and what they store lasts until
 * they are closed.
 */

/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} StorageLike */

/** Where the finished series are. The table's page asks only whether there are any. */
export const SERIES_KEY = "keypeg.series";
/** Where the open tables are. Pages ask only whether there are any. */
export const TABLES_KEY = "keypeg.tables";

const WORDS = {
  blocked: "This browser stores nothing for this page, as in a private window or with storage blocked. You can play, but nothing here is there next time.",
  full: "The storage of this browser is full, so the latest changes are lost when you close this page. Export your data as a file on the Progress page, or delete what you do not need.",
};

/** What could not be stored, by key. @type {Map<string, string | null>} */
const unstored = new Map();
/** @type {keyof typeof WORDS | null} */
let trouble = null;

/**
 * Like localStorage, except that nothing throws.
 * @type {StorageLike}
 */
export const safeStorage = {
  getItem(key) {
    if (unstored.has(key)) return unstored.get(key) ?? null;
    return attempt((storage) => storage.getItem(key), "blocked") ?? null;
  },
  setItem(key, text) {
    unstored.delete(key);
    if (attempt((storage) => (storage.setItem(key, text), true), "full") === undefined) unstored.set(key, text);
  },
  removeItem(key) {
    unstored.delete(key);
    if (attempt((storage) => (storage.removeItem(key), true), "blocked") === undefined) unstored.set(key, null);
  },
};

/** What is wrong with the storage, in words, or null if nothing is. */
export function storageTrouble() {
  return trouble && WORDS[trouble];
}

/**
 * @template Result
 * @param {(storage: Storage) => Result} action
 * @param {keyof typeof WORDS} failure what its failure means if the storage can be opened
 * @returns {Result | undefined} undefined if it failed
 */
function attempt(action, failure) {
  let storage;
  try {
    storage = globalThis.localStorage;
    storage.getItem("keypeg");
  } catch {
    trouble = "blocked";
    return undefined;
  }
  try {
    return action(storage);
  } catch {
    trouble = failure;
    return undefined;
  }
}
