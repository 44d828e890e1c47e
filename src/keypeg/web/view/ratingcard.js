/** The rating as a range, and what it is measured against. */

import { counted, grouped } from "../game/board.js";
import { GRADE_RATINGS, LEVEL_RATINGS, rangeOf, standingAfter } from "../game/rating.js";
import { element } from "./element.js";

/**
 * @param {readonly import("../game/rating.js").Measured[]} results
 * @param {number} now
 */
export function ratingCard(results, now) {
  const standing = standingAfter(results, now);
  return element("section", { class: "card stack" }, element("h2", {}, "Rating"), ...(standing ? known(rangeOf(standing), results.length) : unknown()), yardsticks());
}

/**
 * @param {[number, number]} range
 * @param {number} results
 */
function known([low, high], results) {
  return [
    element("p", { class: "rating" }, `${grouped(low)} to ${grouped(high)}`),
    element("p", {}, `From ${counted(results, "result")}. Your rating is in this range with a certainty of 95 %; the range shrinks as you play, and grows while you do not.`),
  ];
}

function unknown() {
  return [element("p", {}, "No rating yet. Play a series against the computer on an official board, or solve a puzzle, without hints, and it appears here.")];
}

function yardsticks() {
  const rows = [...Object.entries(LEVEL_RATINGS).map(([name, rating]) => [`Computer: ${name}`, rating]), ...Object.entries(GRADE_RATINGS).map(([grade, rating]) => [`Puzzle of grade ${grade}`, rating])];
  return element(
    "details",
    {},
    element("summary", {}, "What it is measured against"),
    element("p", {}, "A series against the computer counts as won, tied or lost. Luck decides much of a short series, so the levels are close together. A puzzle is won if your first try is right and you took no hint; the first time that you see it counts."),
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Yardstick"), element("th", { scope: "col" }, "Rating"))),
      element("tbody", {}, ...rows.map(([name, rating]) => element("tr", {}, element("th", { scope: "row" }, String(name)), element("td", {}, grouped(Number(rating)))))),
    ),
  );
}
