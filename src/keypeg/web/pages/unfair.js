/** The page of the openly unfair maker. Its address has the board; the rows are stored in this browser. */

import { parseBoard, PRESETS } from "../game/board.js";
import { Refusal } from "../game/code.js";
import { BOARD_TITLES, BOARDS } from "../game/puzzles/address.js";
import { fewestWords, isOver, RULE } from "../game/unfair.js";
import { keepGuesses, keptGuesses } from "../live/unfair.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { announce } from "../view/status.js";
import { UnfairGameView } from "../view/unfairgame.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/unfair.js").UnfairGame} UnfairGame */

/** @type {Record<string, string>} */
const TITLES = { ...BOARD_TITLES, "advanced-blanks": "Advanced with blanks" };

class UnfairPage {
  constructor() {
    this.board = PRESETS[0];
    this.game = element("div", { class: "stack" });
    this.result = element("div", {});
    this.details = element("div", { class: "stack" });
    this.fewest = element("p", {});
    this.wrong = element("p", { class: "wrong", role: "alert" });
    this.boards = element("select", { id: "board", onchange: () => this.choose() });
    this.again = element("button", { type: "button", onclick: () => this.begin() }, "Begin again");
    const choice = element("section", { class: "stack more", "aria-label": "Its rule" }, this.fewest, element("p", {}, RULE), element("div", { class: "fields" }, element("label", { for: "board" }, "Board", this.boards)), this.wrong, element("div", { class: "buttons" }, this.again));
    find("#unfair").append(element("div", { class: "stack" }, this.game, this.result), element("div", { class: "stack side" }, this.details, choice));
    this.follow();
    addEventListener("popstate", () => this.follow());
  }

  /** Show the game on the board of the address. */
  follow() {
    this.open(parseBoard(new URLSearchParams(location.search).get("board") ?? "") ?? PRESETS[0]);
  }

  choose() {
    const board = parseBoard(this.boards.value);
    if (board && this.open(board)) history.pushState(null, "", address(board));
  }

  begin() {
    keepGuesses(this.board, []);
    this.open(this.board);
    announce("A new game.");
    find("#unfair .hand .hole").focus();
  }

  /**
   * Show the game on a board as far as it was played. If there is none on this board, say so.
   * @param {Board} board
   */
  open(board) {
    this.wrong.textContent = "";
    const names = [...BOARDS, "advanced-blanks"];
    this.boards.replaceChildren(...[...new Set([...names, board.name])].map((name) => element("option", { value: name }, TITLES[name] ?? name)));
    this.boards.value = board.name;
    setUpLook(board);
    this.fewest.textContent = fewestWords(board);
    try {
      this.game.replaceChildren(new UnfairGameView(board, keptGuesses(board), (game, isNew) => this.played(game, isNew)).element);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.wrong.textContent = error.message;
      return false;
    }
    this.board = board;
    return true;
  }

  /**
   * @param {UnfairGame} game
   * @param {boolean} isNew whether a row was just played
   */
  async played(game, isNew) {
    if (isNew) keepGuesses(game.board, game.rows.map((row) => row.code));
    this.again.hidden = game.rows.length === 0 || isOver(game);
    this.result.replaceChildren();
    this.details.replaceChildren();
    if (!isOver(game)) return;
    const { unfairDetails, unfairResult } = await import("../view/unfairoutcome.js");
    const result = unfairResult(game, location.origin + address(game.board), () => this.begin());
    this.result.replaceChildren(result);
    this.details.replaceChildren(...unfairDetails(game).filter((part) => part !== null));
    if (!isNew) return;
    const heading = /** @type {HTMLElement} */ (result.querySelector("h2"));
    announce(`${heading.textContent}.`);
    heading.focus();
  }
}

/** @param {Board} board */
function address({ name }) {
  return name === "classic" ? "/unfair" : `/unfair?board=${name}`;
}

new UnfairPage();
