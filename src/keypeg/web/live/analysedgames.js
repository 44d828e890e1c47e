/** The games that were analysed, with what they cost, and the mistakes in them. They are stored only in this browser. */

import { answered } from "../game/analysis.js";
import { parseBoard } from "../game/board.js";
import { whyIllegal } from "../game/code.js";
import { everyAnswer } from "../game/keypegs.js";
import { mergedMistake, mistakesOf } from "../game/mistake.js";
import { safeStorage } from "./storage.js";
import { StoredList } from "./storedlist.js";
import { day, list, maybe, number, oneOf, record, text, time, whole } from "./validation.js";

/** @typedef {import("./storage.js").StorageLike} StorageLike */
/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Review} Review */
/** @typedef {import("../game/mistake.js").Mistake} Mistake */

/**
 * @typedef {object} PlayedGame a game of the player as breaker
 * @property {string} id
 * @property {number} at when it was played
 * @property {string} board
 * @property {number | null} rows the rows needed; null if the code was not broken
 * @property {number} rated how many rows were rated
 * @property {number} loss the guesses lost in them
 * @property {number} luck the guesses that luck saved in them
 */

const CERTAINTIES = ["proven", "upper bound", "estimate"];

const isPlayed = record({
  id: text(90),
  at: time,
  board: text(20),
  rows: maybe(whole(1, 99)),
  rated: whole(0, 99),
  loss: number(0, 1000),
  luck: number(-1000, 1000),
});

const code = list(whole(0, 20), 16);
const hasShape = record({
  id: text(100),
  at: time,
  board: text(20),
  row: whole(1, 99),
  rows: list(record({ code, black: whole(0, 16), white: whole(0, 16) }), 99),
  guess: code,
  best: code,
  loss: number(0, 1000),
  certainty: oneOf(...CERTAINTIES),
  tried: maybe(day),
  solved: list(day, 9),
});

/** @type {StoredList<PlayedGame>} */
export const PLAYED = new StoredList("keypeg.played", isPlayed, 1000);
/** @type {StoredList<Mistake>} */
export const MISTAKES = new StoredList("keypeg.mistakes", isMistake, 500, mergedMistake);

/**
 * Whether something is a mistake on a board that exists.
 * @param {unknown} value
 */
function isMistake(value) {
  if (!hasShape(value)) return false;
  const mistake = /** @type {Mistake} */ (value);
  const board = parseBoard(mistake.board);
  if (!board) return false;
  const isLegal = (/** @type {number[]} */ one) => one.length === board.holes && one.every((peg) => peg <= board.colours) && whyIllegal(one, board) === null;
  const answers = everyAnswer(board);
  const isAnswered = (/** @type {Mistake["rows"][0]} */ row) => isLegal(row.code) && answers.some(({ black, white }) => black === row.black && white === row.white);
  return [mistake.guess, mistake.best].every(isLegal) && mistake.rows.every(isAnswered);
}

/**
 * Store what a review tells about a finished game, unless that is stored already.
 * @param {{ id: string, rows: readonly import("../wire.js").Row[] }} game
 * @param {Board} board
 * @param {Review} review
 * @param {number} at when the game was played
 * @param {StorageLike} [storage]
 * @returns {number} how many mistakes are new
 */
export function keepReview(game, board, review, at, storage = safeStorage) {
  if (PLAYED.all(storage).some(({ id }) => id === game.id)) return 0;
  const last = answered(game.rows).at(-1);
  const rows = last?.black === board.holes ? game.rows.length : null;
  const { loss, luck } = review;
  PLAYED.keep([{ id: game.id, at, board: board.name, rows, rated: review.rows.length, loss, luck }], storage);
  return MISTAKES.keep(mistakesOf(game.id, at, board, game.rows, review), storage);
}
