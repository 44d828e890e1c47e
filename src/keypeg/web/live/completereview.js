/** The solver's review of rows, asked for again if there was no time for all of them. */

import { askReview, Problem } from "./api.js";
import { patiently } from "./patience.js";

const MOST_ATTEMPTS = 4;

/**
 * @param {string} board
 * @param {import("../game/analysis.js").AnsweredRow[]} rows
 * @param {AbortSignal} [signal]
 * @returns {Promise<import("../wire.js").Review>} of as many rows as there was time for in the end
 */
export async function completeReview(board, rows, signal) {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === MOST_ATTEMPTS;
    try {
      const review = await patiently(() => {
        signal?.throwIfAborted();
        return askReview(board, rows);
      });
      if (review.complete || isLast) return review;
    } catch (problem) {
      if (isLast || !(problem instanceof Problem && problem.code === "took-too-long")) throw problem;
    }
  }
}
