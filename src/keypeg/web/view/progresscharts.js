/** Charts of the player's progress beside the levels. Each says in words what it shows, and has a table. */

import { element } from "./element.js";
import { draw, label, picture } from "./svg.js";

/** @typedef {import("../game/progress.js").Week} Week */
/** @typedef {{ name: string, value: number, own?: boolean }} Mark */

const WIDTH = 340;
const LINE = 24;
/** The least distance of two texts beside the lines. */
const APART = 13;
const EDGE = { left: 92, right: 44, top: 8, bottom: 26 };
const WEEKLY = { height: 190, left: 34, right: 72, top: 12, bottom: 26 };

/**
 * A figure: a drawing, and its numbers as a table behind a disclosure.
 * @param {string} caption
 * @param {SVGSVGElement} drawing
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function figure(caption, drawing, head, rows) {
  const cells = rows.map(([first, ...rest]) => element("tr", {}, element("th", { scope: "row" }, first), ...rest.map((cell) => element("td", {}, cell))));
  return element(
    "figure",
    { class: "stack" },
    element("figcaption", {}, caption),
    drawing,
    element(
      "details",
      {},
      element("summary", {}, "The numbers"),
      element("table", {}, element("thead", {}, element("tr", {}, ...head.map((name) => element("th", { scope: "col" }, name)))), element("tbody", {}, ...cells)),
    ),
  );
}

/**
 * Averages as dots on one scale, one line for each.
 * @param {readonly Mark[]} marks
 * @param {string} words
 */
export function dotPlot(marks, words) {
  const height = EDGE.top + marks.length * LINE + EDGE.bottom;
  const svg = picture(WIDTH, height, words);
  const [low, high] = scaleOf(marks.map(({ value }) => value));
  const x = (/** @type {number} */ value) => EDGE.left + ((value - low) / (high - low)) * (WIDTH - EDGE.left - EDGE.right);
  for (const tick of ticksOf(low, high)) {
    svg.append(draw("line", { class: "axis", x1: x(tick), x2: x(tick), y1: EDGE.top, y2: height - EDGE.bottom, "stroke-dasharray": "2 4" }));
    svg.append(label(String(tick), x(tick), height - 8, "middle"));
  }
  marks.forEach(({ name, value, own }, at) => {
    const y = EDGE.top + (at + 0.5) * LINE;
    svg.append(label(name, EDGE.left - 8, y + 4, "end"), own ? diamond(x(value), y) : draw("circle", { class: "yardstick", cx: x(value), cy: y, r: 5 }));
    svg.append(label(value.toFixed(2), x(value) + 10, y + 4, "start"));
  });
  return svg;
}

/**
 * One number by week, with level lines beside it.
 * @param {readonly { week: number, value: number }[]} points
 * @param {readonly Mark[]} lines
 * @param {[string, string]} ends the days of the first and the last week
 * @param {string} words
 */
export function weekChart(points, lines, ends, words) {
  const { height, left, right, top, bottom } = WEEKLY;
  const svg = picture(WIDTH, height, words);
  const [low, high] = scaleOf([...points, ...lines].map(({ value }) => value));
  const y = (/** @type {number} */ value) => height - bottom - ((value - low) / (high - low)) * (height - top - bottom);
  const [first, last] = [points[0].week, points[points.length - 1].week];
  const x = (/** @type {number} */ week) => (first === last ? (left + WIDTH - right) / 2 : left + ((week - first) / (last - first)) * (WIDTH - left - right));
  for (const tick of ticksOf(low, high)) svg.append(label(String(tick), left - 8, y(tick) + 4, "end"));
  svg.append(draw("line", { class: "axis", x1: left - 4, x2: left - 4, y1: top, y2: height - bottom }));
  const places = apart(lines.map(({ value }) => y(value)));
  lines.forEach(({ name, value }, at) => {
    svg.append(draw("line", { class: "yardline", x1: left - 4, x2: WIDTH - right + 6, y1: y(value), y2: y(value) }));
    svg.append(label(name, WIDTH - right + 10, places[at] + 4, "start"));
  });
  if (points.length > 1) svg.append(draw("polyline", { class: "line", points: points.map(({ week, value }) => `${x(week)},${y(value)}`).join(" ") }));
  svg.append(...points.map(({ week, value }) => diamond(x(week), y(value))));
  if (first !== last) svg.append(label(ends[0], left - 4, height - 6, "start"));
  svg.append(label(ends[1], first === last ? x(first) : WIDTH - right + 6, height - 6, first === last ? "middle" : "end"));
  return svg;
}

/**
 * @param {number} x
 * @param {number} y
 */
function diamond(x, y) {
  return draw("path", { class: "dot", d: `M${x} ${y - 7}l7 7-7 7-7-7Z` });
}

/**
 * The ends of a scale that has room for these numbers, at halves.
 * @param {number[]} values
 * @returns {[number, number]}
 */
function scaleOf(values) {
  const low = Math.floor(Math.min(...values) * 2) / 2;
  const high = Math.ceil(Math.max(...values) * 2) / 2;
  return [low, high > low ? high : low + 0.5];
}

/**
 * @param {number} low
 * @param {number} high
 */
function ticksOf(low, high) {
  const step = [0.5, 1, 2, 5, 10, 20, 50].find((one) => (high - low) / one <= 6) ?? 100;
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step) + 1 }, (_, at) => first + at * step);
}

/**
 * Heights near these, none too close to another.
 * @param {number[]} heights
 */
function apart(heights) {
  const order = heights.map((_, at) => at).sort((one, two) => heights[one] - heights[two]);
  const places = [...heights];
  order.forEach((at, index) => {
    if (index > 0) places[at] = Math.max(places[at], places[order[index - 1]] + APART);
  });
  const lowest = WEEKLY.height - WEEKLY.bottom;
  order.toReversed().forEach((at, index, turned) => {
    places[at] = Math.min(places[at], index === 0 ? lowest : places[turned[index - 1]] - APART);
  });
  return places;
}
