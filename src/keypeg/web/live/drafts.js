/**
 * Stores the rows being filled in this browser, so that they are still there after a reload or when the
 * tab is opened again. Never a secret.
 */

import { emptyDraft } from "../game/draft.js";

/** @typedef {import("../game/draft.js").Draft} Draft */
/** @typedef {{ place: string } & Pick<Draft, "holes" | "held" | "cursor">} KeptDraft */

const KEY = "keypeg.drafts";
/** One for each of the last games. */
const MOST = 20;

/**
 * The stored draft for a row, or null.
 * @param {string} place the game, seat and row it is for
 * @param {number} holes
 * @param {Storage} [storage]
 * @returns {Draft | null}
 */
export function keptDraft(place, holes, storage = localStorage) {
  const kept = keptDrafts(storage).find((one) => one.place === place);
  if (!kept || kept.holes.length !== holes) return null;
  return { ...emptyDraft(holes), holes: kept.holes, held: kept.held, cursor: kept.cursor };
}

/**
 * @param {string} place
 * @param {Draft} draft
 * @param {Storage} [storage]
 */
export function keepDraft(place, { holes, held, cursor }, storage = localStorage) {
  const others = keptDrafts(storage).filter((one) => gameOf(one) !== gameOf({ place }));
  storage.setItem(KEY, JSON.stringify([{ place, holes, held, cursor }, ...others].slice(0, MOST)));
}

/**
 * @param {Storage} storage
 * @returns {KeptDraft[]}
 */
function keptDrafts(storage) {
  try {
    return JSON.parse(storage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}

/** @param {Pick<KeptDraft, "place">} kept */
function gameOf({ place }) {
  return place.split(" ")[0];
}
