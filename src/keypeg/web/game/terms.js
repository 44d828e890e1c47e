/** What is agreed at a table, in words for somebody who is invited to it. */

import { counted, darkKeyPeg, describeBoard } from "./board.js";

/** @typedef {import("../wire.js").Table} Table */

/** @type {Record<import("../wire.js").KeyPegMode, string>} */
const KEY_PEGS = {
  referee: "Placed automatically, always right",
  checked: "Placed by the maker; mistakes are refused",
  "by-hand": "Placed by the maker; wrong answers can be challenged",
};
/** @type {Record<import("../wire.js").Scoring, string>} */
const SCORINGS = { rows: "The maker gets a point for each row", "key-pegs": "The maker gets a point for each key peg" };
/** @type {Record<string, string>} */
const TITLES = { classic: "Classic", "classic-blanks": "Classic with blanks", advanced: "Advanced", "advanced-blanks": "Advanced with blanks" };

/**
 * The terms of a table, each with its name.
 * @param {Table} table
 * @returns {[string, string][]}
 */
export function termsOf(table) {
  const { board, games_agreed: games, key_pegs: keyPegs, scoring, turn_seconds: turn } = table;
  const facts = describeBoard(board);
  return [
    ["Board", TITLES[board.name] ? `${TITLES[board.name]}: ${facts}` : facts],
    ["Series", `${games} games; you swap roles after each`],
    ["Key pegs", KEY_PEGS[keyPegs]],
    ["Points", SCORINGS[scoring]],
    ["Time", turn === null ? "No limit" : `${duration(turn)} for each turn`],
  ];
}

/**
 * The rules in a few sentences.
 * @param {Table} table
 * @returns {string[]}
 */
export function howToPlay({ board, scoring }) {
  const dark = darkKeyPeg(board);
  return [
    `One of you hides a row of ${board.holes} coloured pegs. The other has ${board.rows} rows to find it.`,
    `Key pegs answer each row. ${dark[0].toUpperCase()}${dark.slice(1)}: right colour, right hole. White: right colour, wrong hole.`,
    `Then you swap. Whoever ${scoring === "rows" ? "needed fewer rows" : "scores more points"} wins.`,
  ];
}

/** @param {number} seconds */
export function duration(seconds) {
  return seconds % 60 ? counted(seconds, "second") : counted(seconds / 60, "minute");
}
