/**
 * The puzzles finished in this browser. They are stored only here. Every page with puzzles calls
 * `puzzleFinished` once for each puzzle that was solved or given up.
 */

import { safeStorage } from "./storage.js";
import { flag, number, oneOf, record, text, time, whole } from "./validation.js";

/** @typedef {import("./storage.js").StorageLike} StorageLike */

/**
 * @typedef {object} PuzzleResult
 * @property {string} board the name of the board
 * @property {number} grade 1 to 5
 * @property {number} seed
 * @property {number} seconds from when it was shown until it was solved or given up
 * @property {number} tries codes tried, the right one included
 * @property {number} hints
 * @property {boolean} solved false if it was given up
 */
/** @typedef {PuzzleResult & { at: number }} FinishedPuzzle with the time it was finished, in milliseconds since 1970 */

const KEY = "keypeg.puzzles";
const VERSION = 1;
/** Older results are dropped. 2,000 results take about 250 kB. */
export const MOST = 2000;

/** Whether something is a finished puzzle. */
export const isFinishedPuzzle = record({
  at: time,
  board: text(20),
  grade: oneOf(1, 2, 3, 4, 5),
  seed: number(0, Number.MAX_SAFE_INTEGER),
  seconds: number(0, 1e9),
  tries: whole(0, 1e6),
  hints: whole(0, 1e6),
  solved: flag,
});

/**
 * Store a result. The same puzzle may be finished more than once.
 * @param {PuzzleResult} result
 * @param {StorageLike} [storage]
 */
export function puzzleFinished({ board, grade, seed, seconds, tries, hints, solved }, storage = safeStorage) {
  const result = { at: Date.now(), board, grade, seed, seconds: Math.round(seconds), tries, hints, solved };
  const results = [...finishedPuzzles(storage), result].slice(-MOST);
  try {
    write(results, storage);
  } catch {
    // The storage is full or switched off. The puzzle can be played all the same.
  }
}

/**
 * Store results, unless a later version of keypeg has stored what would be lost.
 * @param {FinishedPuzzle[]} results
 * @param {StorageLike} storage
 * @returns {boolean} whether they were stored
 */
function write(results, storage) {
  if (versionIn(storage) > VERSION) return false;
  storage.setItem(KEY, JSON.stringify({ version: VERSION, results }));
  return true;
}

/** @param {StorageLike} storage */
function versionIn(storage) {
  try {
    return Number(JSON.parse(storage.getItem(KEY) ?? "{}").version ?? 0);
  } catch {
    return 0;
  }
}

/**
 * The results, the oldest first. Results of an unknown version are left alone.
 * @param {StorageLike} [storage]
 * @returns {FinishedPuzzle[]}
 */
export function finishedPuzzles(storage = safeStorage) {
  try {
    const { version, results } = JSON.parse(storage.getItem(KEY) ?? "{}");
    return version === VERSION && Array.isArray(results) ? results.filter(isFinishedPuzzle) : [];
  } catch {
    return [];
  }
}

/**
 * Add results from elsewhere; those that are here already count once.
 * @param {FinishedPuzzle[]} others
 * @param {StorageLike} [storage]
 * @returns {number} how many were new
 */
export function addPuzzles(others, storage = safeStorage) {
  const here = finishedPuzzles(storage);
  const known = new Set(here.map(nameOf));
  const added = others.filter((one) => !known.has(nameOf(one)));
  const results = [...here, ...added].sort((one, two) => one.at - two.at).slice(-MOST);
  return write(results, storage) ? added.length : 0;
}

/** @param {FinishedPuzzle} result */
function nameOf({ at, board, grade, seed }) {
  return `${board} ${grade} ${seed} ${at}`;
}
