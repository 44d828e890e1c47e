/** The review: a finished game of a table, or of a record that is pasted or opened. */

import { answered, isSmall } from "../game/analysis.js";
import { PRESETS } from "../game/board.js";
import { describeCode, Refusal, shortCode } from "../game/code.js";
import { describeKeyPegs } from "../game/keypegs.js";
import { parseRecord } from "../game/record.js";
import { sealLine } from "../game/seal.js";
import { luckAndSkill, MARKS, rated, ratingSummary, verdicts, worst } from "../game/verdict.js";
import { askAdvice, askRating, patiently, readTable, sentence } from "../live/api.js";
import { codesLeftChart } from "../view/chart.js";
import { element, find } from "../view/element.js";
import { keyCluster } from "../view/peg.js";
import { Practice } from "../view/practice.js";
import { furnish } from "../view/look.js";
import { pegRow, strip } from "../view/reading.js";

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
    /** @type {Verdict[]} */
    this.all = [];
    this.detail = element("section", { class: "card stack", "aria-live": "polite", "aria-label": "The row" });
    this.buttons = /** @type {HTMLButtonElement[]} */ ([]);
    this.list = element("ol", { class: "review-rows", "aria-label": "Rows" });
    this.chart = element("div", {});
    this.summary = element("p", { class: "summary" }, "The solver is thinking…");
    const seal = sealLine(board, game);
    this.element = element(
      "div",
      { class: "review" },
      element(
        "div",
        { class: "stack" },
        game.secret && strip("Code", game.secret, null, board),
        Boolean(seal) && element("p", { class: "seal" }, seal),
        element("p", { class: "reason columns", "aria-hidden": "true" }, element("span", {}, "row"), element("span", {}, "codes left after it")),
        this.list,
        this.chart,
        element("p", { class: "reason" }, "Codes left after each row, on a logarithmic scale."),
        this.summary,
      ),
      this.detail,
    );
    /** The row the reader went to; null until they went anywhere. @type {number | null} */
    this.chosen = null;
    this.practising = false;
    if (isSmall(board)) this.found(verdicts(board, game.rows), luckAndSkill(board, game.rows));
    this.rate();
  }

  /**
   * @param {Verdict[]} all
   * @param {string} summary
   */
  found(all, summary) {
    this.summary.textContent = summary;
    if (all.length === 0) return;
    this.all = all;
    this.buttons = all.map((verdict) => this.button(verdict));
    this.list.replaceChildren(...this.buttons.map((button) => element("li", {}, button)));
    this.chart.replaceChildren(codesLeftChart([all[0].review.before, ...all.map(({ review }) => review.after)]));
    if (!this.practising) this.show(this.chosen === null ? worst(all) : all[this.chosen - 1]);
  }

  /** @param {number} row */
  choose(row) {
    this.chosen = row;
    this.practising = false;
    this.show(this.all[row - 1]);
  }

  /** The browser looks one guess ahead, on boards of a size; the solver, when it answers, to the end. */
  async rate() {
    const { board, game, all } = this;
    try {
      const rating = await patiently(() => askRating(board.name, answered(game.rows)));
      this.found(rated(board, game.rows, rating, all), ratingSummary(rating));
    } catch (problem) {
      if (all.length === 0) this.summary.textContent = /** @type {Error} */ (problem).message;
    }
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
    this.detail.replaceChildren(...[
      element("h2", {}, `Row ${row}: ${MARKS[mark].words}`),
      ...words.map((line) => element("p", {}, line)),
      ...(best && mark !== "best" ? [strip("Better", best, null, this.board), !isSmall(this.board) && this.reason(row)] : []),
      left.length > 0 && element("details", {}, element("summary", {}, `The codes possible then${more}`), element("ul", { class: "code-list" }, ...codes)),
      element("div", { class: "buttons" }, ...this.steps(row), ...this.again(verdict)),
    ].filter((part) => part !== false));
  }

  /**
   * Why the best guess is the best, where only the solver can say.
   * @param {number} row
   */
  reason(row) {
    const words = element("p", {}, "…");
    patiently(() => askAdvice(this.board.name, answered(this.game.rows).slice(0, row - 1)))
      .then(({ why }) => (words.textContent = sentence(why)))
      .catch(() => words.remove());
    return words;
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
      const practice = new Practice(this.board, secret, answered(rows).slice(0, row - 1));
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
