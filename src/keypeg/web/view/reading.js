/** What the pages that are read have in common: the look dialog, and rows of pegs as strips. */

import { describeCode } from "../game/code.js";
import { readPreferences } from "../look/preferences.js";
import { element, find } from "./element.js";
import { lookDialog, wear } from "./look.js";
import { keyCluster, pegElement, wearPalette } from "./peg.js";

/** @typedef {import("../wire.js").Board} Board */

/**
 * Furnish a page whose pegs are those of a board.
 * @param {Board} board
 */
export function furnish(board) {
  wear(readPreferences());
  const dress = () => wearPalette(document.body, board, readPreferences().colours);
  dress();
  const look = lookDialog(board, dress);
  find("#look").addEventListener("click", () => look.showModal());
}

/**
 * A row of pegs with its key pegs, as an image with words.
 * @param {string} label
 * @param {readonly number[]} code
 * @param {{ black: number, white: number } | null} keys
 * @param {Board} board
 */
export function strip(label, code, keys, board) {
  const words = keys ? `. ${keys.black} black, ${keys.white} white` : "";
  return element(
    "div",
    { class: "strip", role: "img", "aria-label": `${label}: ${describeCode(code, board)}${words}` },
    element("span", {}, label),
    pegRow(code, board),
    keys ? keyCluster(keys, board) : element("span", {}),
  );
}

/**
 * @param {readonly number[]} code
 * @param {Board} board
 */
export function pegRow(code, board) {
  const holes = code.map((peg) => element("span", { class: "hole" }, pegElement(peg, board)));
  return element("span", { class: "pegs", "aria-hidden": "true" }, ...holes);
}
