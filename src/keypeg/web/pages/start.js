/** The start page: three ways to play, a board, and other settings. */

import { codeCount, describeBoard, LIMITS, makeBoard, PRESETS, symbols, whyInvalidBoard } from "../game/board.js";
import { parseCode } from "../game/code.js";
import { score } from "../game/keypegs.js";
import { openTable, readChoices, takeSeat } from "../live/api.js";
import { lastTable } from "../live/lasttable.js";
import { share } from "../live/seats.js";
import { keepPreferences, readPreferences } from "../look/preferences.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { pegElement, applyPalette } from "../view/peg.js";
import { strip } from "../view/reading.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").NewTable} NewTable */

/** @type {Record<string, string>} */
const TITLES = {
  classic: "Classic",
  "classic-blanks": "Classic with blanks",
  advanced: "Advanced",
  "advanced-blanks": "Advanced with blanks",
};

const KEY_PEG_MODES = [
  ["referee", "The referee places the key pegs"],
  ["checked", "The maker places them; mistakes are refused"],
  ["by-hand", "The maker places them; mistakes can be challenged"],
];
const SCORINGS = [
  ["rows", "A point for each row"],
  ["key-pegs", "A point for each key peg"],
];
const TURNS = [
  ["", "No limit"],
  ["60", "1 minute"],
  ["180", "3 minutes"],
  ["240", "4 minutes"],
];
const SERIES = [2, 4, 6, 8, 10].map((games) => [String(games), `${games} games`]);

const EXAMPLE = ["YW YW GN GN", "WH YW BU BK", "RD WH BU GN"];

const custom = {
  holes: number("Holes", "holes", 4),
  colours: number("Colours", "colours", 6),
  rows: number("Rows", "rows", 10),
  blanks: element("input", { type: "checkbox" }),
  repeats: element("input", { type: "checkbox", checked: true }),
};
const fields = {
  games: select(SERIES, "2"),
  key_pegs: select(KEY_PEG_MODES, "referee"),
  scoring: select(SCORINGS, "rows"),
  turn_seconds: select(TURNS, ""),
  level: select([["", "…"]], ""),
  name: element("input", { maxlength: 32, autocomplete: "nickname", placeholder: "Player", value: readPreferences().name }),
  friend: element("input", { maxlength: 32, placeholder: "Player two" }),
};

/** @param {Board} board */
function boardCard(board) {
  const codes = codeCount(board).toLocaleString("en");
  return element(
    "label",
    { class: "board-card" },
    element(
      "span",
      { class: "name" },
      element("input", { type: "radio", name: "board", value: board.name, checked: board.name === "classic" }),
      TITLES[board.name],
    ),
    element("span", { class: "pegs", "aria-hidden": "true" }, ...symbols(board).map((peg) => pegElement(peg, board))),
    element("span", { class: "facts" }, describeBoard(board)),
    element("span", { class: "facts" }, `${codes} codes; ${board.rows + 1} points if unbroken`),
  );
}

function customCard() {
  const facts = element("span", { class: "facts" });
  const radio = element("input", { type: "radio", name: "board", value: "custom" });
  const update = () => {
    const board = customBoard();
    facts.textContent = whyInvalidBoard(board) ?? `${describeBoard(board)}; ${codeCount(board).toLocaleString("en")} codes`;
  };
  for (const input of Object.values(custom)) {
    input.addEventListener("input", () => {
      radio.checked = true;
      update();
    });
  }
  radio.addEventListener("change", () => find("#more").setAttribute("open", ""));
  update();
  return element("label", { class: "board-card" }, element("span", { class: "name" }, radio, "Custom"), facts);
}

function customBoard() {
  return makeBoard({
    holes: Number(custom.holes.value),
    colours: Number(custom.colours.value),
    rows: Number(custom.rows.value),
    blanks: custom.blanks.checked,
    repeats: custom.repeats.checked,
  });
}

function showSettings() {
  find("#settings").append(
    element(
      "div",
      { class: "field", role: "group", "aria-label": "Custom board" },
      element("span", { class: "label" }, "Custom board"),
      element("div", { class: "numbers" }, ...["holes", "colours", "rows"].map((name) => labelled(name))),
      element("label", { class: "option" }, custom.blanks, "Blanks (an empty hole counts as a colour)"),
      element("label", { class: "option" }, custom.repeats, "A colour may appear more than once"),
    ),
    field("Series", fields.games, "Roles swap after each game."),
    field("Key pegs", fields.key_pegs, ""),
    field("Scoring", fields.scoring, "Only the maker scores."),
    field("Time for a turn", fields.turn_seconds, ""),
    field("The computer", fields.level, "How well it breaks your codes."),
    field("Your name", fields.name, ""),
    field("Name of the second player", fields.friend, "For two on this device."),
  );
}

/** @param {string} name */
function labelled(name) {
  const input = custom[/** @type {"holes" | "colours" | "rows"} */ (name)];
  return element("label", {}, name[0].toUpperCase() + name.slice(1), input);
}

/**
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} note
 */
function field(label, control, note) {
  control.id = `field-${label.toLowerCase().replace(/\W+/g, "-")}`;
  return element(
    "div",
    { class: "field" },
    element("label", { for: control.id }, label),
    control,
    Boolean(note) && element("span", { class: "note" }, note),
  );
}

/**
 * @param {string[][]} options
 * @param {string} chosen
 */
function select(options, chosen) {
  return element("select", {}, ...options.map(([value, words]) => element("option", { value, selected: value === chosen }, words)));
}

/**
 * @param {string} label
 * @param {"holes" | "colours" | "rows"} name
 * @param {number} value
 */
function number(label, name, value) {
  const [min, max] = LIMITS[name];
  return element("input", { type: "number", min, max, value, inputmode: "numeric", "aria-label": label });
}

/** @returns {NewTable} */
function agreed() {
  const chosen = /** @type {HTMLInputElement} */ (find("#boards :checked")).value;
  const turn = fields.turn_seconds.value;
  return {
    board: chosen === "custom" ? customBoard().name : chosen,
    games: Number(fields.games.value),
    key_pegs: /** @type {NewTable["key_pegs"]} */ (fields.key_pegs.value),
    scoring: /** @type {NewTable["scoring"]} */ (fields.scoring.value),
    turn_seconds: turn ? Number(turn) : null,
    name: fields.name.value.trim() || "Player",
    seat: "one",
  };
}

/** Opens a table for each way to play. */
const OPENERS = {
  computer: () => openTable({ ...agreed(), opponent: fields.level.value || "perfect", first_maker: "two" }),
  friend: () => openTable(agreed()),
  device: async () => {
    const opened = await openTable(agreed());
    await takeSeat(opened.table, "two", fields.friend.value.trim() || "Player two");
    share(opened.table);
    return opened;
  },
};

/** @param {SubmitEvent} event */
async function begin(event) {
  event.preventDefault();
  const choice = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value ?? "computer";
  const why = agreed().board === customBoard().name ? whyInvalidBoard(customBoard()) : null;
  if (why) return complain(why);
  keepPreferences({ name: fields.name.value.trim() });
  try {
    const { table } = await OPENERS[/** @type {keyof typeof OPENERS} */ (choice)]();
    location.assign(`/table/${table}`);
  } catch (problem) {
    complain(/** @type {Error} */ (problem).message);
  }
}

/** @param {string} words */
function complain(words) {
  find("#problem").textContent = words;
}

async function showLevels() {
  const { levels } = await readChoices();
  const strength = levels[Math.floor(levels.length / 2)];
  fields.level.replaceChildren(
    ...levels.map((level) => element("option", { value: level, selected: level === strength }, level[0].toUpperCase() + level.slice(1))),
  );
}

function showWelcome() {
  const open = lastTable();
  const [href, words] = open ? [`/table/${open}`, "Continue your last game"] : ["/learn", "New here? Learn the game in a minute"];
  find("#welcome").append(element("a", { class: "button", href }, words));
}

/** Shows a few rows of a board, with an example from the rule books. */
function showExample() {
  const [board] = PRESETS;
  const rows = EXAMPLE.map((text) => parseCode(text, board));
  const strips = rows.map((row, index) => strip(String(index + 1), row, score(rows[rows.length - 1], row), board));
  find("#taste").append(...strips.reverse());
}

function start() {
  const cards = PRESETS.map(boardCard);
  find("#boards").append(...cards, customCard());
  setUpLook(PRESETS[0], () => cards.forEach((card, index) => applyPalette(card, PRESETS[index], readPreferences().colours)));
  showSettings();
  showWelcome();
  showExample();
  find("#terms").addEventListener("submit", (event) => begin(/** @type {SubmitEvent} */ (event)));
  // Before this, a click would only have reloaded the page.
  for (const choice of document.querySelectorAll("button.choice")) choice.removeAttribute("disabled");
  showLevels().catch(() => complain("The server does not answer. Reload the page to try again."));
}

start();
