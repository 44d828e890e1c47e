/** Rows of pegs, for pages and dialogs other than the table. */

import { describeCode, shortCode } from "../game/code.js";
import { describeKeyPegs } from "../game/keypegs.js";
import { element } from "./element.js";
import { keyCluster, pegElement } from "./peg.js";

/** @typedef {import("../wire.js").Board} Board */

/**
 * A row of pegs with its key pegs, as an image with a text alternative.
 * @param {string} label
 * @param {readonly number[]} code
 * @param {{ black: number, white: number } | null} keys
 * @param {Board} board
 * @param {string} [shown] what is shown of the label, where there is little room
 */
export function strip(label, code, keys, board, shown = label) {
  const words = keys ? `. ${describeKeyPegs(keys, board)}` : "";
  return element(
    "div",
    { class: "strip", role: "img", "aria-label": `${label}: ${describeCode(code, board)}${words}` },
    element("span", {}, shown),
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

/**
 * A code in a list: two letters for each peg are shown, and the names of the colours are read.
 * @param {readonly number[]} code
 * @param {Board} board
 */
export function codeItem(code, board) {
  const shown = element("span", { "aria-hidden": "true" }, shortCode(code, board));
  return element("li", {}, shown, element("span", { class: "spoken" }, describeCode(code, board)));
}
