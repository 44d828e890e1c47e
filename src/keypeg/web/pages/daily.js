/** The daily code: playing it, what is shown when it is done, the next code, and the archive. */

import { PRESETS } from "../game/board.js";
import { clockWords, dayWords, daysBefore, resultWords } from "../game/daily.js";
import { Problem, sentence } from "../live/api.js";
import { readDay, readDays } from "../live/daily.js";
import { allResults, keepResult } from "../live/dailyresults.js";
import { DailyGame } from "../view/dailygame.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";

/** @typedef {import("../wire.js").DailyDays} DailyDays */
/** @typedef {import("../wire.js").DailyView} DailyView */

const BOARDS = /** @type {const} */ (["classic", "advanced"]);
const TITLES = { classic: "Classic", advanced: "Advanced" };
const LISTED = 14;

/**
 * The address of a day; today's has no date, so that it is the same every day.
 * @param {string} board
 * @param {string | null} date
 */
function addressOf(board, date) {
  const query = [board !== "classic" && `board=${board}`, date && `date=${date}`].filter(Boolean);
  return `/daily${query.length ? "?" : ""}${query.join("&")}`;
}

/**
 * @param {DailyDays} days
 * @param {DailyView} day
 */
function heading(days, day) {
  const date = day.date === days.today.date ? null : day.date;
  const links = BOARDS.map((board) => {
    const here = board === day.board.name ? "page" : null;
    return element("a", { class: "button", href: addressOf(board, date), "aria-current": here }, TITLES[board]);
  });
  return element(
    "div",
    { class: "day" },
    element("p", { class: "lead" }, element("strong", {}, `No. ${day.number}`), ` · ${dayWords(day.date)}${date ? " · archive" : ""}`),
    element("nav", { class: "buttons", "aria-label": "Board" }, ...links),
  );
}

/**
 * The time to the next code, and a link once it is there. A game that is being played stays.
 * @param {DailyDays} days
 * @param {string} board
 */
function nextCode(days, board) {
  const left = element("span", { role: "timer" });
  const place = element("p", { class: "next" }, "The next code comes in ", left, ", at midnight in UTC.");
  const ends = performance.now() + days.next - days.now;
  const tick = () => {
    left.textContent = clockWords(ends - performance.now());
    if (performance.now() < ends) return;
    clearInterval(timer);
    place.replaceChildren(element("a", { class: "button primary", href: addressOf(board, null) }, "Play the new code"));
  };
  const timer = setInterval(tick, 1000);
  tick();
  return place;
}

/**
 * @param {DailyDays} days
 * @param {string} board
 */
function archive(days, board) {
  const results = allResults(board);
  const items = daysBefore(days.today.date, days.first, LISTED).map((date, index) => {
    const number = days.today.number - index - 1;
    const result = results[number];
    return element(
      "li",
      {},
      element("a", { href: addressOf(board, date) }, `No. ${number}, ${date}`),
      element("span", {}, result === undefined ? "" : resultWords(result)),
    );
  });
  const choose = element("input", { type: "date", id: "date", min: days.first, max: days.today.date, required: true });
  const go = (/** @type {Event} */ event) => {
    event.preventDefault();
    location.assign(addressOf(board, choose.value === days.today.date ? null : choose.value));
  };
  return element(
    "details",
    {},
    element("summary", {}, "Earlier codes"),
    element("p", {}, "Earlier codes can be played too. They do not count: neither for everybody's results nor for your streak."),
    element("ul", { class: "archive" }, ...items),
    element(
      "form",
      { class: "buttons", onsubmit: go },
      element("label", { for: "date" }, "Another day"),
      choose,
      element("button", {}, "Go there"),
    ),
  );
}

/**
 * @param {DailyView} day
 */
function sealed(day) {
  const words = "This seal was published before the day began. It fixes the code without telling it; when you are done, this page verifies it.";
  return element(
    "details",
    {},
    element("summary", {}, "The seal of this code"),
    element("p", {}, words),
    element("p", {}, element("code", { class: "digest" }, day.seal)),
  );
}

/**
 * @param {DailyDays} days
 * @param {DailyView} day
 */
function show(days, day) {
  setUpLook(day.board);
  document.title = `No. ${day.number} · The daily code · keypeg`;
  const place = find("#daily");
  const isToday = day.date === days.today.date;
  const game = new DailyGame(day, { today: isToday ? days.today.number : null, done: keepResult });
  place.replaceChildren(
    heading(days, day),
    game.element,
    element("section", { class: "stack more", "aria-label": "More" }, nextCode(days, day.board.name), sealed(day), archive(days, day.board.name)),
  );
}

/** Load the day of the address, and show it; on failure say why, with a way to try again. */
async function start() {
  setUpLook(PRESETS[0]);
  const asked = new URLSearchParams(location.search);
  const board = BOARDS.find((name) => name === asked.get("board")) ?? "classic";
  try {
    const days = await readDays();
    show(days, await readDay(asked.get("date") || days.today.date, board));
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    find("#daily").replaceChildren(
      element("p", { class: "wrong", role: "alert" }, sentence(problem.message)),
      element("div", { class: "buttons" }, element("a", { class: "button primary", href: addressOf(board, null) }, "Today's code")),
    );
  }
}

start();
