/** The finished series of this browser. They are stored only here. */

import { nameOf } from "../game/sentences.js";
import { situation } from "../game/situation.js";
import { isForfeited, other } from "../game/table.js";
import { isShared } from "./seats.js";
import { SERIES_KEY, safeStorage } from "./storage.js";
import { StoredList } from "./storedlist.js";
import { flag, list, maybe, number, oneOf, record, text, time, whole } from "./validation.js";

/** @typedef {import("./storage.js").StorageLike} StorageLike */
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
 * @property {import("../wire.js").Seat} [seat] mine; older entries have none of these
 * @property {string | null} [level] the computer's, or null for a person
 * @property {number} [hints] how many were used
 * @property {boolean} [shared] whether two people played on this device
 */

/** Whether something is a finished series. */
const isSeries = record(
  {
    id: text(80),
    at: time,
    board: text(20),
    opponent: text(80),
    result: oneOf("won", "lost", "tied"),
    mine: number(0, 1e6),
    theirs: number(0, 1e6),
    rows: list(maybe(whole(1, 99)), 100),
  },
  { seat: oneOf("one", "two"), level: maybe(text(20)), hints: whole(0, 1e6), shared: flag },
);

/** @type {StoredList<KeptSeries>} */
export const SERIES = new StoredList(SERIES_KEY, isSeries, 500);

/**
 * Store a series that is over, unless it is already stored.
 * @param {Table} table
 * @param {StorageLike} [storage]
 */
export function keepSeries(table, storage = safeStorage) {
  const { finished, seat } = situation(table);
  const outcome = table.status.result;
  if (!finished || !seat || !outcome) return;
  const id = table.games[0].id.split("/")[0];
  if (keptSeries(storage).some((one) => one.id === id)) return;
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
    seat,
    level: table[other(seat)].level,
    hints: table.hints_used,
    shared: isShared(table.id, storage),
  };
  SERIES.keep([series], storage);
}

/**
 * @param {StorageLike} [storage]
 * @returns {KeptSeries[]}
 */
export function keptSeries(storage = safeStorage) {
  return SERIES.all(storage);
}

/**
 * Where a series is reviewed, or null if its table is not known. Its id is that of its table, and its number there.
 * @param {Pick<KeptSeries, "id">} series
 */
export function reviewAddress({ id }) {
  const [, table, number] = /^([\w-]{22})-(\d+)$/.exec(id) ?? [];
  return table ? `/review?table=${table}&series=${number}` : null;
}

/** @param {StorageLike} [storage] */
export function forgetSeries(storage = safeStorage) {
  SERIES.forget(storage);
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
