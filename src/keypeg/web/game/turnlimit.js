/** The turn limit that players agree on during a series, in words. */

import { nameOf } from "./sentences.js";
import { other } from "./table.js";
import { duration } from "./terms.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").TableEvent} TableEvent */

/**
 * @param {number | null} seconds
 * @returns {string}
 */
export function limitWords(seconds) {
  return seconds === null ? "no time limit" : `${duration(seconds)} for each turn`;
}

/**
 * What the panel says about the turn limit: what is proposed, or agreed and not yet in force.
 * @param {Table} table
 */
export function limitLine(table) {
  const { proposal, limit, next_limit: next, result } = table.status;
  if (result) return "";
  if (proposal && proposal.seat === table.seat) return `You propose ${limitWords(proposal.seconds)}. ${nameOf(table, other(proposal.seat))} has not replied yet.`;
  if (proposal) return `${nameOf(table, proposal.seat)} proposes ${limitWords(proposal.seconds)}, from the next turn.`;
  return limit === next ? "" : `From the next turn: ${limitWords(next)}.`;
}

/**
 * What is announced when somebody says something about the turn limit.
 * @param {Table} table
 * @param {TableEvent} event
 * @returns {string}
 */
export function limitAnnouncement(table, event) {
  switch (event.type) {
    case "limit-proposed": {
      const seat = event.role === "maker" ? table.status.maker : other(table.status.maker);
      const who = seat === table.seat ? "You propose" : `${nameOf(table, seat)} proposes`;
      return `${who} ${limitWords(event.seconds)}, from the next turn.`;
    }
    case "limit-accepted":
      return `Agreed: ${limitWords(event.seconds)}, from the next turn.`;
    case "limit-declined":
      return "The proposed time limit is declined.";
    case "limit-withdrawn":
      return "The proposed time limit is withdrawn.";
    default:
      return "";
  }
}

/**
 * A typed limit in seconds: `3`, `1:30` or `none`. Undefined if it is none of these.
 * @param {string} text
 */
export function parseLimit(text) {
  if (text.toLowerCase() === "none") return null;
  const found = /^(\d{1,4})(?::([0-5]\d))?$/.exec(text);
  return found ? 60 * Number(found[1]) + Number(found[2] ?? 0) : undefined;
}
