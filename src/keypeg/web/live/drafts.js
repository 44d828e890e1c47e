/** Stores the row being filled in this browser, so that a reload restores it. Never a secret. */

import { emptyDraft } from "../game/draft.js";

/** @typedef {import("../game/draft.js").Draft} Draft */

const KEY = "keypeg.draft";

/**
 * The stored draft for a row, or null.
 * @param {string} place the game and row it is for
 * @param {number} holes
 * @param {Storage} [storage]
 * @returns {Draft | null}
 */
export function keptDraft(place, holes, storage = sessionStorage) {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? "null");
    if (kept?.place !== place || kept.holes.length !== holes) return null;
    return { ...emptyDraft(holes), holes: kept.holes, held: kept.held, cursor: kept.cursor };
  } catch {
    return null;
  }
}

/**
 * @param {string} place
 * @param {Draft} draft
 * @param {Storage} [storage]
 */
export function keepDraft(place, { holes, held, cursor }, storage = sessionStorage) {
  storage.setItem(KEY, JSON.stringify({ place, holes, held, cursor }));
}
