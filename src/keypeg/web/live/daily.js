/** Daily codes: what is asked of the server. */

import { get, post, Problem, randomBits } from "./api.js";

/** @typedef {import("../wire.js").DailyView} DailyView */

const PAUSES_MS = [200, 600, 1500];

/** @returns {Promise<import("../wire.js").DailyDays>} */
export const readDays = () => get("/api/daily");

/**
 * @param {string} date
 * @param {string} board
 * @returns {Promise<DailyView>}
 */
export const readDay = (date, board) => get(`/api/daily/${date}/${board}`);

/**
 * Guess. A request without an answer is sent again; the server answers the same id once. Before the
 * first guess, this browser gets a token as a cookie, which scripts cannot read, or keeps the one it has.
 * @param {DailyView} day
 * @param {number[]} code
 * @returns {Promise<{ row: number, day: DailyView }>}
 */
export async function guessDaily({ date, board, rows }, code) {
  const [id, retry] = [randomBits(), randomBits()];
  const askToken = () => post("/api/daily/tokens", { retry });
  let known = rows.length > 0;
  for (let attempt = 0; ; attempt += 1) {
    try {
      if (!known) await askToken();
      known = true;
      return await post(`/api/daily/${date}/${board.name}/guesses`, { id, code });
    } catch (problem) {
      const { status, code: kind } = /** @type {Problem} */ (problem);
      const repeats = status === 0 || status === 503 || kind === "not-allowed";
      if (!repeats || attempt === PAUSES_MS.length) throw problem;
      // The cookie may have been deleted in the meantime.
      if (kind === "not-allowed") known = false;
      else await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[attempt]));
    }
  }
}
