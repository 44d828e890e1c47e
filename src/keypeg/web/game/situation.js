/** What a table is waiting for, from one chair: who I am, what I may do now. Pure. */

import { isForfeited, lastGame, other } from "./table.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {import("../wire.js").Role} Role */
/** @typedef {import("../wire.js").Game} Game */
/** @typedef {import("./table.js").View} View */

/** What lies in the player's hands: a secret to set, a row to fill, key pegs to place. */
/** @typedef {"secret" | "guess" | "answer" | null} Hand */

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
  const mine = seat !== null && status.turn === seat && status.stage === "playing";
  return {
    seat,
    role: seat && (game.maker === seat ? "maker" : "breaker"),
    game,
    hand: mine && !over ? /** @type {Hand} */ (status.phase) : null,
    over,
    finished,
    row: status.phase === "answer" ? game.rows.length : game.rows.length + 1,
  };
}

/** What may be done besides playing; each is a command of the wire or a thing of the page. */
/** @typedef {"challenge" | "next-game" | "resign" | "claim" | "offer-time" | "rematch" | "hint"} Action */

/**
 * The actions open to this chair, in the order they are shown.
 * @param {View} view
 * @param {number} now
 * @returns {Action[]}
 */
export function actions(view, now) {
  const { table } = view;
  const { seat, role, game, hand, over, finished } = situation(table);
  if (!seat || table.status.stage === "waiting") return [];
  /** @type {Action[]} */
  const open = [];
  if (hand === "guess" && table.hints_allowed) open.push("hint");
  if (mayChallenge(table)) open.push("challenge");
  if (mayGoOn(table)) open.push("next-game");
  if (finished && table.status.rematch !== seat) open.push("rematch");
  if (mayClaim(view, now)) open.push("claim");
  if (table.status.due !== null && table.status.turn === other(seat)) open.push("offer-time");
  if (!over && role && !game.ending) open.push("resign");
  return open;
}

/** @param {Table} table */
function mayChallenge(table) {
  const { role, game } = situation(table);
  const answered = game.rows.some((row) => row.black !== null);
  const open = table.status.result === null && !isForfeited(game);
  return table.key_pegs === "by-hand" && role === "breaker" && answered && open;
}

/** @param {Table} table */
function mayGoOn(table) {
  const { seat, role, over, finished } = situation(table);
  if (!over || finished || !seat) return false;
  const facesComputer = table[other(seat)].level !== null;
  return !table.status.challengeable || role === "breaker" || facesComputer;
}

/**
 * Only on the opponent's turn, and only after the stated wait.
 * @param {View} view
 * @param {number} now
 */
function mayClaim({ table, present, ahead }, now) {
  if (!table.seat || !present || table.status.waits_for !== other(table.seat)) return false;
  const claimable = present[other(table.seat)].claimable_at;
  return claimable !== null && now + ahead >= claimable;
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
