/** Where a puzzle is found: its address has its board, grade and seed. */

import { parseBoard, PRESETS } from "../board.js";
import { GRADES } from "./grading.js";
import { MOST_SEED } from "./puzzle.js";

/** @typedef {import("../../wire.js").Board} Board */
/** @typedef {{ board: Board, grade: number, seed: number | null }} PuzzleRequest `seed`: null for any */

/** The boards that are offered, from small to large. */
export const BOARDS = ["3x4", "4x5", "classic", "classic-blanks", "advanced"];
/** @type {Record<string, string>} */
export const BOARD_TITLES = {
  "3x4": "Small: 3 holes, 4 colours",
  "4x5": "4 holes, 5 colours",
  classic: "Classic: 4 holes, 6 colours",
  "classic-blanks": "Classic with blanks",
  advanced: "Advanced: 5 holes, 8 colours",
};
/** What to expect of each grade. */
export const GRADE_TITLES = ["", "1: easy", "2: gentle", "3: medium", "4: hard", "5: very hard"];
const FIRST_GRADE = 2;

/**
 * What the query of an address asks for. What is missing or cannot be read is replaced.
 * @param {string} query
 * @returns {PuzzleRequest}
 */
export function readQuery(query) {
  const asked = new URLSearchParams(query);
  const board = parseBoard(asked.get("board") ?? "") ?? PRESETS[0];
  const grade = Number(asked.get("grade") ?? FIRST_GRADE);
  return { board, grade: GRADES.includes(grade) ? grade : FIRST_GRADE, seed: seedIn(query) };
}

/**
 * The seed in the query of an address; null if it has none that is valid.
 * @param {string} query
 */
export function seedIn(query) {
  const text = new URLSearchParams(query).get("seed") ?? "";
  return /^\d{1,9}$/.test(text) && Number(text) <= MOST_SEED ? Number(text) : null;
}

/** @param {{ board: Board, grade: number, seed: number }} puzzle */
export function puzzleAddress({ board, grade, seed }) {
  return `/puzzle?board=${board.name}&grade=${grade}&seed=${seed}`;
}
