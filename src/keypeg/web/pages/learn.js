/** The tutorial: examples from the rule books, one at a time. */

import { PRESETS } from "../game/board.js";
import { parseCode } from "../game/code.js";
import { describeKeyPegs, matched, score } from "../game/keypegs.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { strip } from "../view/reading.js";

const [classic] = PRESETS;

/** @type {{ title: string, words: string[], secret?: string, guess?: string }[]} */
const LESSONS = [
  {
    title: "A secret row of pegs",
    words: [
      "The Codemaker hides four pegs behind the shield. There are six colours, and a colour may appear more than once.",
      "The Codebreaker has ten rows to find the code. The Codemaker answers each row with key pegs.",
    ],
    secret: "RD WH BU GN",
  },
  {
    title: "Black: right colour, right hole. White: right colour, wrong hole.",
    words: [
      "Blue is in the right hole: a black key peg. White is in the code, but in another hole: a white one.",
      "In a game, key pegs never show which peg they stand for. That is the puzzle.",
    ],
    secret: "RD WH BU GN",
    guess: "WH YW BU BK",
  },
  {
    title: "One key peg answers one peg",
    words: ["The code has one green. Only one of the two greens in the row is answered, and black comes before white."],
    secret: "RD BU GN BK",
    guess: "WH YW GN GN",
  },
  {
    title: "Two of a colour",
    words: ["The code has two reds. In the row, one red is in the right hole and the other is not: one black, one white."],
    secret: "RD BU RD YW",
    guess: "GN RD RD WH",
  },
  {
    title: "Then you swap",
    words: [
      "The Codemaker scores a point for every row the Codebreaker needed, and one more if the code was never broken.",
      "After an even number of games, the player with more points wins.",
    ],
  },
];

const MEANING = { black: "black", white: "white", none: "none" };

let step = 0;

function show() {
  const { title, words, secret, guess } = LESSONS[step];
  const heading = element("h2", { tabindex: -1 }, title);
  find("#lesson").replaceChildren(
    element(
      "section",
      { class: "card stack", "aria-label": `Step ${step + 1} of ${LESSONS.length}` },
      heading,
      ...words.map((line) => element("p", {}, line)),
      ...(secret ? examples(secret, guess) : []),
      steps(),
    ),
  );
  heading.focus();
}

/**
 * @param {string} secret
 * @param {string} [guess]
 */
function examples(secret, guess) {
  const code = parseCode(secret, classic);
  const strips = [strip("Secret", code, null, classic)];
  if (!guess) return [element("div", { class: "strips" }, ...strips)];
  const row = parseCode(guess, classic);
  const keys = score(code, row);
  const shown = strip("Row", row, keys, classic);
  shown.querySelectorAll(".hole").forEach((hole, at) => {
    const kind = matched(code, row)[at];
    const key = element("span", { class: `key ${kind === "black" ? "dark" : kind}` });
    hole.replaceWith(element("span", { class: "meaning" }, hole.cloneNode(true), key, MEANING[kind]));
  });
  return [element("div", { class: "strips" }, ...strips, shown), element("p", { class: "answer-text" }, `The answer: ${describeKeyPegs(keys, classic)}.`)];
}

function steps() {
  const move = (/** @type {number} */ by) => () => {
    step += by;
    show();
  };
  const last = step === LESSONS.length - 1;
  return element(
    "div",
    { class: "lesson-steps" },
    step > 0 ? element("button", { type: "button", onclick: move(-1) }, "Back") : element("span", {}),
    element("span", {}, `${step + 1} of ${LESSONS.length}`),
    last
      ? element("a", { class: "button primary", href: "/" }, "Play")
      : element("button", { type: "button", class: "primary", onclick: move(1) }, "Next"),
  );
}

setUpLook(classic);
show();
