/** The solver's rating of rows, asked for again if there was no time for all of them. */

import { askRating, Problem } from "./api.js";
import { patiently } from "./patience.js";

const MOST_ATTEMPTS = 4;

/**
 * @param {string} board
 * @param {import("../game/analysis.js").AnsweredRow[]} rows
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("../wire.js").Rating>} of as many rows as there was time for in the end
 */
export async function completeRating(board, rows, signal) {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === MOST_ATTEMPTS;
    try {
      const rating = await patiently(() => {
        signal?.throwIfAborted();
        return askRating(board, rows);
      });
      if (rating.complete || isLast) return rating;
    } catch (problem) {
      if (isLast || !(problem instanceof Problem && problem.code === "took-too-long")) throw problem;
    }
  }
}
