/** The last seven days of the daily code: how each went, and the streak. */

import { dailyAddress, dayWords, resultWords, streak } from "../game/daily.js";
import { allResults, dateOf, keptResults } from "../live/dailyresults.js";
import { element } from "./element.js";

const DAYS = 7;

/**
 * @param {string} board
 * @param {number} today the number of today's code
 * @returns {Node[]} nothing if no code was played yet
 */
export function dailyWeek(board, today) {
  const results = allResults(board);
  const counted = keptResults(board);
  if (Object.keys(results).length === 0) return [];
  const numbers = Array.from({ length: DAYS }, (_, index) => today - DAYS + 1 + index).filter((number) => number > 0);
  const length = streak(Object.keys(counted).map(Number), today);
  return [
    element("ol", { class: "week", "aria-label": "The last days" }, ...numbers.map((number) => day(board, number, today, results[number], number in counted))),
    length > 1 && element("p", { class: "streak" }, `${length} days played. One missed day is forgiven.`),
  ].filter((node) => node !== false);
}

/**
 * @param {string} board
 * @param {number} number
 * @param {number} today
 * @param {number | undefined} rows the rows needed; 0 if it was not broken
 * @param {boolean} counts
 */
function day(board, number, today, rows, counts) {
  const date = dateOf(number);
  const [weekday] = dayWords(date).split(/[ ,]/);
  const words = rows === undefined ? (number === today ? "today" : "not played") : resultWords(rows).toLowerCase();
  const shown = rows === undefined ? "" : rows || "✕";
  const kind = rows === undefined ? "open" : counts ? "counted" : "late";
  return element(
    "li",
    { class: kind },
    element(
      "a",
      { href: dailyAddress(board, number === today ? null : date), "aria-label": `${weekday}, No. ${number}: ${words}`, "aria-current": number === today ? "date" : null },
      element("span", { "aria-hidden": "true" }, weekday.slice(0, 2)),
      element("strong", { "aria-hidden": "true" }, String(shown)),
    ),
  );
}
