/** The progress on one board: averages beside the levels, and rows, loss and luck by week. */

import { counted, parseBoard } from "../game/board.js";
import { figuresOf, weeksOf } from "../game/progress.js";
import { bestOn, levelsOn } from "../game/yardsticks.js";
import { element } from "./element.js";
import { dotPlot, figure, weekChart } from "./progresscharts.js";

/** @typedef {import("../game/progress.js").Counted} Counted */
/** @typedef {import("../game/progress.js").Week} Week */
/** @typedef {import("../game/yardsticks.js").Yardstick} Yardstick */
/** @typedef {"rows" | "loss" | "luck"} Measure */

const NONE = "–";

/**
 * @param {string} name of the board
 * @param {readonly Counted[]} games on it
 * @returns {Node[]}
 */
export function boardProgress(name, games) {
  const board = parseBoard(name);
  const best = board && bestOn(board);
  const yardsticks = [...(board ? levelsOn(board) : []), ...(best ? [best] : [])];
  const weeks = weeksOf(games);
  const losses = best ? yardsticks.map(({ name: level, average }) => ({ name: level, average: average - best.average })) : [];
  return [
    element("p", {}, summary(games)),
    element(
      "div",
      { class: "figures" },
      ...averages(figuresOf(games).rows, yardsticks),
      ...byWeek("rows", "Rows needed, by week", weeks, yardsticks),
      ...byWeek("loss", "Guesses lost in a game, by week", weeks, losses),
      ...byWeek("luck", "Guesses saved by luck in a game, by week", weeks, [{ name: "no luck", average: 0 }]),
    ),
  ];
}

/** @param {readonly Counted[]} games */
function summary(games) {
  const { games: all, broken, rated, rows, loss, luck } = figuresOf(games);
  const needed = rows === null ? "" : `, with ${rows.toFixed(2)} rows on average`;
  const first = `${counted(all, "game")}: ${counted(broken, "code")} broken${needed}.`;
  if (loss === null || luck === null) return `${first} None was analysed yet: My mistakes does that.`;
  const fortune = luck >= 0 ? `luck saved ${luck.toFixed(2)}` : `bad luck cost ${(-luck).toFixed(2)}`;
  return `${first} In each of the ${rated} analysed, ${loss.toFixed(2)} guesses were lost and ${fortune}, on average.`;
}

/**
 * @param {number | null} rows
 * @param {readonly Yardstick[]} yardsticks
 */
function averages(rows, yardsticks) {
  if (rows === null || yardsticks.length === 0) return [];
  const marks = [{ name: "you", value: rows, own: true }, ...yardsticks.map(({ name, average }) => ({ name, value: average }))];
  const words = `Rows needed on average: ${marks.map(({ name, value }) => `${name} ${value.toFixed(2)}`).join(", ")}.`;
  return [figure("Rows needed on average; fewer are better", dotPlot(marks, words), ["Who", "Rows"], marks.map(({ name, value }) => [name, value.toFixed(3)]))];
}

/**
 * @param {Measure} measure
 * @param {string} caption
 * @param {readonly Week[]} weeks
 * @param {readonly Yardstick[]} yardsticks
 */
function byWeek(measure, caption, weeks, yardsticks) {
  const known = weeks.flatMap(({ week, monday, games, [measure]: value }) => (value === null ? [] : [{ week, monday, games, value }]));
  if (known.length === 0) return [];
  const lines = yardsticks.map(({ name, average }) => ({ name, value: average }));
  const [first, last] = [known[0], known[known.length - 1]];
  const words = `${caption}: ${known.map(({ monday, value }) => `week of ${dated(monday)}, ${value.toFixed(2)}`).join("; ")}. Beside it: ${lines.map(({ name, value }) => `${name} ${value.toFixed(2)}`).join(", ")}.`;
  const table = weeks.map(({ monday, games, [measure]: value }) => [dated(monday), String(games), value === null ? NONE : value.toFixed(2)]);
  return [figure(caption, weekChart(known, lines, [dated(first.monday), dated(last.monday)], words), ["Week of", "Games", "Average"], table)];
}

/** @param {string} monday */
function dated(monday) {
  return new Date(`${monday}T12:00:00`).toLocaleDateString(undefined, { month: "short", day: "numeric" });
}
