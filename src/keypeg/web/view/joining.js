/** What an invited guest sees while a seat is free: who invites, what is played, how, and the seat. */

import { DEFAULT_NAMES, whyInvalidName } from "../game/names.js";
import { nameOf } from "../game/sentences.js";
import { howToPlay, termsOf } from "../game/terms.js";
import { readPreferences } from "../look/preferences.js";
import { element } from "./element.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").Seat} Seat */

/**
 * @param {Table} table
 * @param {(name: string) => void} sit
 */
export function joining(table, sit) {
  const seat = freeSeat(table);
  const name = element("input", {
    id: "name",
    maxlength: 32,
    value: readPreferences().name,
    placeholder: DEFAULT_NAMES[seat],
    autocomplete: "nickname",
    "aria-describedby": "name-problem",
  });
  const problem = element("p", { class: "wrong", id: "name-problem", role: "alert" });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const why = whyInvalidName(name.value);
    problem.textContent = why ?? "";
    if (!why) sit(name.value.trim());
  };
  return element(
    "form",
    { class: "card joining", onsubmit: submit },
    element("p", {}, firstTask(table, seat)),
    element("div", { class: "seat" }, element("label", { for: "name" }, "Your name"), name, element("button", { class: "primary" }, "Sit down and play")),
    problem,
    element("dl", { class: "pairs" }, ...termsOf(table).flatMap(([term, words]) => [element("dt", {}, term), element("dd", {}, words)])),
    element("details", {}, element("summary", {}, "How to play"), ...howToPlay(table).map((words) => element("p", {}, words))),
  );
}

/** @param {Table} table */
export function freeSeat(table) {
  return table.one.taken ? "two" : "one";
}

/**
 * What the guest does in the first game.
 * @param {Table} table
 * @param {Seat} seat
 */
function firstTask(table, seat) {
  const host = seat === "one" ? "two" : "one";
  const other = table[host].taken ? nameOf(table, host) : "your opponent";
  return table.status.maker === seat ? `You hide the first code, and ${other} guesses it.` : `You guess first: ${other} hides the code.`;
}
