/** Contests without page or network: what things are called. */

import { counted } from "./board.js";
import { clockWords } from "./daily.js";

/** @typedef {import("../wire.js").ContestView} ContestView */
/** @typedef {import("../wire.js").StandingLine} StandingLine */

/** For how long a contest may be open: seconds, and words. @type {[number, string][]} */
export const DURATIONS = [
  [0, "Without end"],
  [3600, "1 hour"],
  [86_400, "1 day"],
  [3 * 86_400, "3 days"],
  [7 * 86_400, "1 week"],
  [30 * 86_400, "30 days"],
];

/**
 * What an entrant is called.
 * @param {{ name: string | null, level?: string | null }} entrant
 * @param {number} number
 */
export function entrantName({ name, level }, number) {
  return level ? `Computer (${level})` : (name ?? `Player ${number}`);
}

/**
 * Which computer players have entered; nothing if none has.
 * @param {ContestView} contest
 */
export function computerWords({ computers }) {
  return computers.length ? ` The computer plays too: ${computers.join(", ")}.` : "";
}

/**
 * Who has set the codes, and how many.
 * @param {ContestView} contest
 */
export function invitationWords({ codes, drawn, setter, yours }) {
  const what = codes.length === 1 ? "a code" : counted(codes.length, "code");
  if (drawn) return yours ? `You had the server draw ${what}.` : `${setter ?? "Somebody"} had the server draw ${what}.`;
  return yours ? `You have set ${what}. You know ${codes.length === 1 ? "it" : "them"}, so you cannot play.` : `${setter ?? "Somebody"} has set ${what} for you.`;
}

/**
 * A number of rows in a table: a dash for a code that is not done.
 * @param {number | null} rows
 */
export function rowsWords(rows) {
  if (rows === null) return "–";
  return rows === 0 ? "not broken" : String(rows);
}

/**
 * A loss in guesses, with two decimals.
 * @param {number | null} loss
 * @param {boolean} isComing whether it is still being computed
 */
export function lossWords(loss, isComing) {
  if (loss !== null) return loss.toFixed(2);
  return isComing ? "…" : "–";
}

/** @param {number} seconds */
export function timeWords(seconds) {
  return clockWords(seconds * 1000);
}
