/** Boards: their sizes, their text form, and their description. As in keypeg.rules.board. */

import { BLANK, coloursOf } from "./colours.js";

/** @typedef {import("../wire.js").Board} Board */

/** The least and the greatest value of each number. */
export const LIMITS = { holes: [1, 16], colours: [2, 20], rows: [1, 99] };

/** The four official games: Game No. 1 and No. 2 of each edition. */
export const PRESETS = [
  preset("classic", 4, 6, 10, false),
  preset("classic-blanks", 4, 6, 10, true),
  preset("advanced", 5, 8, 12, false),
  preset("advanced-blanks", 5, 8, 12, true),
];

const FORM = /^(\d{1,9})x(\d{1,9})(|b|n|bn|nb)(?:\/(\d{1,9}))?$/;

/**
 * Read a board; null if the text is not a valid board.
 * @param {string} text
 * @returns {Board | null}
 */
export function parseBoard(text) {
  const name = text.trim().toLowerCase();
  const preset = PRESETS.find((board) => board.name === name);
  if (preset) return preset;
  const match = FORM.exec(name);
  if (!match) return null;
  const [, holes, colours, flags, rows] = match;
  const board = makeBoard({
    holes: Number(holes),
    colours: Number(colours),
    rows: rows === undefined ? defaultRows(Number(holes)) : Number(rows),
    blanks: flags.includes("b"),
    repeats: !flags.includes("n"),
  });
  return whyInvalidBoard(board) ? null : board;
}

/**
 * @param {Omit<Board, "name">} parts
 * @returns {Board}
 */
export function makeBoard(parts) {
  return { ...parts, name: boardName(parts) };
}

/**
 * Why a board is not valid, or null if it is.
 * @param {Omit<Board, "name">} board
 * @returns {string | null}
 */
export function whyInvalidBoard(board) {
  for (const field of /** @type {const} */ (["holes", "colours", "rows"])) {
    const [least, most] = LIMITS[field];
    if (!Number.isInteger(board[field]) || board[field] < least || board[field] > most) {
      return `A board has ${least} to ${most} ${field}.`;
    }
  }
  if (!board.repeats && symbols(board).length < board.holes) {
    return `Without repeats a board needs at least as many colours as holes: ${symbols(board).length} cannot fill ${board.holes}.`;
  }
  return null;
}

/**
 * The values a peg may have: 1 for the first colour, and 0 for a blank if allowed.
 * @param {Pick<Board, "colours" | "blanks">} board
 * @returns {number[]}
 */
export function symbols(board) {
  const colours = Array.from({ length: board.colours }, (_, index) => index + 1);
  return board.blanks ? [...colours, BLANK] : colours;
}

/**
 * The number of possible codes.
 * @param {Omit<Board, "name">} board
 */
export function codeCount(board) {
  const pegs = symbols(board).length;
  if (board.repeats) return pegs ** board.holes;
  return Array.from({ length: board.holes }, (_, hole) => pegs - hole).reduce((a, b) => a * b, 1);
}

/** @param {Board} board */
export function palette(board) {
  return coloursOf(board.colours);
}

/**
 * The name of the key peg for right colour, right hole: red in the advanced edition.
 * @param {Pick<Board, "colours">} board
 */
export function darkKeyPeg(board) {
  return board.colours <= 6 ? "black" : "red";
}

/**
 * The number of rows that the official boards with this number of holes have.
 * @param {number} holes
 */
export function defaultRows(holes) {
  return holes >= 5 ? 12 : 10;
}

/**
 * A description of a board, in words.
 * @param {Board} board
 */
export function describeBoard(board) {
  const facts = [counted(board.holes, "hole"), counted(board.colours, "colour"), counted(board.rows, "row")];
  if (board.blanks) facts.push("blanks");
  if (!board.repeats) facts.push("no repeats");
  return facts.join(", ");
}

/**
 * A whole number with commas: "1,296". `toLocaleString` does the same, but first loads what is known of all
 * languages, which took 70 ms of processor time on each page.
 * @param {number} number
 */
export function grouped(number) {
  return BigInt(Math.round(number)).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * A number with its noun: "1 point", "2,000 points".
 * @param {number} number
 * @param {string} noun
 */
export function counted(number, noun) {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** @param {Omit<Board, "name">} board */
function boardName(board) {
  const same = PRESETS.find(
    (preset) =>
      preset.holes === board.holes &&
      preset.colours === board.colours &&
      preset.rows === board.rows &&
      preset.blanks === board.blanks &&
      preset.repeats === board.repeats,
  );
  if (same) return same.name;
  const flags = (board.blanks ? "b" : "") + (board.repeats ? "" : "n");
  const rows = board.rows === defaultRows(board.holes) ? "" : `/${board.rows}`;
  return `${board.holes}x${board.colours}${flags}${rows}`;
}

/**
 * @param {string} name
 * @param {number} holes
 * @param {number} colours
 * @param {number} rows
 * @param {boolean} blanks
 * @returns {Board}
 */
function preset(name, holes, colours, rows, blanks) {
  return { name, holes, colours, rows, blanks, repeats: true };
}
