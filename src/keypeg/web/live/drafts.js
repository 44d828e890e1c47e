/**
 * Stores the rows being filled in this browser, so that they are still there after a reload or when the
 * tab is opened again. Never a secret.
 */

import { symbols } from "../game/board.js";
import { emptyDraft } from "../game/draft.js";
import { safeStorage } from "./storage.js";

/** @typedef {import("./storage.js").StorageLike} StorageLike */
/** @typedef {import("../game/draft.js").Draft} Draft */
/** @typedef {{ place: string } & Pick<Draft, "holes" | "held" | "cursor">} KeptDraft */

const KEY = "keypeg.drafts";
/** One for each of the last games. */
const MOST = 20;

/**
 * The stored draft for a row, or null.
 * @param {string} place the game, seat and row it is for
 * @param {import("../wire.js").Board} board
 * @param {StorageLike} [storage]
 * @returns {Draft | null}
 */
export function keptDraft(place, board, storage = safeStorage) {
  const kept = keptDrafts(storage).find((one) => one.place === place);
  const pegs = [null, ...symbols(board)];
  if (!kept || kept.holes.length !== board.holes || !kept.holes.every((peg) => pegs.includes(peg))) return null;
  return { ...emptyDraft(board.holes), holes: kept.holes, held: kept.held, cursor: kept.cursor };
}

/**
 * @param {string} place
 * @param {Draft} draft
 * @param {StorageLike} [storage]
 */
export function keepDraft(place, { holes, held, cursor }, storage = safeStorage) {
  const others = keptDrafts(storage).filter((one) => gameOf(one) !== gameOf({ place }));
  storage.setItem(KEY, JSON.stringify([{ place, holes, held, cursor }, ...others].slice(0, MOST)));
}

/**
 * @param {StorageLike} storage
 * @returns {KeptDraft[]}
 */
function keptDrafts(storage) {
  try {
    return JSON.parse(storage.getItem(KEY) ?? "[]").filter(isDraft);
  } catch {
    return [];
  }
}

/** @param {any} kept */
function isDraft({ place, holes, held, cursor }) {
  return typeof place === "string" && Array.isArray(holes) && held.length === holes.length && cursor in holes;
}

/** @param {Pick<KeptDraft, "place">} kept */
function gameOf({ place }) {
  return place.split(" ")[0];
}
