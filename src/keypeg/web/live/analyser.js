/** Analyses the player's finished series with the server's solver, one game after the other. */

import { answered } from "../game/analysis.js";
import { breakerOf, parseRecord } from "../game/record.js";
import { keepReview, PLAYED } from "./analysedgames.js";
import { Problem, readRecord, readTable } from "./api.js";
import { completeReview } from "./completereview.js";
import { keptSeries } from "./mygames.js";
import { safeStorage } from "./storage.js";
import { StoredList } from "./storedlist.js";
import { record, text, time } from "./validation.js";

/** @typedef {import("./mygames.js").KeptSeries} KeptSeries */
/** @typedef {import("./storage.js").StorageLike} StorageLike */

/** The series that were analysed, and those that cannot be. @type {StoredList<{ id: string, at: number }>} */
export const ANALYSED = new StoredList("keypeg.analysed", record({ id: text(80), at: time }), 500);

/** The most series that are analysed at once. */
export const MOST_AT_ONCE = 20;
/** Between two games, so that others are answered too. */
const PAUSE_MS = 300;
/** A table that is gone, rows that cannot be analysed, and a board that is too large for it. */
const HOPELESS = ["no-such-table", "against-the-rules", "took-too-long", "cannot-read"];

/**
 * The stored series that can be analysed and have not been, the newest first.
 * @param {StorageLike} [storage]
 */
export function unanalysed(storage = safeStorage) {
  const done = new Set(ANALYSED.all(storage).map(({ id }) => id));
  return keptSeries(storage).filter((one) => !done.has(one.id) && !one.shared && addressOf(one));
}

/**
 * Analyse series until all are done or `signal` is aborted. What is done is stored game by game, so that
 * this can be interrupted and resumed.
 * @param {readonly KeptSeries[]} series
 * @param {AbortSignal} signal
 * @param {(done: number, mistakes: number) => void} progress called after each series
 */
export async function analyse(series, signal, progress) {
  let mistakes = 0;
  for (const [index, one] of series.entries()) {
    try {
      mistakes += await analyseSeries(one, signal);
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem && HOPELESS.includes(problem.code))) throw problem;
    }
    if (signal.aborted) return;
    ANALYSED.keep([{ id: one.id, at: one.at }]);
    progress(index + 1, mistakes);
  }
}

/**
 * @param {KeptSeries} one
 * @param {AbortSignal} signal
 * @returns {Promise<number>} how many mistakes are new
 */
async function analyseSeries(one, signal) {
  const [table, number] = addressOf(one) ?? ["", 0];
  const seat = one.seat ?? (await readTable(table)).seat;
  if (!seat) return 0;
  const { board, games, firstMaker } = parseRecord(await readRecord(table, number));
  const played = new Set(PLAYED.all().map(({ id }) => id));
  let mistakes = 0;
  for (const game of games) {
    const rows = answered(game.rows);
    if (breakerOf(game, firstMaker) !== seat || rows.length === 0 || played.has(game.id)) continue;
    const review = await completeReview(board.name, rows, signal);
    mistakes += keepReview(game, board, review, one.at);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return mistakes;
}

/**
 * The table of a series and its number there; its id consists of both.
 * @param {Pick<KeptSeries, "id">} series
 * @returns {[string, number] | null}
 */
function addressOf({ id }) {
  const [, table, number] = /^([\w-]{22})-(\d+)$/.exec(id) ?? [];
  return table ? [table, Number(number)] : null;
}
