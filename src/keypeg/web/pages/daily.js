/** The daily code: playing it, what is shown when it is done, the next code, and the archive. */

import { PRESETS } from "../game/board.js";
import { clockWords, dailyAddress, dayWords, daysBefore, resultWords } from "../game/daily.js";
import { Problem, sentence } from "../live/api.js";
import { readDay, readDays } from "../live/daily.js";
import { allResults, begunOn, dateOf, keepBegun, keepResult } from "../live/dailyresults.js";
import { DailyGame } from "../view/dailygame.js";
import { dailyWeek } from "../view/dailyweek.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";

/** @typedef {import("../wire.js").DailyDays} DailyDays */
/** @typedef {import("../wire.js").DailyView} DailyView */

const BOARDS = /** @type {const} */ (["classic", "advanced"]);
const TITLES = { classic: "Classic", advanced: "Advanced" };
const LISTED = 14;

/**
 * @param {DailyDays} days
 * @param {DailyView} day
 */
function heading(days, day) {
  const isToday = day.date === days.today.date;
  const links = BOARDS.map((board) => {
    const here = board === day.board.name ? "page" : null;
    return element("a", { class: "button", href: dailyAddress(board, isToday ? null : day.date), "aria-current": here }, TITLES[board]);
  });
  const today = isToday ? null : element("a", { class: "button", href: dailyAddress(day.board.name, null) }, "Today's code");
  return element(
    "div",
    { class: "day" },
    element("p", { class: "lead" }, element("strong", {}, `No. ${day.number}`), ` · ${dayWords(day.date)}${isToday ? "" : " · archive"}`),
    element("nav", { class: "buttons", "aria-label": "Code" }, today, ...links),
  );
}

/**
 * What this page is about, for those who have not been here before; then their last days.
 * @param {DailyDays} days
 * @param {string} board
 */
function greeting(days, board) {
  const week = dailyWeek(board, days.today.number);
  return week.length ? week : [element("p", {}, "Every day has one code, the same for everybody. Break it in as few rows as you can, then see how everybody did.")];
}

/**
 * Yesterday's code, if it was begun and is not done: until midnight it still counts.
 * @param {DailyDays} days
 * @param {DailyView} day that is shown
 */
function unfinished(days, day) {
  const number = begunOn(day.board.name);
  if (number === null || number !== days.today.number - 1 || number === day.number) return null;
  return element(
    "p",
    { class: "unfinished" },
    "Yesterday's code is not done. It still counts until midnight in UTC. ",
    element("a", { href: dailyAddress(day.board.name, dateOf(number)) }, "Finish it"),
  );
}

/**
 * The time to the next code, and a link once it is there. A game that is being played stays. Some
 * browsers stop their clocks while the device sleeps, so the server is asked again afterwards.
 * @param {DailyDays} days
 * @param {string} board
 */
function nextCode(days, board) {
  const left = element("span", { role: "timer" });
  const here = new Date(days.next).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  const isElsewhere = new Date(days.next).getTimezoneOffset() !== 0;
  const place = element("p", { class: "next" }, "The next code comes in ", left, `, at midnight in UTC${isElsewhere ? `, ${here} where you are` : ""}.`);
  let ends = performance.now() + days.next - days.now;
  const tick = () => {
    left.textContent = clockWords(ends - performance.now());
    if (performance.now() < ends) return;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", wake);
    place.replaceChildren(element("a", { class: "button primary", href: dailyAddress(board, null) }, "Play the new code"));
  };
  const wake = async () => {
    if (document.hidden) return;
    const now = await readDays().catch(() => null);
    if (now) ends = performance.now() + (now.today.date === days.today.date ? now.next - now.now : 0);
    tick();
  };
  const timer = setInterval(tick, 1000);
  document.addEventListener("visibilitychange", wake);
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
      element("a", { href: dailyAddress(board, date) }, `No. ${number}, ${date}`),
      element("span", {}, result === undefined ? "" : resultWords(result)),
    );
  });
  const choose = element("input", { type: "date", id: "date", min: days.first, max: days.today.date, required: true });
  const go = (/** @type {Event} */ event) => {
    event.preventDefault();
    location.assign(dailyAddress(board, choose.value === days.today.date ? null : choose.value));
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
  const board = day.board.name;
  const next = nextCode(days, board);
  const greet = element("div", { class: "stack greeting" }, ...greeting(days, board));
  const done = (/** @type {DailyView} */ played) => {
    keepResult(played);
    greet.replaceChildren(...greeting(days, board));
  };
  const game = new DailyGame(day, { begun: keepBegun, done, next: day.date === days.today.date ? next : null });
  const more = element("section", { class: "stack more", "aria-label": "More" }, unfinished(days, day), greet, next, sealed(day), archive(days, board));
  find("#daily").replaceChildren(heading(days, day), game.element, element("div", { class: "stack side" }, game.details, more));
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
      element("div", { class: "buttons" }, element("a", { class: "button primary", href: dailyAddress(board, null) }, "Today's code")),
    );
  }
}

start();
