/** A finished game as a grid of key pegs, which does not reveal the code. */

import { describeBoard } from "./board.js";
import { situation } from "./situation.js";

/** @typedef {import("../wire.js").Table} Table */

const DARK = { classic: "⚫", advanced: "🔴" };

/**
 * @param {Table} table
 * @returns {string}
 */
export function emojiGrid(table) {
  const { game } = situation(table);
  const dark = table.board.colours <= 6 ? DARK.classic : DARK.advanced;
  const needed = game.ending === "broken" ? game.rows.length : "–";
  const lines = game.rows.map(({ black, white }) => {
    if (black === null || white === null) return "⌛";
    return dark.repeat(black) + "⚪".repeat(white) + "▫️".repeat(table.board.holes - black - white);
  });
  return [`keypeg ${needed}/${table.board.rows} (${describeBoard(table.board)})`, ...lines].join("\n");
}
