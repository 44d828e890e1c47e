/** Hints, from the least to the most: codes left, whether the row could be the code, a good guess, the best guess. */

import { codesLeft, goodGuess, whyBest } from "../game/advice.js";
import { answered, fits, isSmall } from "../game/analysis.js";
import { counted } from "../game/board.js";
import { rowNames } from "../game/contradiction.js";
import { whyNotReady, pegs } from "../game/draft.js";
import { sentence } from "../live/api.js";
import { makeDialog } from "./dialog.js";
import { element } from "./element.js";
import { strip } from "./reading.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {import("../wire.js").Grade} Grade */
/** @typedef {import("../wire.js").Hint} Hint */
/** @typedef {import("../game/draft.js").Draft} Draft */

/**
 * Each hint is requested when the player asks for it, so that the log records no more than the player
 * saw. The number of codes left is requested at once. A solver that has just started may take a while.
 * @param {Board} board
 * @param {Row[]} rows
 * @param {Draft} draft
 * @param {(grade: Grade) => Promise<Hint>} ask
 * @param {(code: number[]) => void} take
 */
export function hintDialog(board, rows, draft, ask, take) {
  const count = element("p", { "aria-live": "polite" }, "Counting the codes that fit…");
  const shown = element("div", { class: "stack", "aria-live": "polite" });
  const present = (/** @type {(Node | string)[]} */ ...words) => shown.replaceChildren(...words);
  const offer = (/** @type {number[]} */ code, /** @type {string} */ reason) => {
    const accept = () => {
      take(code);
      dialog.close();
    };
    present(strip("Try", code, null, board), element("p", {}, sentence(reason)), element("button", { type: "button", onclick: accept }, "Put it into my row"));
  };
  const good = () => {
    const found = goodGuess(board, rows);
    if (found) offer(found.guess, found.why);
    else present("No code fits all the answers.");
  };
  const best = (/** @type {Hint} */ { guess, why }) =>
    guess ? offer(guess, isSmall(board) ? whyBest(guess, codesLeft(board, rows)) : why) : present(sentence(why));
  /** @type {Map<Grade, Promise<Hint>>} */
  const asked = new Map();
  /** @type {Grade} The hint that was requested last, which is the one to show. */
  let wanted = "left";
  const choice = (/** @type {string} */ words, /** @type {Grade} */ grade, /** @type {(hint: Hint) => void} */ show) => {
    const press = async () => {
      wanted = grade;
      present("One moment…");
      const answer = asked.get(grade) ?? ask(grade);
      asked.set(grade, answer);
      try {
        const hint = await answer;
        if (wanted === grade) show(hint);
      } catch (problem) {
        asked.delete(grade);
        if (wanted === grade) present(/** @type {Error} */ (problem).message);
      }
    };
    return element("button", { type: "button", onclick: press }, words);
  };
  const dialog = makeDialog(
    "Hint",
    count,
    element(
      "div",
      { class: "buttons" },
      choice("Could my row be the code?", "may", () => present(verdict(board, rows, draft))),
      isSmall(board) && choice("A good guess", "good", good),
      choice("The best guess", "best", best),
    ),
    shown,
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  ask("left").then(
    ({ codes_left: left }) => count.replaceChildren(`${counted(left, "code")} ${left === 1 ? "fits" : "fit"} all the answers.`),
    (/** @type {Error} */ problem) => count.replaceChildren(problem.message),
  );
  return dialog;
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
    const [clue] = answered([row]);
    return clue && !fits(pegs(draft), clue) ? [index + 1] : [];
  });
  if (wrong.length === 0) return "Yes: it fits every answer so far.";
  return `No: it contradicts ${rowNames(wrong)}.`;
}
