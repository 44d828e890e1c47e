/** The daily code without page or network: streaks, countdowns, and results to share. */

import { resultText } from "./grid.js";

/** @typedef {import("../wire.js").DailyView} DailyView */

/** How many days in a row may be missed. */
const FORGIVEN = 1;

/**
 * How many days were played up to today, by their numbers. One missed day is forgiven, two in a row
 * are not; today is not missed until it is over. As in keypeg.daily.streak.
 * @param {readonly number[]} done
 * @param {number} today
 */
export function streak(done, today) {
  const played = new Set(done.filter((number) => number <= today));
  let length = 0;
  let missed = 0;
  for (let number = played.has(today) ? today : today - 1; missed <= FORGIVEN; number -= 1) {
    if (played.has(number)) {
      length += 1;
      missed = 0;
    } else missed += 1;
  }
  return length;
}

/**
 * Where a code is played. Today's needs no date, so that its address is the same every day.
 * @param {string} board
 * @param {string | null} date
 */
export function dailyAddress(board, date) {
  const query = [board !== "classic" && `board=${board}`, date && `date=${date}`].filter(Boolean);
  return `/daily${query.length ? "?" : ""}${query.join("&")}`;
}

/**
 * A result in words, for a heading: "Broken in 5 rows".
 * @param {number} rows the rows that were needed; 0 if it was not broken
 */
export function resultWords(rows) {
  if (rows === 0) return "Not broken";
  return `Broken in ${rows} row${rows === 1 ? "" : "s"}`;
}

/**
 * The text that is shared: words, then key pegs as emoji, without the code. As in keypeg.daily.sharing.
 * @param {DailyView} day
 * @param {string} link
 */
export function shareText({ number, board, rows }, link) {
  const broken = rows.at(-1)?.black === board.holes;
  const needed = broken ? `${rows.length} row${rows.length === 1 ? "" : "s"}` : `not broken in ${board.rows} rows`;
  const name = board.name === "classic" ? "keypeg daily" : `keypeg daily ${board.name}`;
  return resultText(`${name} ${number}: ${needed}`, board, rows, link);
}

/**
 * A time that is left, as hours, minutes and seconds.
 * @param {number} milliseconds
 */
export function clockWords(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/**
 * A day in words: "Wednesday, 18 November 2026".
 * @param {string} date
 */
export function dayWords(date) {
  return new Date(`${date}T00:00Z`).toLocaleDateString("en-GB", { timeZone: "UTC", weekday: "long", day: "numeric", month: "long", year: "numeric" });
}

/**
 * The days before a day, the latest first.
 * @param {string} date
 * @param {string} first the first of all days
 * @param {number} most
 */
export function daysBefore(date, first, most) {
  const days = Array.from({ length: most }, (_, at) => new Date(Date.parse(date) - (at + 1) * 86_400_000).toISOString().slice(0, 10));
  return days.filter((day) => day >= first);
}
