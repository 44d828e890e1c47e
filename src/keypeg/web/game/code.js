/** Codes: a number for each hole; reading and writing them. As in keypeg.rules.code. */

import { palette } from "./board.js";
import { BLANK, digit } from "./colours.js";

/** @typedef {import("../wire.js").Board} Board */

/** An input that is not valid or is against the rules. The message is shown to the user. */
export class Refusal extends Error {}

/**
 * Read a code in any form, and check that it is legal on the board.
 * @param {string} text
 * @param {Board} board
 * @returns {number[]}
 */
export function parseCode(text, board) {
  const names = pegNames(board);
  const code = split(text, board, names).map((token, index) => {
    const peg = names.get(token.toLowerCase());
    if (peg === undefined) {
      throw new Refusal(`Peg ${index + 1}: “${token}” is not a peg of this board; use ${accepted(board)}.`);
    }
    return peg;
  });
  if (code.length !== board.holes) {
    throw new Refusal(`A code on this board has ${board.holes} pegs; “${text.trim()}” has ${code.length}.`);
  }
  const reason = whyIllegal(code, board);
  if (reason) throw new Refusal(reason);
  return code;
}

/**
 * Why a full row is not legal on this board, or null if it is.
 * @param {number[]} code
 * @param {Board} board
 * @returns {string | null}
 */
export function whyIllegal(code, board) {
  if (!board.blanks && code.includes(BLANK)) return "Blanks are off on this board";
  if (board.repeats) return null;
  const second = code.findIndex((peg, hole) => code.indexOf(peg) < hole);
  if (second < 0) return null;
  const holes = `holes ${code.indexOf(code[second]) + 1} and ${second + 1}`;
  return `Repeats are off on this board: ${pegName(code[second], board)} is in ${holes}`;
}

/**
 * @param {number} peg
 * @param {Board} board
 */
export function pegName(peg, board) {
  return peg === BLANK ? "blank" : palette(board)[peg - 1].name;
}

/**
 * The names of the colours of a code, for screen readers.
 * @param {readonly number[]} code
 * @param {Board} board
 */
export function describeCode(code, board) {
  return code.map((peg) => pegName(peg, board)).join(", ");
}

/**
 * A code with two letters for each peg, as in the rule books.
 * @param {readonly number[]} code
 * @param {Board} board
 */
export function shortCode(code, board) {
  return code.map((peg) => (peg === BLANK ? "-" : palette(board)[peg - 1].short)).join(" ");
}

/**
 * The letter that is shown on a peg.
 * @param {number} peg
 * @param {Board} board
 */
export function pegLetter(peg, board) {
  return peg === BLANK ? "–" : palette(board)[peg - 1].letter;
}

/**
 * Every way to write one peg, in lower case.
 * @param {Board} board
 * @returns {Map<string, number>}
 */
export function pegNames(board) {
  const names = new Map([["-", BLANK], ["0", BLANK], ["blank", BLANK]]);
  const colours = palette(board);
  colours.forEach((colour, index) => {
    for (const name of [colour.name, colour.short, colour.letter, digit(index + 1, colours)]) {
      names.set(name.toLowerCase(), index + 1);
    }
  });
  return names;
}

/**
 * The written pegs, divided in the way that fills the row.
 * @param {string} text
 * @param {Board} board
 * @param {Map<string, number>} names
 * @returns {string[]}
 */
function split(text, board, names) {
  const words = text.split(/[\s,]+/).filter(Boolean);
  const characters = [...words.join("")];
  const pairs = words.join("").match(/[a-z]{2}|./gi) ?? [];
  const filling = [words, characters, pairs].find((reading) => reading.length === board.holes);
  if (filling) return filling;
  if (words.length > 1) return words;
  return pairs.every((token) => names.has(token.toLowerCase())) ? pairs : characters;
}

/** @param {Board} board */
function accepted(board) {
  const colours = palette(board);
  const blank = board.blanks ? ", - for a blank" : "";
  return `${colours.map((colour) => colour.letter).join(" ")} or 1 to ${digit(board.colours, colours)}${blank}`;
}
