/** The outcome of a game or series: how it ended, the points, wrong answers, and sharing. */

import { wrongAnswers } from "../game/rowwords.js";
import { awaited, ending, pointsLine, rematchOffer } from "../game/sentences.js";
import { situation } from "../game/situation.js";
import { sentence } from "../live/api.js";
import { element } from "./element.js";
import { announce } from "./status.js";

/** @typedef {import("../wire.js").Table} Table */

/**
 * @param {Table} table
 * @returns {HTMLElement | null} null until the game is over
 */
export function outcome(table) {
  const { game, over, finished } = situation(table);
  if (!over || !game.ending) return null;
  const wrong = wrongAnswers(game, table.board);
  const lines = [pointsLine(table, game), ...wrong.map(({ text }) => text)].filter(Boolean);
  return element(
    "div",
    { class: "outcome" },
    table.status.rematch !== null && element("p", { class: "offer" }, rematchOffer(table, table.status.rematch)),
    awaited(table) !== "" && element("p", { class: "offer" }, awaited(table)),
    finished && element("p", {}, sentence(ending(table, game))),
    ...lines.map((line) => element("p", {}, line)),
    game.revealed && sealPlace(table.board, game),
    element("div", { class: "buttons" }, reviewLink(table), recordLink(table), shareButton(table), gamesLink(table)),
  );
}

/**
 * Whether the code was fixed from the start. Loaded on demand, to keep the page small.
 * @param {import("../wire.js").Board} board
 * @param {import("../wire.js").Game} game
 */
function sealPlace(board, game) {
  const place = element("p", { class: "seal" });
  import("../game/seal.js").then(({ sealLine }) => (place.textContent = sealLine(board, game))).catch(() => place.remove());
  return place;
}

/** @param {Table} table */
function reviewLink(table) {
  const { game } = situation(table);
  const finished = table.games.filter((one) => one.revealed);
  const isAnswered = game.rows.some((row) => row.black !== null);
  if (!game.revealed || !isAnswered) return null;
  const number = finished.indexOf(game) + 1;
  return element("a", { class: "button", href: `/review?table=${table.id}&game=${number}` }, "Review this game");
}

/** @param {Table} table */
function recordLink(table) {
  const href = `/api/tables/${table.id}/record`;
  return table.status.result && element("a", { class: "button", href, download: "keypeg-record.txt" }, "Record");
}

/** A finished series is listed there, and counts. @param {Table} table */
function gamesLink(table) {
  if (!table.status.result || !table.seat) return null;
  return element("span", { class: "buttons" }, element("a", { class: "button", href: "/games" }, "My games"), element("a", { class: "button", href: "/progress" }, "Progress"));
}

/** @param {Table} table */
function shareButton(table) {
  const button = element(
    "button",
    {
      type: "button",
      onclick: async () => {
        // Loaded on demand, to keep the page small.
        const [{ emojiGrid }, { copied }] = await Promise.all([import("../game/share.js"), import("./invitation.js")]);
        button.textContent = (await copied(emojiGrid(table))) ? "Copied, without spoilers" : "Could not copy";
        announce(`${button.textContent}.`);
      },
    },
    "Copy the result to share",
  );
  return button;
}
