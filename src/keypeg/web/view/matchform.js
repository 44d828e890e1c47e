/** Opening a race or a duel: who plays, on which board, and what is agreed. */

import { describeBoard, parseBoard, PRESETS } from "../game/board.js";
import { ROW_SECONDS, timeFor, USUAL_SECONDS } from "../game/matchwords.js";
import { whyInvalidName } from "../game/names.js";
import { Problem, sentence } from "../live/api.js";
import { newMatchId, openMatch } from "../live/matches.js";
import { keepPreferences, readPreferences } from "../look/preferences.js";
import { element } from "./element.js";
import { announce } from "./status.js";

/** @typedef {"race" | "duel"} Kind */
/** @typedef {{ element: HTMLElement, input: HTMLSelectElement }} Choice */

const TITLES = ["Classic", "Classic with blanks", "Advanced", "Advanced with blanks"];
const MORE_BOARDS = ["3x6", "4x8", "4x10", "5x6", "6x9"];
const MOST_PLAYERS = 8;
/** What is said of each kind. @type {Record<Kind, { title: string, words: string }>} */
const KINDS = {
  race: { title: "Race", words: "2 to 8 players break the same code at once." },
  duel: { title: "Duel", words: "Two set a code each, and break the other's." },
};

export class MatchForm {
  /**
   * @param {Kind} kind
   * @param {(kind: Kind) => void} chosen is told which kind is chosen
   */
  constructor(kind, chosen) {
    this.id = newMatchId();
    this.kind = kind;
    this.chosen = chosen;
    /** @type {string[]} */
    this.levels = [];
    /** The levels of the computers that play. @type {Choice[]} */
    this.computers = [];
    this.busy = false;
    this.kinds = /** @type {Kind[]} */ (["race", "duel"]).map((one) => this.kindOption(one));
    this.boards = select("board", "Board", [...PRESETS.map((board, at) => [board.name, `${TITLES[at]}: ${describeBoard(board)}`]), ...MORE_BOARDS.map((name) => [name, boardWords(name)])]);
    this.name = element("input", { id: "name", maxlength: 32, value: readPreferences().name, autocomplete: "nickname" });
    this.list = element("ul", { class: "computers", "aria-label": "Computers" });
    this.add = element("button", { type: "button", disabled: true, onclick: () => this.addComputer() }, "Add a computer");
    this.pace = select("pace", "Pace", [["own", "Everybody at their own pace"], ["together", "Row by row: the answers are shown together"]], () => this.show());
    this.goal = select("goal", "Who wins", [["rows", "Whoever needs the fewest rows"], ["time", "Whoever breaks the code first"]]);
    this.shown = select("keys-shown", "Before the end you see of the others", [["yes", "Their key pegs, never their pegs"], ["no", "Only whether they are done"]]);
    this.keyPegs = select("key-pegs", "Key pegs", [["referee", "Placed for you, always right"], ["by-hand", "You place them for each other; wrong answers can be challenged"]]);
    this.time = select("time", "Time for each row", ROW_SECONDS.map((seconds) => [seconds, timeFor(seconds)]));
    this.time.input.value = String(USUAL_SECONDS);
    this.places = select("places", "Places, with you and computers", Array.from({ length: MOST_PLAYERS - 1 }, (_, at) => [at + 2, `${at + 2} players`]), () => this.show());
    this.places.input.value = String(MOST_PLAYERS);
    this.problem = element("p", { class: "wrong", role: "alert" });
    this.submitButton = element("button", { class: "primary" });
    this.element = element(
      "form",
      { class: "match-form", onsubmit: (/** @type {Event} */ event) => this.submit(event) },
      element("fieldset", { class: "kinds" }, element("legend", { class: "spoken" }, "What to play"), ...this.kinds.map((one) => one.element)),
      element("div", { class: "fields" }, this.boards.element, element("label", { class: "field" }, "Your name (may be empty)", this.name)),
      this.list,
      this.problem,
      element("div", { class: "buttons" }, this.submitButton, this.add),
      element(
        "details",
        {},
        element("summary", {}, "More settings"),
        element("div", { class: "fields" }, this.pace.element, this.goal.element, this.keyPegs.element, this.shown.element, this.time.element, this.places.element),
      ),
    );
    this.show();
  }

  /** @param {Kind} kind */
  kindOption(kind) {
    const input = element("input", { type: "radio", name: "kind", value: kind, onchange: () => this.choose(kind) });
    input.checked = kind === this.kind;
    const { title, words } = KINDS[kind];
    return { input, element: element("label", { class: "kind" }, element("span", {}, input, element("strong", {}, title)), element("span", {}, words)) };
  }

  /** @param {Kind} kind */
  choose(kind) {
    this.kind = kind;
    this.show();
    this.chosen(kind);
  }

  /** The levels of the computer, once the server has said which there are. @param {string[]} levels */
  offer(levels) {
    this.levels = levels;
    this.add.disabled = false;
    this.show();
  }

  addComputer() {
    const number = this.computers.length + 1;
    const choice = select(`computer-${number}`, `Computer ${number}`, this.levels.map((level) => [level, level[0].toUpperCase() + level.slice(1)]));
    choice.input.value = this.levels[Math.floor(this.levels.length / 2)];
    this.computers.push(choice);
    announce(`Computer ${number} added.`);
    this.show();
    choice.input.focus();
  }

  removeComputer() {
    this.computers.pop();
    announce(`Computer ${this.computers.length + 1} removed.`);
    this.show();
    (this.computers.length ? this.list.querySelector("button") ?? this.add : this.add).focus();
  }

  /** The computers that fit: a duel has one at most. */
  get playing() {
    return this.computers.slice(0, this.kind === "duel" ? 1 : MOST_PLAYERS - 1);
  }

  /** Show what can be chosen. */
  show() {
    const isRace = this.kind === "race";
    const isOwn = this.pace.input.value === "own";
    this.goal.element.hidden = !isRace || !isOwn;
    this.keyPegs.element.hidden = isRace || !isOwn;
    this.places.element.hidden = !isRace;
    const { playing } = this;
    const places = isRace ? Number(this.places.input.value) : 2;
    const least = playing.length + 1;
    for (const option of this.places.input.options) option.disabled = Number(option.value) < Math.max(2, least);
    if (isRace && places < least) this.places.input.value = String(least);
    this.add.hidden = playing.length >= (isRace ? MOST_PLAYERS - 1 : 1);
    this.add.textContent = isRace ? "Add a computer" : "Against the computer";
    this.list.replaceChildren(
      ...playing.map((choice, at) =>
        element("li", {}, choice.element, at === playing.length - 1 && element("button", { type: "button", "aria-label": `Remove computer ${at + 1}`, onclick: () => this.removeComputer() }, "Remove")),
      ),
    );
    this.list.hidden = playing.length === 0;
    this.submitButton.textContent = !isRace && playing.length ? "Start the duel" : `Open the ${this.kind}`;
    this.problem.textContent = "";
  }

  /** @returns {import("../wire.js").NewMatch} */
  wanted() {
    const isRace = this.kind === "race";
    const pace = this.pace.input.value === "together" ? "together" : "own";
    return {
      id: this.id,
      kind: this.kind,
      board: this.boards.input.value,
      name: this.name.value.trim() || null,
      pace,
      goal: isRace && pace === "own" && this.goal.input.value === "time" ? "time" : "rows",
      keys_shown: this.shown.input.value === "yes",
      key_pegs: !isRace && pace === "own" && this.keyPegs.input.value === "by-hand" ? "by-hand" : "referee",
      row_seconds: Number(this.time.input.value),
      places: isRace ? Number(this.places.input.value) : 2,
      computers: this.playing.map(({ input }) => input.value),
    };
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    if (this.busy) return;
    const name = this.name.value.trim();
    this.problem.textContent = (name && whyInvalidName(name)) || "";
    if (this.problem.textContent) return;
    this.busy = true;
    try {
      const { id } = await openMatch(this.wanted());
      if (name) keepPreferences({ name });
      location.assign(`/match/${id}`);
    } catch (problem) {
      this.busy = false;
      if (!(problem instanceof Problem)) throw problem;
      if (problem.status !== 0) this.id = newMatchId();
      this.problem.textContent = sentence(problem.message);
    }
  }
}

/** @param {string} name */
function boardWords(name) {
  const board = parseBoard(name);
  return board ? describeBoard(board) : name;
}

/**
 * @param {string} id
 * @param {string} label
 * @param {(string | number)[][]} options each with its value and its words
 * @param {() => void} [changed]
 * @returns {Choice}
 */
function select(id, label, options, changed = () => {}) {
  const input = element("select", { id, onchange: changed }, ...options.map(([value, words]) => element("option", { value }, String(words))));
  return { input, element: element("label", { class: "field" }, label, input) };
}
