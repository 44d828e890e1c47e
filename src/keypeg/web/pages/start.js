/** The start page: three ways to play, a board, and other settings. All of them are remembered. */

import { codeCount, describeBoard, grouped, makeBoard, parseBoard, PRESETS, symbols, whyInvalidBoard } from "../game/board.js";
import { parseCode } from "../game/code.js";
import { score } from "../game/keypegs.js";
import { DEFAULT_NAMES, whyInvalidName } from "../game/names.js";
import { openTable, readChoices, takeSeat } from "../live/api.js";
import { keepChoices, keptChoices, restore } from "../live/choices.js";
import { keptResults, numberAt } from "../live/dailyresults.js";
import { lastTable } from "../live/lasttable.js";
import { share } from "../live/seats.js";
import { keepPreferences, readPreferences } from "../look/preferences.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { pegElement, applyPalette } from "../view/peg.js";
import { strip } from "../view/reading.js";

/** @typedef {import("../wire.js").NewTable} NewTable */
/** @typedef {"computer" | "friend" | "device"} Way */

const EXAMPLE = ["YW YW GN GN", "WH YW BU BK", "RD WH BU GN"];

const form = /** @type {HTMLFormElement} */ (find("#terms"));

/** @param {string} name */
function value(name) {
  return String(new FormData(form).get(name) ?? "");
}

function customBoard() {
  return makeBoard({
    holes: Number(value("holes")),
    colours: Number(value("colours")),
    rows: Number(value("rows")),
    blanks: value("blanks") !== "",
    repeats: value("repeats") !== "",
  });
}

/** The board that is chosen; a custom one may be invalid. */
function chosenBoard() {
  return parseBoard(value("board")) ?? customBoard();
}

/** @returns {NewTable} */
function agreed() {
  const turn = value("turn_seconds");
  return {
    board: chosenBoard().name,
    games: Number(value("games")),
    key_pegs: /** @type {NewTable["key_pegs"]} */ (value("key_pegs")),
    scoring: /** @type {NewTable["scoring"]} */ (value("scoring")),
    turn_seconds: turn ? Number(turn) : null,
    name: value("name").trim() || DEFAULT_NAMES.one,
    seat: "one",
  };
}

/** Opens a table for each way to play. @type {Record<Way, () => Promise<{ table: string }>>} */
const OPENERS = {
  computer: () => openTable({ ...agreed(), opponent: value("level") || keptChoices()?.level || "perfect", first_maker: "two" }),
  friend: () => openTable(agreed()),
  device: async () => {
    const opened = await openTable(agreed());
    await takeSeat(opened.table, "two", value("friend").trim() || DEFAULT_NAMES.two);
    share(opened.table);
    return opened;
  },
};

/**
 * Why a game cannot begin; null if it can. A table is opened only when all is well.
 * @param {Way} way
 */
function whyNot(way) {
  return whyInvalidBoard(chosenBoard()) ?? whyInvalidName(value("name")) ?? (way === "device" ? whyInvalidName(value("friend")) : null);
}

/** @param {Way} way */
async function begin(way) {
  const why = whyNot(way);
  complain(why ?? "");
  if (whyInvalidBoard(chosenBoard())) find("#more").setAttribute("open", "");
  if (why) return;
  try {
    const { table } = await OPENERS[way]();
    location.assign(`/table/${table}`);
  } catch (problem) {
    complain(/** @type {Error} */ (problem).message);
  }
}

/** @param {string} words */
function complain(words) {
  find("#problem").textContent = words;
}

/** @param {Event} event */
function changed({ target }) {
  const field = /** @type {HTMLInputElement} */ (target);
  if (find("#custom").contains(field)) choose("custom");
  if (field.name === "board" && field.value === "custom") find("#more").setAttribute("open", "");
  if (field.name === "name") keepPreferences({ name: field.value.trim() });
  const { name: _, ...choices } = /** @type {Record<string, string>} */ (Object.fromEntries(new FormData(form)));
  // Until the server has said which levels there are, none can be chosen.
  keepChoices({ ...choices, level: choices.level || (keptChoices()?.level ?? "") });
  complain("");
  update();
}

/** @param {string} board */
function choose(board) {
  const radio = form.querySelector(`[name="board"][value="${board}"]`);
  if (radio instanceof HTMLInputElement) radio.checked = true;
}

/** Show what follows from the choices: the custom board, and the settings that are hidden in More. */
function update() {
  const board = customBoard();
  const facts = whyInvalidBoard(board) ?? describeBoard(board);
  const codes = whyInvalidBoard(board) ? "" : `${grouped(codeCount(board))} codes`;
  find("#custom-facts").replaceChildren(facts, element("br"), codes);
  const unusual = [...form.querySelectorAll("#more select:not(#level) option:checked")].filter((option) => !option.hasAttribute("selected"));
  find("#changed").textContent = unusual.length ? `: ${unusual.map((option) => option.textContent).join(" · ")}` : "";
}

async function showLevels() {
  const { levels } = await readChoices();
  const kept = keptChoices()?.level ?? "";
  const strength = levels.includes(kept) ? kept : levels[Math.floor(levels.length / 2)];
  find("#level").replaceChildren(
    ...levels.map((level) => element("option", { value: level, selected: level === strength }, level[0].toUpperCase() + level.slice(1))),
  );
}

function showWelcome() {
  const open = lastTable();
  if (!open) return;
  const welcome = find("#welcome");
  welcome.setAttribute("href", `/table/${open}`);
  welcome.textContent = "Continue your game";
}

/** Says how today's code went, if it is done. */
function showToday() {
  const rows = keptResults("classic")[numberAt(Date.now())];
  if (rows !== undefined) find("#today").textContent = rows ? `Done: ${rows} row${rows === 1 ? "" : "s"}` : "Done: not broken";
}

/** Shows a few rows of a board, with an example from the rule books. */
function showExample() {
  const [board] = PRESETS;
  const rows = EXAMPLE.map((text) => parseCode(text, board));
  const strips = rows.map((row, index) => strip(String(index + 1), row, score(rows[rows.length - 1], row), board));
  find("#taste").append(...strips.reverse());
}

/** Shows the pegs of each official board. Returns their cards, each with colours of its own. */
function showPegs() {
  return PRESETS.map((board) => {
    const card = /** @type {HTMLElement} */ (find(`[name="board"][value="${board.name}"]`).closest(".board-card"));
    card.querySelector(".pegs")?.append(...symbols(board).map((peg) => pegElement(peg, board)));
    return card;
  });
}

function start() {
  const cards = showPegs();
  setUpLook(PRESETS[0], () => cards.forEach((card, index) => applyPalette(card, PRESETS[index], readPreferences().colours)));
  restore(form, { ...(keptChoices() ?? { repeats: "on" }), name: readPreferences().name });
  update();
  showWelcome();
  showToday();
  showExample();
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const choice of form.querySelectorAll("button")) {
    choice.addEventListener("click", () => begin(/** @type {Way} */ (choice.value)));
    // Before this, a click would have done nothing.
    choice.removeAttribute("disabled");
  }
  showLevels().catch(() => complain("The server does not answer. Reload the page to try again."));
}

start();
