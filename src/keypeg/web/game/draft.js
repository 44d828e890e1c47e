/**
 * The row being filled, before it is checked: its pegs, the cursor, the pegs held for the next row,
 * and the history for undo. Drafts are immutable: every change makes a new one.
 *
 * `terminal/draft.py` is its twin in the terminal; a test compares them.
 */

import { BLANK } from "./colours.js";
import { whyIllegal } from "./code.js";

/** @typedef {import("../wire.js").Board} Board */
/** A hole is null while it is empty, and 0 for a blank that was placed. */
/** @typedef {number | null} Hole */
/**
 * @typedef {object} Draft
 * @property {readonly Hole[]} holes
 * @property {readonly boolean[]} held
 * @property {number} cursor
 * @property {Draft | null} before the draft that undo returns to
 */

/**
 * @param {number} holes
 * @returns {Draft}
 */
export function emptyDraft(holes) {
  return draft(Array(holes).fill(null), Array(holes).fill(false), 0, null);
}

/**
 * The draft for the next row: held pegs stay in their holes.
 * @param {Draft} last
 * @returns {Draft}
 */
export function nextDraft(last) {
  const holes = last.holes.map((peg, hole) => (last.held[hole] ? peg : null));
  return draft(holes, last.held, Math.max(0, holes.indexOf(null)), null);
}

/**
 * Put a peg into a hole, by default the one with the cursor, and move on to the next empty one.
 * @param {Draft} from
 * @param {number} peg
 * @param {number} [hole]
 * @returns {Draft}
 */
export function place(from, peg, hole = from.cursor) {
  const holes = replaced(from.holes, hole, peg);
  return draft(holes, from.held, nextCursor(holes, hole), from);
}

/**
 * Remove the peg in the hole with the cursor. If that is empty, remove the one before it.
 * @param {Draft} from
 * @returns {Draft}
 */
export function backspace(from) {
  const hole = from.holes[from.cursor] === null ? Math.max(0, from.cursor - 1) : from.cursor;
  return clear(from, hole);
}

/**
 * @param {Draft} from
 * @param {number} [hole]
 * @returns {Draft}
 */
export function clear(from, hole = from.cursor) {
  const held = replaced(from.held, hole, false);
  return draft(replaced(from.holes, hole, null), held, hole, from);
}

/**
 * Remove all pegs, held ones too.
 * @param {Draft} from
 * @returns {Draft}
 */
export function clearAll(from) {
  const { holes, held } = emptyDraft(from.holes.length);
  return draft(holes, held, 0, from);
}

/**
 * Move the cursor; it stops at the ends.
 * @param {Draft} from
 * @param {number} hole
 * @returns {Draft}
 */
export function moveTo(from, hole) {
  const cursor = Math.min(Math.max(hole, 0), from.holes.length - 1);
  return draft(from.holes, from.held, cursor, from.before);
}

/**
 * Change the peg under the cursor to the next or previous colour, in a cycle.
 * @param {Draft} from
 * @param {1 | -1} step
 * @param {number[]} symbols
 * @returns {Draft}
 */
export function turn(from, step, symbols) {
  const peg = from.holes[from.cursor];
  const at = peg === null ? (step > 0 ? -1 : symbols.length) : symbols.indexOf(peg);
  const next = symbols[(at + step + symbols.length) % symbols.length];
  return draft(replaced(from.holes, from.cursor, next), from.held, from.cursor, from);
}

/**
 * Hold the peg in a hole for the next row, or stop holding it.
 * @param {Draft} from
 * @param {number} [hole]
 * @returns {Draft}
 */
export function hold(from, hole = from.cursor) {
  if (from.holes[hole] === null) return from;
  return draft(from.holes, replaced(from.held, hole, !from.held[hole]), hole, from);
}

/**
 * Fill every empty hole with one peg.
 * @param {Draft} from
 * @param {number} peg
 * @returns {Draft}
 */
export function fill(from, peg) {
  return draft(from.holes.map((there) => there ?? peg), from.held, from.cursor, from);
}

/**
 * Copy a whole row.
 * @param {Draft} from
 * @param {readonly number[]} code
 * @returns {Draft}
 */
export function copy(from, code) {
  return draft(code, from.held, from.cursor, from);
}

/**
 * Swap the pegs in two holes.
 * @param {Draft} from
 * @param {number} origin
 * @param {number} target
 * @returns {Draft}
 */
export function swap(from, origin, target) {
  const holes = from.holes.map((peg, hole) =>
    hole === origin ? from.holes[target] : hole === target ? from.holes[origin] : peg,
  );
  return draft(holes, from.held, target, from);
}

/**
 * @param {Draft} from
 * @returns {Draft}
 */
export function undo(from) {
  return from.before ?? from;
}

/**
 * How key actions change a draft.
 * @type {Partial<Record<import("../look/keys.js").KeyAction, (draft: Draft, symbols: number[]) => Draft>>}
 */
export const BY_KEY = {
  left: (draft) => moveTo(draft, draft.cursor - 1),
  right: (draft) => moveTo(draft, draft.cursor + 1),
  next: (draft, symbols) => turn(draft, 1, symbols),
  previous: (draft, symbols) => turn(draft, -1, symbols),
  clear: (draft) => backspace(draft),
  "clear-here": (draft) => clear(draft),
  "clear-all": (draft) => clearAll(draft),
  hold: (draft) => hold(draft),
  undo: (draft) => undo(draft),
};

/**
 * Why the row cannot be checked yet, or null if it can.
 * @param {Draft} draft
 * @param {Board} board
 * @param {boolean} [masked] whether no colour may be told
 * @returns {string | null}
 */
export function whyNotReady(draft, board, masked = false) {
  const empty = draft.holes.filter((peg) => peg === null).length;
  if (empty > 0) {
    const tip = board.blanks ? "; place – for a blank" : "";
    return `${empty} hole${empty > 1 ? "s are" : " is"} empty${tip}`;
  }
  const why = whyIllegal(pegs(draft), board);
  return why && masked ? "Repeats are off on this board: two pegs have the same colour" : why;
}

/**
 * The pegs of a full draft.
 * @param {Draft} draft
 * @returns {number[]}
 */
export function pegs(draft) {
  return draft.holes.map((peg) => peg ?? BLANK);
}

/**
 * @param {readonly Hole[]} holes
 * @param {number} hole
 */
function nextCursor(holes, hole) {
  const after = holes.indexOf(null, hole + 1);
  if (after >= 0) return after;
  const first = holes.indexOf(null);
  return first >= 0 ? first : Math.min(hole + 1, holes.length - 1);
}

/**
 * @template Value
 * @param {readonly Value[]} values
 * @param {number} index
 * @param {Value} value
 * @returns {Value[]}
 */
function replaced(values, index, value) {
  return values.map((old, at) => (at === index ? value : old));
}

/**
 * @param {readonly Hole[]} holes
 * @param {readonly boolean[]} held
 * @param {number} cursor
 * @param {Draft | null} before
 * @returns {Draft}
 */
function draft(holes, held, cursor, before) {
  return Object.freeze({ holes, held, cursor, before });
}
