/** Reads commands typed into the command box: `guess rrbg`, `last`, `row 2`, `resign`. */

import { parseCode, Refusal } from "./code.js";
import { parseKeyPegs } from "./keypegs.js";

/** @typedef {import("../wire.js").Board} Board */
/**
 * @typedef {{ do: "guess" | "secret", code: number[] }
 *   | { do: "answer", black: number, white: number }
 *   | { do: "row" | "copy", row: number }
 *   | { do: "check" | "last" | "where" | "help" | "challenge" | "next" | "rematch" | "resign" | "hint" }
 *   | { do: "accept-limit" | "decline-limit" | "withdraw-limit" }
 *   | { do: "limit", text: string }} Typed
 */

/** The commands with their explanations, for the help. */
export const COMMANDS = [
  ["guess rrbg", "play a row, in letters, digits or names"],
  ["secret 1524", "set the secret"],
  ["answer 21", "place 2 black and 1 white key pegs"],
  ["last", "hear the last row again"],
  ["row 2", "hear row 2"],
  ["copy 2", "copy row 2 into the row being filled"],
  ["check", "play the row being filled"],
  ["where", "hear whose turn it is, and the score"],
  ["hint", "ask for a hint"],
  ["challenge", "claim that an answer is wrong"],
  ["next", "go on to the next game"],
  ["rematch", "offer another series"],
  ["limit 3", "propose a limit of 3 minutes for each turn; also 1:30 or none"],
  ["accept", "accept the proposed time limit; also decline, or withdraw your own"],
  ["resign", "give up this game"],
];

const PLAIN = ["check", "last", "where", "help", "challenge", "next", "rematch", "resign", "hint"];
const REPLIES = ["accept", "decline", "withdraw"];

/**
 * @param {string} text
 * @param {Board} board
 * @returns {Typed}
 */
export function parseCommand(text, board) {
  const [, word, rest] = /^\s*(\S*)\s*(.*)$/.exec(text) ?? ["", "", ""];
  const verb = word.toLowerCase();
  if (verb === "guess" || verb === "secret") return { do: verb, code: parseCode(rest, board) };
  if (verb === "answer") return { do: "answer", ...parseKeyPegs(rest, board) };
  if ((verb === "row" || verb === "copy") && /^\d+$/.test(rest)) return { do: verb, row: Number(rest) };
  if (verb === "limit") return { do: verb, text: rest };
  if (REPLIES.includes(verb)) return /** @type {Typed} */ ({ do: `${verb}-limit` });
  if (PLAIN.includes(verb)) return /** @type {Typed} */ ({ do: verb });
  throw new Refusal(`“${text.trim()}” is not a command; try ${COMMANDS.slice(0, 5).map(([name]) => name).join(", ")}.`);
}
