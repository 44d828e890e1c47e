/** The help dialog: the rules in five lines, the keys, the typed commands. */

import { darkKeyPeg, palette } from "../game/board.js";
import { digit } from "../game/colours.js";
import { COMMANDS } from "../game/command.js";
import { KEYS, KEYS_WITHOUT_CHARACTERS } from "../look/keys.js";
import { makeDialog } from "./dialog.js";
import { element } from "./element.js";

/** @typedef {import("../wire.js").Board} Board */

/**
 * @param {Board} board
 * @param {string | null} [aim] what decides a race or a duel; none at a table, where players swap
 */
export function helpDialog(board, aim = null) {
  const dark = darkKeyPeg(board);
  const last = digit(board.colours, palette(board));
  const keys = aim === null ? KEYS : KEYS.filter(({ action }) => action !== "hint");
  const letters = palette(board).map((colour) => colour.letter).join(" ");
  return makeDialog(
    "Help",
    element("h3", {}, "How to play"),
    element(
      "ul",
      {},
      element("li", {}, "Fill the row: tap a colour, or tap a hole and then a colour, or drag a peg."),
      element("li", {}, `Check it. Each ${dark} key peg stands for a right colour in the right hole, each white one for a right colour in the wrong hole.`),
      element("li", {}, "Key pegs do not show which peg they stand for."),
      element("li", {}, aim ?? "The maker scores a point for every row you need; then you swap."),
      element("li", {}, "Long-press a colour to fill the row; double-tap an old row to copy it. Hold keeps a peg for the next row."),
    ),
    element("h3", {}, "Keys"),
    table([[`1 to ${last}, ${letters}`, "place a peg and move on"], ...keys.map(shownKey)], "kbd", "characters"),
    table(KEYS_WITHOUT_CHARACTERS.map(shownKey), "kbd", "no-characters"),
    element("p", { class: "no-characters" }, "Letters, digits and signs are not shortcuts now; you can change that under ◐."),
    ...(aim === null ? [element("h3", {}, "Commands to type"), table(COMMANDS, "code")] : []),
  );
}

/** @param {typeof KEYS[number]} key */
function shownKey({ shown, words }) {
  return [shown, words];
}

/**
 * @param {string[][]} pairs
 * @param {"kbd" | "code"} tag
 * @param {string} [when] the class of what is shown only while characters are shortcuts, or are not
 */
function table(pairs, tag, when = "") {
  const list = element("dl", { class: `pairs ${when}` });
  for (const [name, words] of pairs) {
    list.append(element("dt", {}, element(tag, {}, name)), element("dd", {}, words));
  }
  return list;
}
