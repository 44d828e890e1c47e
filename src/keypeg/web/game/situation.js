/** What a player can do and see at a table, as pure functions. The options come from the server. */

import { lastGame, other } from "./table.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {import("../wire.js").Role} Role */
/** @typedef {import("../wire.js").Game} Game */
/** @typedef {import("../wire.js").Option} Option */
/** @typedef {import("./table.js").View} View */

/** What the player has to do now: set a secret, fill a row, or place key pegs. */
/** @typedef {"secret" | "guess" | "answer" | null} Hand */

/** The options that are not buttons, because the player fills holes or places key pegs. @type {Partial<Record<Option, Hand>>} */
const HANDS = { "set-secret": "secret", guess: "guess", answer: "answer" };

/**
 * @typedef {object} Situation
 * @property {Seat | null} seat
 * @property {Role | null} role
 * @property {Game} game
 * @property {Hand} hand
 * @property {boolean} over whether the game on the board is over
 * @property {boolean} finished whether the whole series is over
 * @property {number} row the number of the row that is being filled or answered
 */

/**
 * @param {Table} table
 * @returns {Situation}
 */
export function situation(table) {
  const { seat, status } = table;
  const game = lastGame(table);
  const finished = status.result !== null;
  const over = finished || status.phase === "over" || status.phase === null;
  const held = table.options.find((option) => option in HANDS);
  return {
    seat,
    role: seat && (game.maker === seat ? "maker" : "breaker"),
    game,
    hand: (held && HANDS[held]) ?? null,
    over,
    finished,
    row: status.phase === "answer" ? game.rows.length : game.rows.length + 1,
  };
}

/** The options that have a button. */
/** @typedef {Exclude<Option, "set-secret" | "guess" | "answer">} Action */

/**
 * The actions of this seat, in the server's order. A claim is included once the wait is over.
 * @param {View} view
 * @param {number} now
 * @returns {Action[]}
 */
export function actions(view, now) {
  const open = view.table.options.filter((option) => option !== "claim" || awayFor(view, now) === 0);
  return /** @type {Action[]} */ (open.filter((option) => !(option in HANDS)));
}

/**
 * The milliseconds left in this turn, or null if no clock is running.
 * @param {View} view
 * @param {number} now
 */
export function timeLeft({ table, ahead }, now) {
  const { due } = table.status;
  return due === null || situation(table).over ? null : Math.max(0, due - now - ahead);
}

/** Somebody who has just sat down, or reloads the page, is not away. */
const ABSENT_MS = 3000;

/**
 * Whether the opponent has been away for more than a moment.
 * @param {View} view
 * @param {number} now
 */
export function isAway({ table, present, ahead }, now) {
  if (!table.seat || !present) return false;
  const { here, away_since: since } = present[other(table.seat)];
  return !here && since !== null && now + ahead - since >= ABSENT_MS;
}

/**
 * The milliseconds until the player can claim the series. Null if the opponent is connected.
 * @param {View} view
 * @param {number} now
 */
export function awayFor({ table, present, ahead }, now) {
  if (!table.seat || !present || table.status.stage !== "playing") return null;
  const { here, claimable_at: claimable } = present[other(table.seat)];
  return here || claimable === null ? null : Math.max(0, claimable - now - ahead);
}
