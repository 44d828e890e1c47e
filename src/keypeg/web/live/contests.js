/** Contests: what is asked of the server. */

import { get, randomBits } from "./api.js";
import { postAsHolder } from "./attempts.js";

/** @typedef {import("../wire.js").ContestView} ContestView */
/** @typedef {import("../wire.js").ContestResults} ContestResults */

const TOKENS = "/api/contests/tokens";

/**
 * Make a contest. The same id makes it once.
 * @param {{ id: string, board: string, codes: number[][] | null, count: number, name: string | null, seconds: number | null, computers: string[] }} wanted
 * @returns {Promise<ContestView>}
 */
export const createContest = (wanted) => postAsHolder(TOKENS, "/api/contests", wanted, false);

/**
 * @param {string} id
 * @returns {Promise<ContestView>}
 */
export const readContest = (id) => get(`/api/contests/${id}`);

/**
 * Enter, or take another name.
 * @param {string} id
 * @param {string | null} name
 * @returns {Promise<ContestView>}
 */
export const enterContest = (id, name) => postAsHolder(TOKENS, `/api/contests/${id}/entrants`, { name }, false);

/**
 * Only watch: see the codes at once, and never enter.
 * @param {string} id
 * @returns {Promise<ContestView>}
 */
export const watchContest = (id) => postAsHolder(TOKENS, `/api/contests/${id}/spectators`, {}, false);

/**
 * Guess. The server answers the same id once.
 * @param {string} id
 * @param {number} number
 * @param {number[]} code
 * @returns {Promise<{ row: number, contest: ContestView }>}
 */
export const guessContest = (id, number, code) =>
  postAsHolder(TOKENS, `/api/contests/${id}/codes/${number}/guesses`, { id: randomBits(), code }, true);

/**
 * @param {string} id
 * @param {number} number
 * @returns {Promise<ContestResults>}
 */
export const readResults = (id, number) => get(`/api/contests/${id}/codes/${number}/results`);

/**
 * @param {string} id
 * @returns {Promise<ContestResults>}
 */
export const readStanding = (id) => get(`/api/contests/${id}/standing`);

/**
 * @param {string} id
 * @param {number} number
 * @param {number} entrant
 * @returns {Promise<import("../wire.js").EntrantRows>}
 */
export const readRows = (id, number, entrant) => get(`/api/contests/${id}/codes/${number}/entrants/${entrant}`);
