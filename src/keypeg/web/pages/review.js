/** The review: a finished game of a table, or of a record that is pasted or opened. */

import { answered, isSmall } from "../game/analysis.js";
import { PRESETS } from "../game/board.js";
import { describeCode, Refusal, shortCode } from "../game/code.js";
import { describeKeyPegs } from "../game/keypegs.js";
import { parseRecord } from "../game/record.js";
import { luckAndSkill, MARKS, rated, ratingSummary, verdicts, worst } from "../game/verdict.js";
import { askRating, readTable } from "../live/api.js";
import { patiently } from "../live/patience.js";
import { codesLeftChart } from "../view/chart.js";
import { element, find } from "../view/element.js";
import { keyCluster } from "../view/peg.js";
import { Practice } from "../view/practice.js";
import { furnish, pegRow, strip } from "../view/reading.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/record.js").RecordedGame} RecordedGame */
/** @typedef {import("../game/verdict.js").Verdict} Verdict */

const SHOWN_CODES = 60;

class Review {
  /**
   * @param {Board} board
   * @param {RecordedGame} game
   */
  constructor(board, game) {
    this.board = board;
    this.game = game;
    this.all = verdicts(board, game.rows);
    this.detail = element("section", { class: "card stack", "aria-live": "polite", "aria-label": "The row" });
    this.buttons = /** @type {HTMLButtonElement[]} */ ([]);
    this.list = element("ol", { class: "review-rows", "aria-label": "Rows" });
    this.summary = element("p", { class: "summary" }, luckAndSkill(this.all));
    this.element = element(
      "div",
      { class: "review" },
      element(
        "div",
        { class: "stack" },
        game.secret && strip("Code", game.secret, null, board),
        this.list,
        codesLeftChart([this.all[0].review.before, ...this.all.map(({ review }) => review.after)]),
        element("p", { class: "reason" }, "Codes left after each row, on a logarithmic scale."),
        this.summary,
      ),
      this.detail,
    );
    /** The row the reader went to; null until they went anywhere. @type {number | null} */
    this.chosen = null;
    this.practising = false;
    this.showAll();
    this.rate();
  }

  showAll() {
    this.buttons = this.all.map((verdict) => this.button(verdict));
    this.list.replaceChildren(...this.buttons.map((button) => element("li", {}, button)));
    if (!this.practising) this.show(this.chosen === null ? worst(this.all) : this.all[this.chosen - 1]);
  }

  /** @param {number} row */
  choose(row) {
    this.chosen = row;
    this.practising = false;
    this.show(this.all[row - 1]);
  }

  /** The browser looks one guess ahead; the solver, when it answers, to the end. */
  async rate() {
    const rating = await patiently(() => askRating(this.board.name, answered(this.game.rows))).catch(() => null);
    if (!rating) return;
    this.all = rated(this.all, rating, this.board);
    this.summary.textContent = ratingSummary(rating, this.all.length);
    this.showAll();
  }

  /** @param {Verdict} verdict */
  button(verdict) {
    const { row, code, keys, review, mark } = verdict;
    return element(
      "button",
      {
        type: "button",
        class: "review-row",
        "aria-label": `Row ${row}: ${describeCode(code, this.board)}. ${describeKeyPegs(keys, this.board)}. ${review.after} codes left. ${MARKS[mark].words}`,
        onclick: () => this.choose(row),
      },
      element("span", {}, String(row)),
      pegRow(code, this.board),
      keyCluster(keys, this.board),
      element("span", { class: "left" }, review.after.toLocaleString("en")),
      element("span", { title: MARKS[mark].words }, MARKS[mark].sign),
    );
  }

  /** @param {Verdict} verdict */
  show(verdict) {
    const { row, mark, words, left, best } = verdict;
    this.buttons.forEach((button, index) => button.setAttribute("aria-current", String(index + 1 === row)));
    const codes = left.slice(0, SHOWN_CODES).map((code) => element("li", {}, shortCode(code, this.board)));
    const more = left.length > SHOWN_CODES ? `, the first ${SHOWN_CODES} of ${left.length.toLocaleString("en")}` : "";
    this.detail.replaceChildren(
      element("h2", {}, `Row ${row}: ${MARKS[mark].words}`),
      ...words.map((line) => element("p", {}, line)),
      ...(best && mark !== "best" ? [strip("Better", best.guess, null, this.board)] : []),
      element("details", {}, element("summary", {}, `The codes possible then${more}`), element("ul", { class: "code-list" }, ...codes)),
      element("div", { class: "buttons" }, ...this.steps(row), ...this.again(verdict)),
    );
  }

  /** @param {number} row */
  steps(row) {
    const go = (/** @type {number} */ to) => () => this.choose(to);
    return [
      element("button", { type: "button", onclick: go(Math.max(1, row - 1)) }, "Row before"),
      element("button", { type: "button", onclick: go(Math.min(this.all.length, row + 1)) }, "Next row"),
    ];
  }

  /** @param {Verdict} verdict */
  again({ row }) {
    const { secret, rows } = this.game;
    if (!secret) return [];
    const begin = () => {
      const practice = new Practice(this.board, secret, rows.slice(0, row - 1));
      this.practising = true;
      this.detail.replaceChildren(practice.element);
    };
    return [element("button", { type: "button", class: "primary", onclick: begin }, "Try again from here")];
  }
}

/**
 * @param {Board} board
 * @param {RecordedGame[]} games
 * @param {number} chosen
 */
function showGames(board, games, chosen) {
  const played = games.filter((game) => game.rows.some((row) => row.code && row.black !== null));
  if (!isSmall(board)) throw new Refusal("This board has too many codes to review here; up to 100,000 can be.");
  if (played.length === 0) throw new Refusal("No row of this record is answered; there is nothing to review.");
  furnish(board);
  const place = element("div", {});
  const show = (/** @type {number} */ index) => place.replaceChildren(new Review(board, played[index]).element);
  const tabs = played.map((_, index) =>
    element("button", { type: "button", onclick: () => show(index) }, `Game ${index + 1}`),
  );
  find("#review").replaceChildren(element("div", { class: "stack" }, played.length > 1 && element("div", { class: "buttons" }, ...tabs), place));
  show(Math.min(chosen, played.length - 1));
}

function askForRecord() {
  const problem = element("p", { class: "wrong", role: "alert" });
  const text = element("textarea", { id: "record", spellcheck: "false", placeholder: "keypeg record 1\nboard: classic\n\nsecret RD WH BU GN\nguess WH YW BU BK\n…" });
  const read = () => attempt(problem, () => {
    const { board, games } = parseRecord(text.value);
    showGames(board, games, 0);
  });
  const file = element("input", {
    type: "file",
    id: "file",
    accept: ".txt,text/plain",
    onchange: async () => {
      text.value = (await file.files?.[0]?.text()) ?? "";
      read();
    },
  });
  find("#review").replaceChildren(
    element(
      "section",
      { class: "stack" },
      element("p", { class: "lead" }, "Every finished game can be reviewed from its table. Here is the place for a game that was written down."),
      element("label", { for: "record" }, "A record, as text"),
      text,
      element("label", { for: "file" }, "or a file"),
      file,
      problem,
      element("div", { class: "buttons" }, element("button", { type: "button", class: "primary", onclick: read }, "Review")),
    ),
  );
}

/**
 * @param {HTMLElement} problem
 * @param {() => void} deed
 */
function attempt(problem, deed) {
  try {
    deed();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    problem.textContent = error.message;
  }
}

async function start() {
  const asked = new URLSearchParams(location.search);
  const id = asked.get("table");
  furnish(PRESETS[0]);
  askForRecord();
  if (!id) return;
  const problem = /** @type {HTMLElement} */ (document.querySelector("#review .wrong"));
  const table = await readTable(id).catch((error) => {
    problem.textContent = error.message;
  });
  if (!table) return;
  const finished = table.games.filter((game) => game.revealed);
  attempt(problem, () => showGames(table.board, finished, Number(asked.get("game") ?? 1) - 1));
}

start();
