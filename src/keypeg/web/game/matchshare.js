/** The result of a race or a duel as a text to share, which does not reveal the code. */

import { resultText } from "./grid.js";
import { result } from "./matchwords.js";

/** @typedef {import("../wire.js").MatchView} MatchView */

/**
 * How it ended, and the key pegs of one player.
 * @param {MatchView} match
 * @param {import("../wire.js").MatchPlayer} player
 */
export function sharedResult(match, player) {
  const rows = (player.rows ?? []).flatMap(({ black, white }) => (black === null || white === null ? [] : [{ black, white }]));
  return resultText(`keypeg ${match.kind}: ${result({ ...match, you: null })}`, match.board, rows);
}
