/** Texts about rows, wherever they are played, and about times. */

import { darkKeyPeg } from "./board.js";
import { describeCode, pegName } from "./code.js";
import { describeKeyPegs, score } from "./keypegs.js";

/** @typedef {import("../wire.js").Game} Game */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("./draft.js").Draft} Draft */

/**
 * A row as a screen reader reads it: "Row 3: red, red, blue, green. 2 black, 1 white."
 * @param {Row} row
 * @param {number} number
 * @param {Board} board
 */
export function describeRow(row, number, board) {
  if (row.code === null && row.black === null) return `Row ${number}: time ran out, no pegs.`;
  const pegs = `Row ${number}: ${row.code ? describeCode(row.code, board) : "hidden pegs"}.`;
  if (row.black === null || row.white === null) return `${pegs} Not answered yet.`;
  return `${pegs} ${describeKeyPegs({ black: row.black, white: row.white }, board)}.`;
}

/**
 * An answer in few words, to be read beside its row: "2 black, 1 white", "1 white", "none".
 * @param {Row} row
 * @param {Board} board
 */
export function answerWords({ black, white }, board) {
  if (black === null || white === null) return "not answered yet";
  const words = [black > 0 && `${black} ${darkKeyPeg(board)}`, white > 0 && `${white} white`];
  return words.filter(Boolean).join(", ") || "none";
}

/**
 * A hole of the row being filled: "Hole 3: yellow, held". A masked one does not tell its colour.
 * @param {Draft} draft
 * @param {number} hole
 * @param {Board} board
 * @param {boolean} masked
 */
export function describeHole({ holes, held }, hole, board, masked) {
  const peg = holes[hole];
  const what = peg === null ? "empty" : masked ? "filled" : pegName(peg, board);
  return `Hole ${hole + 1}: ${what}${held[hole] ? ", held" : ""}`;
}

/**
 * What a change did to the holes of a row. Empty if nothing.
 * @param {Draft} before
 * @param {Draft} after
 * @param {Board} board
 * @param {boolean} masked
 * @param {boolean} isFocused whether the keyboard focus goes with the cursor, so that a screen reader tells the hole
 */
export function changedHoles(before, after, board, masked, isFocused) {
  const holes = after.holes.map((_, hole) => hole);
  const changed = holes.filter((hole) => before.holes[hole] !== after.holes[hole] || before.held[hole] !== after.held[hole]);
  if (!isFocused && before.cursor !== after.cursor && changed.length === 0) changed.push(after.cursor);
  return changed.map((hole) => `${describeHole(after, hole, board, masked)}.`).join(" ");
}

/**
 * The wrong answers of a game whose secret is known, each with the right answer.
 * @param {Pick<Game, "secret" | "rows">} game
 * @param {Board} board
 * @returns {{ row: number, text: string }[]}
 */
export function wrongAnswers(game, board) {
  const { secret } = game;
  if (!secret) return [];
  return game.rows.flatMap(({ code, black, white }, index) => {
    if (!code || black === null || white === null) return [];
    const right = score(secret, code);
    if (right.black === black && right.white === white) return [];
    const given = describeKeyPegs({ black, white }, board);
    const text = `Row ${index + 1}: ${given} was given; ${describeKeyPegs(right, board)} is right.`;
    return [{ row: index + 1, text }];
  });
}

/**
 * Minutes and seconds.
 * @param {number} milliseconds
 */
export function clock(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
