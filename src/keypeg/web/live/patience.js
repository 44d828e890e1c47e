/** Repeats requests to a solver that is busy or still starting. */

import { Problem } from "./api.js";

const MOST_ATTEMPTS = 20;
const ATTEMPT_MS = 4000;

/**
 * Repeat a request while the solver is busy.
 * @template Answer
 * @param {() => Promise<Answer>} ask
 * @returns {Promise<Answer>}
 */
export async function patiently(ask) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (problem) {
      const busy = problem instanceof Problem && problem.code === "busy";
      if (!busy || attempt === MOST_ATTEMPTS) throw problem;
      await new Promise((resolve) => setTimeout(resolve, ATTEMPT_MS));
    }
  }
}
