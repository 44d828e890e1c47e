/** My mistakes: rows that cost much, to practise until they are solved on two days. */

import { counted, parseBoard, PRESETS } from "../game/board.js";
import { dueAt, isDone } from "../game/mistake.js";
import { MISTAKES } from "../live/analysedgames.js";
import { AnalysisOffer } from "../view/analysisoffer.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { Position } from "../view/position.js";
import { storageNotice } from "../view/storagenotice.js";

/** @typedef {import("../game/mistake.js").Mistake} Mistake */

const place = element("div", { class: "stack" });
const count = element("p", { class: "answer-text", tabindex: -1 });

/** Show the first mistake of today, or what to do instead. */
function next() {
  const all = MISTAKES.all();
  const left = all.filter((mistake) => !isDone(mistake));
  const due = dueAt(all, Date.now());
  count.textContent = summary(all.length, left.length, due.length);
  place.replaceChildren(due.length ? position(due[0]) : element("p", {}, advice(all.length, left.length)));
}

/** @param {Mistake} mistake */
function position(mistake) {
  const board = parseBoard(mistake.board) ?? PRESETS[0];
  setUpLook(board);
  const kept = (/** @type {Mistake} */ after) => void MISTAKES.keep([after]);
  return new Position(board, mistake, kept, () => {
    next();
    count.focus();
  }).element;
}

/**
 * @param {number} all
 * @param {number} left
 * @param {number} due
 */
function summary(all, left, due) {
  if (all === 0) return "No mistakes yet.";
  const solved = all - left;
  return `${due === 0 ? "None" : due} left for today, ${left} in all. ${solved} solved.`;
}

/**
 * @param {number} all
 * @param {number} left
 */
function advice(all, left) {
  if (all === 0) return "Play a game and review it, or analyse the games you have finished: their costly rows come here.";
  if (left === 0) return "You have solved them all. New ones come from the games you review.";
  return `That is all for today. ${counted(left, "position")} will come again.`;
}

setUpLook(PRESETS[0]);
find("#mistakes").replaceChildren(
  element(
    "div",
    { class: "stack" },
    storageNotice(),
    count,
    place,
    new AnalysisOffer(next).element,
    element(
      "nav",
      { class: "buttons", "aria-label": "From here" },
      element("a", { class: "button", href: "/games" }, "My games"),
      element("a", { class: "button", href: "/progress" }, "Progress"),
    ),
  ),
);
next();
