/** Key pegs as signs, which can be shared without revealing the code; and as words. */

import { describeKeyPegs } from "./keypegs.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("./keypegs.js").KeyPegs} KeyPegs */

/**
 * The key pegs of a row as emoji, as many as the board has holes.
 * @param {KeyPegs} keys
 * @param {Pick<Board, "holes" | "colours">} board
 */
export function keyPegSigns({ black, white }, { holes, colours }) {
  return (colours <= 6 ? "⚫" : "🔴").repeat(black) + "⚪".repeat(white) + "▫️".repeat(holes - black - white);
}

/**
 * A result to share: a line for everybody, the key pegs as emoji, the same in words, and more lines. As in
 * keypeg.daily.sharing.
 * @param {string} first
 * @param {Board} board
 * @param {readonly KeyPegs[]} rows
 * @param {string[]} more
 */
export function resultText(first, board, rows, ...more) {
  const words = rows.map((row) => describeKeyPegs(row, board)).join("; ");
  return [first, ...rows.map((row) => keyPegSigns(row, board)), `In words: ${words}.`, ...more].join("\n");
}
