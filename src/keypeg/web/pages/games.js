/** My games: the finished series of this browser, with a histogram for each board. They can be exported and deleted. */

import { PRESETS } from "../game/board.js";
import { lastTable } from "../live/lasttable.js";
import { forgetSeries, histograms, keptSeries, reviewAddress } from "../live/mygames.js";
import { confirmed } from "../view/dialog.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { noGames } from "../view/nogames.js";
import { storageNotice } from "../view/storagenotice.js";

/** @typedef {import("../live/mygames.js").KeptSeries} KeptSeries */

const RESULTS = { won: "Won", lost: "Lost", tied: "Tie" };

function show() {
  const series = keptSeries();
  find("#games").replaceChildren(element("div", { class: "stack" }, storageNotice(), ...current(), series.length ? safeStorage(series) : noGames(), ways()));
}

/** What the games lead to. */
function ways() {
  return element(
    "nav",
    { class: "buttons", "aria-label": "From here" },
    element("a", { class: "button", href: "/tables" }, "My tables"),
    element("a", { class: "button", href: "/mistakes" }, "My mistakes"),
    element("a", { class: "button", href: "/progress" }, "Progress"),
  );
}

/** The game that is still being played. */
function current() {
  const open = lastTable();
  return open ? [element("div", { class: "buttons" }, element("a", { class: "button primary", href: `/table/${open}` }, "Continue your game"))] : [];
}

/** @param {KeptSeries[]} series */
function safeStorage(series) {
  return element("div", { class: "stack" }, table(series), ...histogramSections(series), buttons(series));
}

/** @param {KeptSeries[]} series */
function table(series) {
  const head = ["When", "Against", "Board", "Result", "Points", "Rows"].map((name) => element("th", { scope: "col" }, name));
  const rows = series.map((one) =>
    element(
      "tr",
      {},
      element("td", {}, when(one)),
      element("td", {}, one.opponent),
      element("td", {}, one.board),
      element("td", {}, RESULTS[one.result]),
      element("td", {}, `${one.mine} to ${one.theirs}`),
      element("td", {}, one.rows.map((needed) => needed ?? "–").join(", ")),
    ),
  );
  return element(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Finished series" },
    element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)),
  );
}

/**
 * The date, which leads to the review.
 * @param {KeptSeries} one
 */
function when(one) {
  const date = new Date(one.at).toLocaleDateString();
  const href = reviewAddress(one);
  return href ? element("a", { href, "aria-label": `${date}: review the series against ${one.opponent}` }, date) : date;
}

/** @param {KeptSeries[]} series */
function histogramSections(series) {
  return [...histograms(series)].map(([board, counts]) => {
    const most = Math.max(...counts.values());
    const needed = [...counts.keys()].sort((one, two) => (one ?? 99) - (two ?? 99));
    const bars = needed.map((rows) => bar(rows === null ? "not broken" : `${rows} row${rows === 1 ? "" : "s"}`, counts.get(rows) ?? 0, most));
    return element("section", { class: "stack" }, element("h2", {}, `Rows needed: ${board}`), element("div", { class: "bars" }, ...bars));
  });
}

/**
 * @param {string} label
 * @param {number} count
 * @param {number} most
 */
function bar(label, count, most) {
  const fill = element("span", { class: "bar-fill" });
  fill.style.setProperty("--part", String(count / most));
  return element("div", {}, element("span", {}, label), fill, element("span", {}, String(count)));
}

/** @param {KeptSeries[]} series */
function buttons(series) {
  const file = new Blob([JSON.stringify(series, null, 2)], { type: "application/json" });
  const forget = async () => {
    if (!(await confirmed("Delete all?", "This deletes the list and the histograms. It cannot be undone.", "Delete"))) return;
    forgetSeries();
    show();
  };
  return element(
    "div",
    { class: "buttons" },
    element("a", { class: "button", href: URL.createObjectURL(file), download: "keypeg-games.json" }, "Export"),
    element("button", { type: "button", onclick: forget }, "Delete all"),
  );
}

setUpLook(PRESETS[0]);
show();
