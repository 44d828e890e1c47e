/** How everybody has fared in a contest: a table by rows, time and loss, and the rows of each to look through. */

import { counted } from "../game/board.js";
import { entrantName, lossWords, rowsWords, timeWords } from "../game/contest.js";
import { Problem, sentence } from "../live/api.js";
import { readResults, readRows, readStanding } from "../live/contests.js";
import { element } from "./element.js";
import { strip } from "./reading.js";

/** @typedef {import("../wire.js").ContestView} ContestView */
/** @typedef {import("../wire.js").ContestResults} ContestResults */
/** @typedef {import("../wire.js").StandingLine} StandingLine */

const AGAIN_MS = 1500;
const MOST_AGAIN = 40;

export class ContestTable {
  /**
   * @param {ContestView} contest
   * @param {number | null} number of the code; null is the standing over all that one is done with
   */
  constructor(contest, number) {
    this.contest = contest;
    this.number = number;
    this.again = 0;
    this.table = element("div", { class: "scroll", role: "region", "aria-label": number ? "Results" : "Standing", tabindex: 0 });
    this.words = element("p", { class: "reason" });
    this.rows = element("div", { class: "stack", "aria-live": "polite" });
    const refresh = element("button", { type: "button", onclick: () => this.load() }, "Look again");
    this.element = element(
      "section",
      { class: "stack" },
      element("h2", {}, number ? "Everybody's rows" : "The standing"),
      this.table,
      this.words,
      element("div", { class: "buttons" }, refresh),
      this.rows,
    );
    this.load();
  }

  async load() {
    try {
      const { id } = this.contest;
      const results = await (this.number ? readResults(id, this.number) : readStanding(id));
      this.show(results);
      if (results.rating && this.again < MOST_AGAIN) setTimeout(() => this.element.isConnected && this.load(), AGAIN_MS);
      this.again += 1;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.words.textContent = sentence(problem.message);
    }
  }

  /** @param {ContestResults} results */
  show(results) {
    const { lines, codes } = results;
    const several = this.number === null;
    const heads = ["Place", "Player", "Rows", "Time", "Loss", ...(several ? codes.map((code) => `Code ${code}`) : ["Look"])];
    const body = lines.map((line) => element("tr", { class: line.you ? "mine" : null }, ...this.cells(line, results)));
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.entrant : undefined;
    this.table.replaceChildren(
      lines.length
        ? element(
            "table",
            {},
            element("caption", {}, several ? `Over ${counted(codes.length, "code")}` : `Code ${this.number}`),
            element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
            element("tbody", {}, ...body),
          )
        : element("p", {}, "Nobody is done yet."),
    );
    if (focused) /** @type {HTMLElement | null} */ (this.table.querySelector(`[data-entrant="${focused}"]`))?.focus();
    this.words.textContent = this.told(results);
  }

  /**
   * @param {StandingLine} line
   * @param {ContestResults} results
   */
  cells(line, { rating }) {
    const name = entrantName(line, line.entrant);
    const rows = this.number === null ? String(line.rows) : rowsWords(line.codes[0]);
    const look = () => element("button", { type: "button", "data-entrant": line.entrant, "aria-label": `The rows of ${name}`, onclick: () => this.look(line) }, "Rows");
    const cells = [
      element("td", {}, String(line.place)),
      element("td", {}, line.you ? `${name} (you)` : name),
      element("td", {}, rows),
      element("td", {}, timeWords(line.seconds)),
      element("td", {}, lossWords(line.loss, rating)),
    ];
    const more = this.number === null ? line.codes.map((code) => element("td", {}, rowsWords(code))) : [element("td", {}, look())];
    return [...cells, ...more];
  }

  /** @param {ContestResults} results */
  told({ under_way: playing, book }) {
    const most = this.contest.board.rows + 1;
    const others = playing ? `${counted(playing, "attempt")} not done yet. ` : "";
    const yardstick = book ? `The strategy book needs ${counted(book.length, "row")}. ` : "";
    return `${others}${yardstick}Not broken or not played counts ${most} rows. Equal rows: ${this.number === null ? "whoever has played more codes comes first, then " : ""}less time is better. The loss decides nothing.`;
  }

  /** Show what an entrant has played. @param {StandingLine} line */
  async look(line) {
    const { id, board } = this.contest;
    try {
      const { rows } = await readRows(id, this.number ?? 1, line.entrant);
      const heading = element("h3", { tabindex: -1 }, `The rows of ${entrantName(line, line.entrant)}`);
      this.rows.replaceChildren(heading, element("div", { class: "strips" }, ...rows.map((row, at) => strip(`Row ${at + 1}`, row.code, row, board, String(at + 1)))));
      heading.focus();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.rows.replaceChildren(element("p", { class: "wrong" }, sentence(problem.message)));
    }
  }
}
