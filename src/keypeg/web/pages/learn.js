/** The tutorial: examples from the rule books, one at a time, then a code to break, then a game. */

import { PRESETS, symbols } from "../game/board.js";
import { parseCode } from "../game/code.js";
import { describeKeyPegs, matched, score } from "../game/keypegs.js";
import { DEFAULT_NAMES } from "../game/names.js";
import { openTable } from "../live/api.js";
import { readPreferences } from "../look/preferences.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { answersFor, Practice } from "../view/practice.js";
import { strip } from "../view/reading.js";
import { notify } from "../view/status.js";

const [classic] = PRESETS;

/** @typedef {{ title: string, words: string[], secret?: string, guess?: string, isTrial?: boolean }} Lesson */

/** @type {Lesson[]} */
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
  {
    title: "Now you",
    words: ["A code is hidden. Fill a row and check it to get real key pegs. Try as many rows as you like."],
    isTrial: true,
  },
];

let step = 0;

function show() {
  const { title, words, secret, guess, isTrial } = LESSONS[step];
  find("#lesson").replaceChildren(
    element(
      "section",
      { class: "card stack", "aria-label": `Step ${step + 1} of ${LESSONS.length}` },
      element("h2", { tabindex: -1 }, title),
      ...words.map((line) => element("p", {}, line)),
      ...(secret ? examples(secret, guess) : []),
      ...(isTrial ? [trial()] : []),
      steps(),
    ),
  );
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
    hole.replaceWith(element("span", { class: "meaning" }, hole.cloneNode(true), key, kind));
  });
  return [element("div", { class: "strips" }, ...strips, shown), element("p", { class: "answer-text" }, `The answer: ${describeKeyPegs(keys, classic)}.`)];
}

/** Rows to try, as many as are needed, against a code that is drawn anew. */
function trial() {
  const pegs = symbols(classic);
  const drawn = crypto.getRandomValues(new Uint32Array(classic.holes));
  const secret = [...drawn].map((number) => pegs[number % pegs.length]);
  return new Practice(classic, answersFor(secret), [], (rows, isBroken) => ({ words: isBroken ? "You broke the code!" : told(rows.at(-1)), isOver: isBroken })).element;
}

/**
 * What the last answer means, in words. Empty if there is none.
 * @param {import("../game/keypegs.js").KeyPegs} [keys]
 */
function told(keys) {
  return keys ? `${describeKeyPegs(keys, classic)}: ${explained(keys)}` : "";
}

/**
 * What an answer means, in words.
 * @param {import("../game/keypegs.js").KeyPegs} keys
 */
function explained({ black, white }) {
  if (black + white === 0) return "none of these colours is in the code.";
  const right = black && `${black} peg${black === 1 ? " is" : "s are"} right`;
  const others = black ? "more" : white === 1 ? "peg" : "pegs";
  const moved = white && `${white} ${others} ${white === 1 ? "has a colour" : "have colours"} of the code, but in the wrong hole`;
  return `${[right, moved].filter(Boolean).join(", and ")}.`;
}

/** Begin a game against the computer, in which the learner guesses first. */
async function play() {
  try {
    const name = readPreferences().name || DEFAULT_NAMES.one;
    const { table } = await openTable({ name, seat: "one", opponent: "careful", first_maker: "two" });
    location.assign(`/table/${table}`);
  } catch (problem) {
    notify(/** @type {Error} */ (problem).message);
  }
}

function steps() {
  const move = (/** @type {number} */ by) => () => {
    step += by;
    show();
    find("#lesson h2").focus();
  };
  const last = step === LESSONS.length - 1;
  return element(
    "div",
    { class: "lesson-steps" },
    step > 0 ? element("button", { type: "button", onclick: move(-1) }, "Back") : element("span", {}),
    element("span", {}, `${step + 1} of ${LESSONS.length}`),
    last
      ? element("button", { type: "button", class: "primary", onclick: play }, "Play a game")
      : element("button", { type: "button", class: "primary", onclick: move(1) }, "Next"),
  );
}

setUpLook(classic);
show();
