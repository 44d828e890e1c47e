/** Hints, from the gentlest on: how many codes are left, whether my row could be one, a good guess. */

import { answered, fits } from "../game/analysis.js";
import { whyNotReady, pegs } from "../game/draft.js";
import { makeDialog } from "./dialog.js";
import { element } from "./element.js";
import { strip } from "./reading.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {import("../game/draft.js").Draft} Draft */

/**
 * @param {Board} board
 * @param {Row[]} rows
 * @param {Draft} draft
 * @param {{ codes_left: number, guess: number[] | null }} hint
 * @param {(code: number[]) => void} take
 */
export function hintDialog(board, rows, draft, { codes_left: left, guess }, take) {
  const count = left === 1 ? "1 code fits" : `${left.toLocaleString("en")} codes fit`;
  const told = element("div", { class: "stack", "aria-live": "polite" });
  const tell = (/** @type {(Node | string)[]} */ ...words) => told.replaceChildren(...words);
  const accept = () => {
    if (guess) take(guess);
    dialog.close();
  };
  const reveal = () =>
    guess
      ? tell(strip("Try", guess, null, board), element("button", { type: "button", onclick: accept }, "Put it into my row"))
      : tell("No code fits: an answer must be wrong.");
  const dialog = makeDialog(
    "Hint",
    element("p", {}, `${count} all the answers.`),
    element(
      "div",
      { class: "buttons" },
      element("button", { type: "button", onclick: () => tell(verdict(board, rows, draft)) }, "Could my row be the code?"),
      element("button", { type: "button", onclick: reveal }, "A good guess"),
    ),
    told,
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
}

/**
 * @param {Board} board
 * @param {Row[]} rows
 * @param {Draft} draft
 */
function verdict(board, rows, draft) {
  const why = whyNotReady(draft, board);
  if (why) return `Fill the row first: ${why}.`;
  const wrong = rows.flatMap((row, index) => {
    const [told] = answered([row]);
    return told && !fits(pegs(draft), told) ? [index + 1] : [];
  });
  if (wrong.length === 0) return "Yes: it fits every answer so far.";
  return `No: it contradicts row${wrong.length > 1 ? "s" : ""} ${wrong.join(", ")}.`;
}
