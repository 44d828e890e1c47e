/** The player's games in numbers: rows needed, loss and luck, by board and by week. */

import { mondayOf, weekOf } from "./week.js";

/** @typedef {import("../live/mygames.js").KeptSeries} KeptSeries */
/** @typedef {import("../live/analysedgames.js").PlayedGame} PlayedGame */
/** @typedef {{ at: number, board: string, rows: number | null, loss: number | null, luck: number | null }} Counted */

/**
 * @typedef {object} Figures the averages are null where there is nothing to average
 * @property {number} games
 * @property {number} broken
 * @property {number} rated
 * @property {number | null} rows needed for a code that was broken
 * @property {number | null} loss guesses lost in a game that was analysed
 * @property {number | null} luck guesses saved by luck in such a game
 */

/** @typedef {Figures & { week: number, monday: string }} Week */

/** The most weeks that are shown. */
const MOST_WEEKS = 26;

/**
 * Every game as breaker: those that were analysed, and the others of the stored series.
 * @param {readonly KeptSeries[]} series
 * @param {readonly PlayedGame[]} played
 * @returns {Counted[]}
 */
export function countedGames(series, played) {
  const others = series.filter(({ shared }) => !shared).flatMap(({ id, at, board, rows }) => {
    const rest = [...rows];
    for (const game of played) {
      const place = game.id.startsWith(`${id}/`) ? rest.indexOf(game.rows) : -1;
      if (place >= 0) rest.splice(place, 1);
    }
    return rest.map((needed) => ({ at, board, rows: needed, loss: null, luck: null }));
  });
  return [...played.map(({ at, board, rows, loss, luck, rated }) => ({ at, board, rows, loss: rated ? loss : null, luck: rated ? luck : null })), ...others];
}

/**
 * The daily codes that were not analysed. Of these, the browser has stored only the rows needed; 0 stands
 * for codes that were not broken.
 * @param {Record<string, Record<string, number>>} results by board and number
 * @param {(number: number) => number} timeOf
 * @param {(number: number, board: string) => boolean} isAnalysed
 * @returns {Counted[]}
 */
export function dailyGames(results, timeOf, isAnalysed) {
  return Object.entries(results).flatMap(([board, days]) =>
    Object.entries(days)
      .filter(([number]) => !isAnalysed(Number(number), board))
      .map(([number, rows]) => ({ at: timeOf(Number(number)), board, rows: rows || null, loss: null, luck: null })),
  );
}

/**
 * @param {readonly Counted[]} games
 * @returns {Figures}
 */
export function figuresOf(games) {
  const rows = games.flatMap((game) => game.rows ?? []);
  const losses = games.flatMap((game) => game.loss ?? []);
  const lucks = games.flatMap((game) => game.luck ?? []);
  return { games: games.length, broken: rows.length, rated: losses.length, rows: mean(rows), loss: mean(losses), luck: mean(lucks) };
}

/**
 * The boards that were played, the most played first.
 * @param {readonly Counted[]} games
 */
export function boardsOf(games) {
  const counts = new Map();
  for (const { board } of games) counts.set(board, (counts.get(board) ?? 0) + 1);
  return [...counts.keys()].sort((one, two) => counts.get(two) - counts.get(one) || one.localeCompare(two));
}

/**
 * The weeks with games, the earliest first, up to half a year back from the last one.
 * @param {readonly Counted[]} games
 * @returns {Week[]}
 */
export function weeksOf(games) {
  const weeks = [...new Set(games.map(({ at }) => weekOf(at)))].sort((one, two) => one - two);
  const shown = weeks.filter((week) => week > weeks[weeks.length - 1] - MOST_WEEKS);
  return shown.map((week) => ({ week, monday: mondayOf(week), ...figuresOf(games.filter(({ at }) => weekOf(at) === week)) }));
}

/** @param {number[]} numbers */
function mean(numbers) {
  return numbers.length ? numbers.reduce((sum, one) => sum + one, 0) / numbers.length : null;
}
