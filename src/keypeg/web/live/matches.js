/** Races and duels: what is asked of the server. */

import { get, post, Problem, randomBits } from "./api.js";
import { postAsHolder } from "./attempts.js";
import { newId } from "./connection.js";

/** @typedef {import("../wire.js").MatchView} MatchView */
/** @typedef {import("../wire.js").MatchCommand} MatchCommand */
/** A command without its id, which is added here. @template Command @typedef {Command extends unknown ? Omit<Command, "id"> : never} Bare */

const TOKENS = "/api/matches/tokens";
/** The pauses before a command is sent again that the server could not be asked, or could not store. */
const PAUSES_MS = [300, 700, 1500, 2500, 3500];

/**
 * Open a match. The same id opens it once.
 * @param {import("../wire.js").NewMatch} wanted
 * @returns {Promise<MatchView>}
 */
export const openMatch = (wanted) => postAsHolder(TOKENS, "/api/matches", wanted, false);

/**
 * @param {string} id
 * @returns {Promise<MatchView>}
 */
export const readMatch = (id) => get(`/api/matches/${id}`);

/**
 * Join, or take another name before it begins.
 * @param {string} id
 * @param {string | null} name
 * @returns {Promise<MatchView>}
 */
export const joinMatch = (id, name) => postAsHolder(TOKENS, `/api/matches/${id}/players`, { name }, false);

/**
 * @param {string} id
 * @returns {Promise<{ ticket: string }>}
 */
export const askMatchTicket = (id) => post(`/api/matches/${id}/tickets`, {});

/** The random bits with which a new match is opened. */
export const newMatchId = randomBits;

/**
 * Have a command carried out. It keeps its id, and is sent again until the server has answered.
 * @param {string} id of the match
 * @param {Bare<MatchCommand>} command
 * @param {(isStalled: boolean) => void} stalled is told while the server does not answer
 * @returns {Promise<{ seq: number, match: MatchView }>}
 */
export async function commandMatch(id, command, stalled) {
  const body = { ...command, id: newId() };
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await postAsHolder(TOKENS, `/api/matches/${id}/commands`, body, true);
      stalled(false);
      return answer;
    } catch (problem) {
      const isAway = problem instanceof Problem && [0, 502, 503, 504].includes(problem.status);
      stalled(isAway);
      if (!isAway) throw problem;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)]));
  }
}
