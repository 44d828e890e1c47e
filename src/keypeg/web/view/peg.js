/** Elements for code pegs and key pegs. Text for screen readers is added elsewhere. */

import { darkKeyPeg, palette } from "../game/board.js";
import { pegLetter } from "../game/code.js";
import { BLANK } from "../game/colours.js";
import { inkOn, safePalette } from "../look/palettes.js";
import { SHAPES } from "../look/shapes.js";
import { drawing, element } from "./element.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/keypegs.js").KeyPegs} KeyPegs */

/**
 * @param {number} peg
 * @param {Board} board
 * @returns {HTMLElement}
 */
export function pegElement(peg, board) {
  if (peg === BLANK) return element("span", { class: "peg blank", "data-peg": BLANK });
  const { name } = palette(board)[peg - 1];
  const made = element("span", { class: "peg", "data-peg": peg }, drawing(SHAPES[name], "shape"), element("span", { class: "letter" }, pegLetter(peg, board)));
  made.style.setProperty("--fill", `var(--peg-${name})`);
  made.style.setProperty("--letter", `var(--ink-${name})`);
  return made;
}

/**
 * Set the colours of the pegs inside an element: the default ones, or the player's own.
 * @param {HTMLElement} on
 * @param {Board} board
 * @param {Record<string, string>} own
 */
export function applyPalette(on, board, own) {
  const safe = safePalette(board.colours);
  for (const { name } of palette(board)) {
    const colour = own[name] ?? safe[name];
    on.style.setProperty(`--peg-${name}`, colour);
    on.style.setProperty(`--ink-${name}`, inkOn(colour));
  }
}

/**
 * Key pegs in a cluster: dark ones first, then white, then empty key holes.
 * @param {KeyPegs | null} keys
 * @param {Board} board
 * @returns {HTMLElement}
 */
export function keyCluster(keys, board) {
  const isNothing = keys !== null && keys.black + keys.white === 0;
  const style = isNothing ? "keys nothing" : "keys";
  const cluster = element("span", { class: style, "data-dark": darkKeyPeg(board), "aria-hidden": "true" });
  for (let at = 0; at < board.holes; at += 1) {
    const kind = !keys ? "none" : at < keys.black ? "dark" : at < keys.black + keys.white ? "white" : "none";
    const key = element("span", { class: `key ${kind}` });
    key.style.setProperty("--at", String(at));
    cluster.append(key);
  }
  cluster.style.setProperty("--columns", String(Math.ceil(board.holes / 2)));
  return cluster;
}
