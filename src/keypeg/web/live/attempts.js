/** What daily codes and contests share: requests of the holder of a token, which this browser has as a cookie. */

import { post, Problem, randomBits } from "./api.js";

const PAUSES_MS = [200, 600, 1500];

/**
 * Have something done that the server does once, however often it is asked. A request without an answer is
 * sent again. Before the first, this browser gets a token as a cookie, which scripts cannot read, or keeps
 * the one it has.
 * @param {string} tokens where there are tokens for this
 * @param {string} path
 * @param {object} body
 * @param {boolean} hasToken whether this browser is known to have one
 * @returns {Promise<any>} the server's answer; its type is given by the callers
 */
export async function postAsHolder(tokens, path, body, hasToken) {
  const retry = randomBits();
  let known = hasToken;
  for (let attempt = 0; ; attempt += 1) {
    try {
      if (!known) await post(tokens, { retry });
      known = true;
      return await post(path, body);
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
