/** A table from one chair: who I am, what lies in my hand. What may be done is the table's word. Pure. */

import { lastGame, other } from "./table.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {import("../wire.js").Role} Role */
/** @typedef {import("../wire.js").Game} Game */
/** @typedef {import("../wire.js").Option} Option */
/** @typedef {import("./table.js").View} View */

/** What lies in the player's hands: a secret to set, a row to fill, key pegs to place. */
/** @typedef {"secret" | "guess" | "answer" | null} Hand */

/** The options that are filled by hand. @type {Partial<Record<Option, Hand>>} */
const HANDS = { "set-secret": "secret", guess: "guess", answer: "answer" };

/**
 * @typedef {object} Situation
 * @property {Seat | null} seat
 * @property {Role | null} role
 * @property {Game} game
 * @property {Hand} hand
 * @property {boolean} over whether the game on the board is over
 * @property {boolean} finished whether the whole series is over
 * @property {number} row the number of the row that is filled or answered now
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

/** What may be done besides filling a hand: each has a button. */
/** @typedef {Exclude<Option, "set-secret" | "guess" | "answer">} Action */

/**
 * The actions that the table offers this chair, in its order. A claim comes after the stated wait.
 * @param {View} view
 * @param {number} now
 * @returns {Action[]}
 */
export function actions(view, now) {
  const open = view.table.options.filter((option) => option !== "claim" || awayFor(view, now) === 0);
  return /** @type {Action[]} */ (open.filter((option) => !(option in HANDS)));
}

/**
 * The milliseconds left of the running turn; null while no clock runs.
 * @param {View} view
 * @param {number} now
 */
export function timeLeft({ table, ahead }, now) {
  return table.status.due === null ? null : Math.max(0, table.status.due - now - ahead);
}

/**
 * The milliseconds until the absent opponent may be claimed; null while nobody is away.
 * @param {View} view
 * @param {number} now
 */
export function awayFor({ table, present, ahead }, now) {
  if (!table.seat || !present || table.status.stage !== "playing") return null;
  const { here, claimable_at: claimable } = present[other(table.seat)];
  return here || claimable === null ? null : Math.max(0, claimable - now - ahead);
}
