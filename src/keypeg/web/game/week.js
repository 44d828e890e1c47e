/** Days and weeks where the player is. A week begins on Monday. */

const DAY_MS = 86_400_000;
/** The first of January 1970 was a Thursday. */
const MONDAY = 3;

/**
 * The number of the week of a time, counted from 1970.
 * @param {number} at
 */
export function weekOf(at) {
  return Math.floor((dayNumber(at) + MONDAY) / 7);
}

/**
 * The Monday of a week, as in 2026-11-16.
 * @param {number} week
 */
export function mondayOf(week) {
  return new Date((week * 7 - MONDAY) * DAY_MS).toISOString().slice(0, 10);
}

/**
 * The day of a time, as in 2026-11-18.
 * @param {number} at
 */
export function dayOf(at) {
  return new Date(dayNumber(at) * DAY_MS).toISOString().slice(0, 10);
}

/** @param {number} at */
function dayNumber(at) {
  return Math.floor((at - new Date(at).getTimezoneOffset() * 60_000) / DAY_MS);
}
