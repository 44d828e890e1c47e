/** Key pegs: the answer to a guess. As in keypeg.rules.keypegs. */

import { darkKeyPeg } from "./board.js";
import { Refusal } from "./code.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {{ black: number, white: number }} KeyPegs */

const FORMS = [
  /^(\d)(\d)$/,
  /^(\d{1,2})[\s,]+(\d{1,2})$/,
  /^(?=.)(?:(\d{1,2})\s*(?:b|black|r|red))?[\s,]*(?:(\d{1,2})\s*(?:w|white))?$/,
];

/**
 * The right answer to a guess. One key peg answers one code peg, black before white.
 * @param {readonly number[]} secret
 * @param {readonly number[]} guess
 * @returns {KeyPegs}
 */
export function score(secret, guess) {
  let black = 0;
  let common = 0;
  const spare = new Map();
  secret.forEach((peg, hole) => {
    if (peg === guess[hole]) black += 1;
    spare.set(peg, (spare.get(peg) ?? 0) + 1);
  });
  for (const peg of guess) {
    const left = spare.get(peg) ?? 0;
    if (left > 0) common += 1;
    spare.set(peg, left - 1);
  }
  return { black, white: common - black };
}

/**
 * The key peg for each peg of the guess. It is shown in the tutorial, never in a game.
 * @param {readonly number[]} secret
 * @param {readonly number[]} guess
 * @returns {("black" | "white" | "none")[]}
 */
export function matched(secret, guess) {
  const spare = secret.filter((peg, hole) => peg !== guess[hole]);
  return guess.map((peg, hole) => {
    if (peg === secret[hole]) return "black";
    const at = spare.indexOf(peg);
    if (at < 0) return "none";
    spare.splice(at, 1);
    return "white";
  });
}

/**
 * Why no guess can get this answer, or null if one can.
 * @param {KeyPegs} keys
 * @param {Board} board
 * @returns {string | null}
 */
export function whyImpossible({ black, white }, board) {
  const dark = darkKeyPeg(board);
  if (black + white > board.holes) {
    return `${black} ${dark} and ${white} white are ${black + white} key pegs; a row of ${board.holes} takes at most ${board.holes}`;
  }
  if (black === board.holes - 1 && white === 1) {
    return `${black} ${dark} and 1 white cannot occur: with ${black} in place, the last peg has no other hole to go to`;
  }
  return null;
}

/**
 * Read key pegs: `21`, `2 1`, `2b1w`, or `2r1w` if the dark key peg is red.
 * @param {string} text
 * @param {Board} board
 * @returns {KeyPegs}
 */
export function parseKeyPegs(text, board) {
  const match = FORMS.map((form) => form.exec(text.trim().toLowerCase())).find(Boolean);
  if (!match) {
    const dark = darkKeyPeg(board);
    throw new Refusal(`“${text}” is not a valid answer; write ${dark} then white key pegs, as in 21, 2 1 or 2${dark[0]}1w.`);
  }
  const keys = { black: Number(match[1] ?? 0), white: Number(match[2] ?? 0) };
  const reason = whyImpossible(keys, board);
  if (reason) throw new Refusal(`${reason}.`);
  return keys;
}

/**
 * @param {KeyPegs} keys
 * @param {Pick<Board, "colours">} board
 */
export function describeKeyPegs({ black, white }, board) {
  return `${black} ${darkKeyPeg(board)}, ${white} white`;
}

/**
 * Every answer that can occur on this board.
 * @param {Board} board
 * @returns {KeyPegs[]}
 */
export function everyAnswer(board) {
  const answers = [];
  for (let black = 0; black <= board.holes; black += 1) {
    for (let white = 0; black + white <= board.holes; white += 1) {
      if (!whyImpossible({ black, white }, board)) answers.push({ black, white });
    }
  }
  return answers;
}
