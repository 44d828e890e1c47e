/** The openly unfair maker, which has no code: the same as keypeg.rules.unfair, which a test compares. */

import { codeCount, counted, darkKeyPeg, defaultRows, grouped, makeBoard } from "./board.js";
import { parseCode, Refusal, shortCode } from "./code.js";
import { resultText } from "./grid.js";
import { describeKeyPegs, score } from "./keypegs.js";
import { everyCode } from "./puzzles/codesets.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {{ code: number[], black: number, white: number, left: number }} UnfairRow `left`: the codes left after it */
/** @typedef {{ board: Board, rows: readonly UnfairRow[], left: number[][] }} UnfairGame `left`: the codes that fit all rows, in order */

/** What the record says, and the page from the start. */
export const NO_SEAL = "No seal was made: the maker had no code, and always gave the answer that left the most codes.";
export const RULE = "If several answers leave equally many codes, it gives the one with the fewest dark key pegs, and of those the one with the fewest white ones. So the same rows always get the same answers.";
const MOST_CODES = 60_000;

/**
 * For each board a short play, and the rows below which no play ends the game; by the command
 * `python -m keypeg.solver.unfair`.
 * @type {Record<string, { least: number, play: string }>}
 */
export const FEWEST_ROWS = {
  "3x4": { least: 4, play: "123 114 131 342" },
  "4x5": { least: 5, play: "1123 2243 1535 1111 4114" },
  classic: { least: 5, play: "1122 3345 3366 1444 4555" },
  "classic-blanks": { least: 6, play: "0123 1242 5054 3406 0001 2560" },
  advanced: { least: 6, play: "11234 55366 46725 28773 41458 11111 62122" },
  "advanced-blanks": { least: 6, play: "00123 12042 52234 16215 62507 00078 51752" },
};

/**
 * The game before its first row. Refused if the board has too many codes.
 * @param {Board} board
 * @returns {UnfairGame}
 */
export function startUnfair(board) {
  const codes = codeCount(board);
  if (codes <= MOST_CODES) return { board, rows: [], left: everyCode(board) };
  throw new Refusal(`${board.name} has ${grouped(codes)} codes; the unfair maker plays on boards with at most ${grouped(MOST_CODES)}.`);
}

/**
 * The game after another row. Its answer is the one that leaves the most codes; of several, the one with
 * the fewest black key pegs, and then the fewest white ones.
 * @param {UnfairGame} game
 * @param {number[]} code
 * @returns {UnfairGame}
 */
export function afterRow({ board, rows, left }, code) {
  const parts = /** @type {Map<number, number[][]>} */ (new Map());
  for (const one of left) {
    const { black, white } = score(one, code);
    const keys = black * (board.holes + 1) + white;
    const part = parts.get(keys);
    if (part) part.push(one);
    else parts.set(keys, [one]);
  }
  const [keys, most] = [...parts].reduce((best, next) => (next[1].length - best[1].length || best[0] - next[0]) > 0 ? next : best);
  const white = keys % (board.holes + 1);
  const row = { code, black: (keys - white) / (board.holes + 1), white, left: most.length };
  return { board, rows: [...rows, row], left: most };
}

/** @param {UnfairGame} game */
export function isBroken({ board, rows }) {
  return rows.at(-1)?.black === board.holes;
}

/** @param {UnfairGame} game */
export function isOver(game) {
  return isBroken(game) || game.rows.length >= game.board.rows;
}

/**
 * The play and the bound of a board, whatever its rows; null where they have not been searched for.
 * @param {Board} board
 */
export function fewestRows(board) {
  const { least, play } = FEWEST_ROWS[makeBoard({ ...board, rows: defaultRows(board.holes) }).name] ?? {};
  return play === undefined ? null : { least, play: play.split(" ").map((code) => parseCode(code, board)) };
}

/**
 * How few rows can be enough, in a sentence.
 * @param {Board} board
 */
export function fewestWords(board) {
  const found = fewestRows(board);
  if (!found) return "How few rows can be enough has not been worked out for this board.";
  const { least, play } = found;
  if (play.length === least) return `Every play needs at least ${least} rows, and ${least} can be enough: both are proven.`;
  return `Every play needs at least ${least} rows, which is proven. ${play.length} can be enough; whether fewer can is not known.`;
}

/**
 * What was left of the codes after each row.
 * @param {UnfairGame} game
 */
export function codesLeftWords({ board, rows }) {
  return rows.map((row, index) => {
    const before = index ? rows[index - 1].left : codeCount(board);
    return `${describeKeyPegs(row, board)}: ${grouped(row.left)} of ${counted(before, "code")} left.`;
  });
}

/**
 * The text to share, without a peg of the code. As in keypeg.terminal.unfair.
 * @param {UnfairGame} game
 * @param {string} link
 */
export function unfairShareText(game, link) {
  const { board, rows } = game;
  const name = board.name === "classic" ? "keypeg unfair" : `keypeg unfair ${board.name}`;
  const needed = isBroken(game) ? counted(rows.length, "row") : `not broken in ${board.rows} rows`;
  return resultText(`${name}: ${needed}`, board, rows, fewestWords(board), link);
}

/**
 * The record of a finished game, which says that no seal was made. As in keypeg.terminal.unfair.
 * @param {UnfairGame} game
 */
export function unfairRecord({ board, rows, left }) {
  const dark = darkKeyPeg(board)[0];
  return [
    "keypeg record 1",
    "series: unfair",
    `board: ${board.name}`,
    "games: 2",
    "key pegs: referee",
    "scoring: rows",
    "turn limit: none",
    "first maker: one",
    "maker: unfair",
    "",
    `# ${NO_SEAL}`,
    "secret hidden",
    ...rows.flatMap(({ code, black, white }) => [`guess ${shortCode(code, board)}`, `answer ${black}${dark}${white}w`]),
    `reveal ${shortCode(left[0], board)}`,
    "",
  ].join("\n");
}
