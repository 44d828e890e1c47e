/** The finished series of this browser. They are stored only here. */

import { situation } from "../game/situation.js";
import { nameOf } from "../game/sentences.js";
import { isForfeited, other } from "../game/table.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").Game} Game */

/**
 * @typedef {object} KeptSeries
 * @property {string} id
 * @property {number} at
 * @property {string} board
 * @property {string} opponent
 * @property {"won" | "lost" | "tied"} result
 * @property {number} mine my points
 * @property {number} theirs
 * @property {(number | null)[]} rows the rows I needed in each game as breaker; null if not broken
 */

const KEY = "keypeg.series";
const MOST = 500;

/**
 * Store a series that is over, unless it is already stored.
 * @param {Table} table
 * @param {Storage} [storage]
 */
export function keepSeries(table, storage = localStorage) {
  const { finished, seat } = situation(table);
  const outcome = table.status.result;
  if (!finished || !seat || !outcome) return;
  const kept = keptSeries(storage);
  const id = table.games[0].id.split("/")[0];
  if (kept.some((one) => one.id === id)) return;
  /** @type {KeptSeries} */
  const series = {
    id,
    at: Date.now(),
    board: table.board.name,
    opponent: nameOf(table, other(seat)),
    result: outcome.winner === null ? "tied" : outcome.winner === seat ? "won" : "lost",
    mine: outcome.points[seat],
    theirs: outcome.points[other(seat)],
    rows: table.games.filter((game) => game.maker !== seat && !isForfeited(game)).map(rowsNeeded),
  };
  storage.setItem(KEY, JSON.stringify([series, ...kept].slice(0, MOST)));
}

/**
 * @param {Storage} [storage]
 * @returns {KeptSeries[]}
 */
export function keptSeries(storage = localStorage) {
  try {
    return JSON.parse(storage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}

/**
 * Where a series is reviewed, or null if its table is not known. Its id is that of its table, and its number there.
 * @param {Pick<KeptSeries, "id">} series
 */
export function reviewAddress({ id }) {
  const [, table, number] = /^([\w-]{22})-(\d+)$/.exec(id) ?? [];
  return table ? `/review?table=${table}&series=${number}` : null;
}

/** @param {Storage} [storage] */
export function forgetSeries(storage = localStorage) {
  storage.removeItem(KEY);
}

/**
 * For each board, how often each number of rows was needed; null stands for codes that were not broken.
 * @param {KeptSeries[]} series
 * @returns {Map<string, Map<number | null, number>>}
 */
export function histograms(series) {
  /** @type {Map<string, Map<number | null, number>>} */
  const boards = new Map();
  for (const { board, rows } of series) {
    const counts = boards.get(board) ?? new Map();
    for (const needed of rows) counts.set(needed, (counts.get(needed) ?? 0) + 1);
    boards.set(board, counts);
  }
  return boards;
}

/**
 * @param {Game} game
 * @returns {number | null}
 */
function rowsNeeded(game) {
  return game.ending === "broken" ? game.rows.length : null;
}
