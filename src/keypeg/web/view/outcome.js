/** What is said when a game or a series is over: how it ended, the points, wrong answers, sharing. */

import { emojiGrid } from "../game/share.js";
import { sealHolds } from "../game/seal.js";
import { ending, pointsLine, wrongAnswers } from "../game/sentences.js";
import { situation } from "../game/situation.js";
import { element } from "./element.js";
import { copied } from "./invitation.js";

/** @typedef {import("../wire.js").Table} Table */

/**
 * @param {Table} table
 * @returns {HTMLElement | null} null while the game is on
 */
export function outcome(table) {
  const { game, over, finished } = situation(table);
  if (!over || !game.ending) return null;
  const wrong = wrongAnswers(game, table.board);
  const lines = [pointsLine(table, game), ...wrong.map(({ text }) => text)].filter(Boolean);
  return element(
    "div",
    { class: "outcome" },
    finished && element("p", {}, `${ending(table, game)}.`),
    ...lines.map((line) => element("p", {}, line)),
    element("p", { class: "seal" }, sealLine(table)),
    shareButton(table),
  );
}

/** @param {Table} table */
function sealLine(table) {
  const { game } = situation(table);
  if (!game.revealed || !game.seal) return "";
  return sealHolds(table.board, game)
    ? "✓ The seal holds: the code was never changed."
    : "✗ The seal does not hold: this is not the code that was sealed.";
}

/** @param {Table} table */
function shareButton(table) {
  const button = element(
    "button",
    {
      type: "button",
      onclick: async () => {
        button.textContent = (await copied(emojiGrid(table))) ? "Copied: no spoilers in it" : "Could not copy";
      },
    },
    "Copy the result to share",
  );
  return button;
}
