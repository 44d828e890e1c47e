/** A storm: puzzles that get harder, the same for the same seed. */

import { counted, parseBoard } from "../board.js";
import { makePuzzle, MOST_SEED } from "./puzzle.js";

/** @typedef {import("./puzzle.js").Puzzle} Puzzle */
/** @typedef {import("../../view/puzzle.js").Played} Played */
/** @typedef {{ puzzle: Puzzle, played: Played | null }} StormResult `played` is null if time ran out */

export const SECONDS = 180;
/** When the time that is left is announced. */
export const ANNOUNCED = [60, 30, 10];
/** How many puzzles of each kind there are, before the next; the last kind goes on. */
const LADDER = /** @type {const} */ ([["3x4", 1, 3], ["3x4", 2, 2], ["classic", 1, 3], ["classic", 2, 4], ["classic", 3, 4], ["classic", 4, 4], ["classic", 5, Infinity]]);
/** A puzzle is slow if it took this many times as long as the one in the middle. */
const SLOW = 1.5;

/**
 * @param {number} seed
 * @param {number} index counted from 0
 * @returns {Puzzle}
 */
export function stormPuzzle(seed, index) {
  let before = index;
  for (const [name, grade, times] of LADDER) {
    const board = parseBoard(name);
    if (board && before < times) return makePuzzle(board, grade, (seed + index) % (MOST_SEED + 1));
    before -= times;
  }
  throw new Error("the ladder has an end");
}

/**
 * A result to share: what was done, and the address of the same storm.
 * @param {number} solved
 * @param {string} time how long it took, in words
 * @param {string} link
 */
export function stormText(solved, time, link) {
  return `keypeg puzzle storm: ${counted(solved, "puzzle")} solved ${time}. Can you solve more?\n${link}`;
}

/**
 * The puzzles to look at again, each with the reason.
 * @param {StormResult[]} results
 * @returns {{ puzzle: Puzzle, why: string }[]}
 */
export function toLookAt(results) {
  const times = results.flatMap(({ played }) => (played?.solved ? [played.seconds] : [])).sort((a, b) => a - b);
  const middle = times[Math.floor(times.length / 2)] ?? Infinity;
  return results.flatMap(({ puzzle, played }) => {
    if (!played) return [{ puzzle, why: "not finished" }];
    if (!played.solved) return [{ puzzle, why: "skipped" }];
    if (played.tries > 1) return [{ puzzle, why: `${counted(played.tries - 1, "wrong code")} first` }];
    return played.seconds > SLOW * middle ? [{ puzzle, why: counted(Math.round(played.seconds), "second") }] : [];
  });
}
