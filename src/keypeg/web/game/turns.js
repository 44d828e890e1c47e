/** Whose turn it is at one's own tables: what is shown of each, and their order. */

/** @typedef {import("../wire.js").Turn} Turn */

/**
 * Whether a table waits for this player.
 * @param {Turn} turn
 */
export function isMine({ seat, status }) {
  if (!seat) return false;
  return status.waits_for === seat || (status.rematch !== null && status.rematch !== seat);
}

/**
 * The tables in the order in which they are shown: those that wait for this player, then the latest changed.
 * @param {readonly Turn[]} turns
 */
export function inOrder(turns) {
  return [...turns].sort((one, two) => Number(isMine(two)) - Number(isMine(one)) || two.since - one.since);
}

/**
 * Who sits opposite, or will.
 * @param {Turn} turn
 */
export function opponentOf({ seat, one, two }) {
  const other = seat === "one" ? two : one;
  if (!other.taken) return null;
  return other.name ?? (other.level ? `the computer (${other.level})` : "somebody");
}

/**
 * Whose turn it is, in words.
 * @param {Turn} turn
 */
export function whoseTurn(turn) {
  const { status } = turn;
  if (isMine(turn)) return status.waits_for === turn.seat ? "Your turn" : "Another series is offered";
  if (status.stage === "waiting") return "Waiting for somebody to sit down";
  if (status.waits_for === null) return "Either of you can go on";
  return `Waiting for ${opponentOf(turn)}`;
}

/**
 * What is played at a table, in words.
 * @param {Turn} turn
 */
export function aboutTable(turn) {
  const opponent = opponentOf(turn);
  return `${turn.board}, game ${turn.status.number} of ${turn.games_agreed}${opponent ? `, against ${opponent}` : ""}`;
}
