/** Daily codes: what is asked of the server. */

import { get, randomBits } from "./api.js";
import { postAsHolder } from "./attempts.js";

/** @typedef {import("../wire.js").DailyView} DailyView */

/** @returns {Promise<import("../wire.js").DailyDays>} */
export const readDays = () => get("/api/daily");

/**
 * @param {string} date
 * @param {string} board
 * @returns {Promise<DailyView>}
 */
export const readDay = (date, board) => get(`/api/daily/${date}/${board}`);

/**
 * Guess. The server answers the same id once.
 * @param {DailyView} day
 * @param {number[]} code
 * @returns {Promise<{ row: number, day: DailyView }>}
 */
export function guessDaily({ date, board, rows }, code) {
  const path = `/api/daily/${date}/${board.name}/guesses`;
  return postAsHolder("/api/daily/tokens", path, { id: randomBits(), code }, rows.length > 0);
}
