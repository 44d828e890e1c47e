/** The dialog in which a player proposes a time limit for each turn. Loaded on demand. */

import { nameOf } from "../game/sentences.js";
import { other } from "../game/table.js";
import { limitWords, parseLimit } from "../game/turnlimit.js";
import { makeDialog } from "./dialog.js";
import { element } from "./element.js";
import { notify } from "./status.js";

/** @typedef {import("../wire.js").Table} Table */

/** The limits to choose from in minutes, those of the rule books first. */
const MINUTES = [3, 4, 1, 2, 5, 10, 15, 30];

/**
 * The limit that was typed, or else is chosen in a dialog.
 * @param {string | undefined} typed
 * @param {Table} table
 * @param {boolean} shared
 * @returns {Promise<{ seconds: number | null } | null>}
 */
export async function limitOf(typed, table, shared) {
  if (typed === undefined) return chosenLimit(table, shared);
  const seconds = parseLimit(typed);
  if (seconds !== undefined) return { seconds };
  notify("A time limit is written as in limit 3, limit 1:30 or limit none.");
  return null;
}

/**
 * @param {Table} table
 * @param {boolean} shared whether both players use this screen, and agree at once
 * @returns {Promise<{ seconds: number | null } | null>} null if nothing is proposed
 */
function chosenLimit(table, shared) {
  return new Promise((resolve) => {
    /** @type {{ seconds: number | null } | null} */
    let chosen = null;
    const offers = [...MINUTES.map((minutes) => 60 * minutes), null].filter((seconds) => seconds !== table.status.next_limit);
    const options = offers.map((seconds) => element("option", { value: seconds ?? "none" }, limitWords(seconds)));
    const select = element("select", { id: "limit-choice", autofocus: true }, ...options);
    const propose = (/** @type {Event} */ event) => {
      event.preventDefault();
      chosen = { seconds: offers[select.selectedIndex] };
      dialog.close();
    };
    const form = element(
      "form",
      { class: "stack", onsubmit: propose },
      element("p", {}, terms(table, shared)),
      element("p", { class: "options" }, element("label", { for: "limit-choice" }, "Time limit"), select),
      element(
        "div",
        { class: "buttons" },
        element("button", { type: "button", onclick: () => dialog.close() }, "Not now"),
        element("button", { class: "primary" }, shared ? "Agree" : "Propose"),
      ),
    );
    const dialog = makeDialog("Propose a time limit", form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(chosen);
    });
    dialog.showModal();
  });
}

/**
 * @param {Table} table
 * @param {boolean} shared
 */
function terms(table, shared) {
  const holds = "holds from the next turn to the end of the series.";
  if (shared || !table.seat) return `If both of you agree, it ${holds}`;
  const opponent = other(table.seat);
  const reply = table[opponent].level === null ? `${nameOf(table, opponent)} can accept or decline` : "The computer always accepts";
  return `${reply}. The limit then ${holds}`;
}
