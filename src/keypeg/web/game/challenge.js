/** What a challenge means, for the confirmation dialog. Loaded on demand, to keep the page small. */

import { cannotBeRight, contradiction } from "./contradiction.js";
import { lastGame } from "./table.js";

/**
 * The consequences of a challenge; and proof that it is justified, if the answers contradict each other.
 * @param {import("../wire.js").Table} table
 */
export function challengeTerms(table) {
  const terms = "If an answer is wrong, the game is void and replayed, and you get 3 points. If all are right, nothing happens.";
  const proof = contradiction(table.board, lastGame(table).rows);
  return proof ? `${cannotBeRight(proof.rows)}: no code fits. ${terms}` : terms;
}
