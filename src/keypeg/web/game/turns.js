/** Whose turn it is in one's own open games: what is shown of each, and their order. */

/** @typedef {import("../wire.js").Turn} Turn */

/**
 * What is shown of an open game: a table or a match.
 * @typedef {object} OpenGame
 * @property {string} key under which it is stored
 * @property {string} path its page
 * @property {boolean} mine whether it waits for this player
 * @property {string} whose whose turn it is
 * @property {string} about what is played
 * @property {number} since when something last happened there
 * @property {number} now
 * @property {string} moment what changes with each new turn, but not with what is said beside the game
 */

/**
 * What is shown of a table.
 * @param {Turn} turn
 * @param {boolean} isShared whether both players use this device
 * @returns {OpenGame}
 */
export function openTable(turn, isShared) {
  const { id, status, since, now } = turn;
  return {
    key: id,
    path: `/table/${id}`,
    mine: isMine(turn) && !isShared,
    whose: isShared ? "On this device" : whoseTurn(turn),
    about: aboutTable(turn),
    since,
    now,
    moment: [status.number, status.phase, status.rematch, status.score_line.one, status.score_line.two].join(" "),
  };
}

/**
 * Whether a table waits for this player.
 * @param {Turn} turn
 */
export function isMine({ seat, status }) {
  if (!seat) return false;
  return status.waits_for === seat || (status.rematch !== null && status.rematch !== seat);
}

/**
 * Open games in the order in which they are shown: those that wait for this player, then the latest changed.
 * @param {readonly OpenGame[]} games
 */
export function inOrder(games) {
  return [...games].sort((one, two) => Number(two.mine) - Number(one.mine) || two.since - one.since);
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
