/** A list in the browser's storage: entries with an id and a time, each once, the newest first. */

import { safeStorage } from "./storage.js";

/** @typedef {import("./storage.js").StorageLike} StorageLike */
/** @typedef {{ id: string, at: number }} Entry */

/**
 * @template {Entry} Kind
 */
export class StoredList {
  /**
   * @param {string} key where it is stored
   * @param {import("./validation.js").Check} isEntry what is not, is left out
   * @param {number} most the oldest entries above this number are dropped
   * @param {(kept: Kind, other: Kind) => Kind} [merged] two versions of one entry made one
   */
  constructor(key, isEntry, most, merged = (kept) => kept) {
    this.key = key;
    this.isEntry = isEntry;
    this.most = most;
    this.merged = merged;
  }

  /**
   * @param {StorageLike} [storage]
   * @returns {Kind[]}
   */
  all(storage = safeStorage) {
    try {
      const kept = JSON.parse(storage.getItem(this.key) ?? "[]");
      return Array.isArray(kept) ? kept.filter(this.isEntry) : [];
    } catch {
      return [];
    }
  }

  /**
   * Add entries, and merge those that are there already.
   * @param {Kind[]} entries
   * @param {StorageLike} [storage]
   * @returns {number} how many were new
   */
  keep(entries, storage = safeStorage) {
    const byId = new Map(this.all(storage).map((one) => [one.id, one]));
    const before = byId.size;
    for (const one of entries) {
      const kept = byId.get(one.id);
      byId.set(one.id, kept ? this.merged(kept, one) : one);
    }
    const all = [...byId.values()].sort((one, two) => two.at - one.at);
    storage.setItem(this.key, JSON.stringify(all.slice(0, this.most)));
    return byId.size - before;
  }

  /** @param {StorageLike} [storage] */
  forget(storage = safeStorage) {
    storage.removeItem(this.key);
  }
}
