/**
 * The view of a table: board, row being filled, tray, answer panel, score line, banner. It is made
 * once for a board; `update` shows a state. It makes no decisions.
 */

import { clock, wrongAnswers } from "../game/rowwords.js";
import { headline, nextStep } from "../game/sentences.js";
import { situation } from "../game/situation.js";
import { AnswerPanel } from "./answer.js";
import { Banner } from "./banner.js";
import { BoardView } from "./board.js";
import { measure, MOST_IN_VIEW } from "./boardsize.js";
import { Coach } from "./coach.js";
import { element } from "./element.js";
import { focusKeeper } from "./focus.js";
import { Hand } from "./hand.js";
import { outcome } from "./outcome.js";
import { ScoreLine } from "./scoreline.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/draft.js").Draft} Draft */
/** @typedef {import("../game/situation.js").Action} Action */

/**
 * @typedef {object} DeskState
 * @property {Table} table
 * @property {Draft} draft
 * @property {boolean} shared whether both players use this screen
 * @property {boolean} masked whether the maker's own secret is hidden
 * @property {boolean} busy whether a command is waiting for its reply
 * @property {Action[]} actions
 */

/**
 * @typedef {import("./hand.js").HandHandlers & {
 *   copy: (row: number) => void, act: (action: Action) => void,
 *   answer: (keys: import("../game/keypegs.js").KeyPegs) => void, peek: (on: boolean) => void,
 *   sit: (name: string) => void
 * }} DeskHandlers
 */

/** The button for the next game says what comes next. @type {Record<Exclude<Action, "next-game">, string>} */
const ACTION_WORDS = {
  hint: "Hint",
  challenge: "Challenge",
  rematch: "Rematch",
  claim: "Claim the series",
  "offer-time": "Give one more minute",
  "accept-limit": "Accept",
  "decline-limit": "Decline",
  "withdraw-limit": "Withdraw the proposal",
  "propose-limit": "Propose a time limit",
  resign: "Give up",
};
/** The time left at which the clock is highlighted. */
const SHORT_MS = 20_000;
const PRIMARY = ["next-game", "rematch", "claim", "accept-limit"];
const PLAIN = ["resign", "propose-limit"];
/** The replies to a proposed time limit, which stand beside it. */
const REPLIES = ["accept-limit", "decline-limit", "withdraw-limit"];
/** The actions that must be in reach while a row is filled. */
const QUICK = ["hint", "challenge"];

/** The fewest rows of a board that has room for tips while the first two rows are filled. */
const FEWEST_FOR_TIPS = 6;

export class Desk {
  /**
   * @param {Board} board
   * @param {DeskHandlers} handlers
   */
  constructor(board, handlers) {
    this.handlers = handlers;
    this.board = new BoardView(board, handlers);
    this.hand = new Hand(board, handlers);
    this.answer = new AnswerPanel(board, { changed: (keys) => this.board.layKeys(keys), submit: handlers.answer });
    this.scoreLine = new ScoreLine();
    this.headline = element("h1", { class: "headline", tabindex: -1 });
    this.clock = element("p", { class: "clock", role: "timer", hidden: true });
    this.outcome = element("div", { class: "outcome-place" });
    this.limit = element("p", { class: "limit", id: "limit-line", hidden: true });
    this.replies = element("div", { class: "actions", role: "group", "aria-labelledby": "limit-line" });
    this.actions = element("div", { class: "actions", role: "group", "aria-label": "What you can do" });
    this.quick = element("div", { class: "quick actions", role: "group", "aria-label": "Help with this row" });
    this.watching = element("p", { class: "watching", hidden: true }, "You are watching");
    this.top = element("div", { class: "top" }, this.headline, this.watching, this.clock);
    this.coach = new Coach();
    this.peek = this.peekButton();
    this.banner = new Banner(handlers.sit);
    this.board.element.append(this.hand.element);
    this.slab = element("div", { class: "slab" }, this.board.element);
    this.dock = element("div", { class: "dock" }, this.hand.tray, this.hand.go, this.answer.element, this.peek, this.quick);
    this.panel = element("aside", { class: "panel", "aria-label": "Game" }, this.scoreLine.element, this.limit, this.replies, this.actions, this.outcome);
    this.element = element(
      "div",
      { class: "play" },
      this.top,
      this.banner.element,
      this.slab,
      this.dock,
      this.panel,
    );
    this.keepFocus = focusKeeper(this.element, () => this.start());
    measure(this.element, board, this.hand.swatches.length);
    // Over the empty rows at the top of the board, so that nothing moves when it goes.
    const hasRoom = board.rows >= FEWEST_FOR_TIPS && board.rows <= MOST_IN_VIEW;
    (hasRoom ? this.slab : this.dock).prepend(this.coach.element);
    this.outcomeText = "";
    /** @type {Table | null} */
    this.told = null;
    this.game = "";
    this.nextWords = "";
  }

  /** @param {DeskState} state */
  update(state) {
    const { table, draft, shared, masked } = state;
    const { hand, row, game, role, over } = situation(table);
    // On a shared screen both players read the result, so that nobody is "you".
    const told = shared && over ? { ...table, seat: null } : table;
    this.element.dataset.hand = hand ?? "none";
    this.element.dataset.over = String(over);
    this.headline.textContent = headline(told);
    this.watching.hidden = table.seat !== null || table.status.stage === "waiting";
    this.hand.element.hidden = hand !== "guess" && hand !== "secret";
    this.hand.tray.hidden = this.hand.element.hidden;
    this.hand.go.hidden = this.hand.element.hidden;
    this.answer.element.hidden = hand !== "answer";
    // It must stay while it is pressed: hiding a button ends the press.
    this.peek.hidden = !(shared && role === "maker" && !game.revealed && (game.secret || hand === "secret"));
    this.coach.update(table, draft);
    this.hand.update(draft, this.handWords(state));
    this.board.update({
      rows: game.rows,
      active: table.status.phase === "guess" || table.status.phase === "answer" ? row : null,
      secret: game.secret ?? [],
      shield: game.revealed ? "open" : game.secret && !masked ? "peek" : "closed",
      marked: over ? wrongAnswers(game, table.board).map((wrong) => wrong.row) : [],
    });
    if (hand === "answer") this.answer.begin(row);
    if (this.game !== game.id) scrollTo({ top: 0 });
    this.game = game.id;
    this.scoreLine.update(table, shared);
    this.updateOutcome(told);
    this.updateLimit(told);
    this.nextWords = nextStep(told);
    this.updateActions(state.actions);
  }

  /** Where to begin: the row or the answer to fill; otherwise not a button, which Enter would press. */
  start() {
    if (!this.hand.element.hidden) return this.hand.stop;
    return this.answer.element.hidden ? this.headline : this.answer.none;
  }

  /**
   * @param {DeskState} state
   */
  handWords({ table, masked, busy }) {
    const { hand, row } = situation(table);
    if (hand === "secret") return { number: "?", label: "Your secret code", check: "Hide this code", masked, busy, lasts: false };
    return { number: String(row), label: `Row ${row}`, check: "Check", masked: false, busy };
  }

  /** @param {number | null} left the milliseconds left in this turn */
  updateClock(left) {
    this.clock.hidden = left === null;
    this.clock.textContent = left === null ? "" : clock(left);
    this.clock.classList.toggle("short", left !== null && left < SHORT_MS);
  }

  /** Loaded on demand, to keep the page small. @param {Table} table */
  async updateLimit(table) {
    const { proposal, limit, next_limit: next } = table.status;
    this.told = table;
    const words = proposal || limit !== next ? await import("../game/turnlimit.js").catch(() => null) : null;
    if (this.told !== table) return;
    this.limit.textContent = words?.limitLine(table) ?? "";
    this.limit.hidden = !this.limit.textContent;
  }

  /** @param {Table} table */
  updateOutcome(table) {
    const shown = outcome(table);
    const text = shown?.textContent ?? "";
    if (text === this.outcomeText) return;
    this.outcomeText = text;
    this.outcome.replaceChildren(...(shown ? [shown] : []));
  }

  /** @param {Action[]} actions */
  updateActions(actions) {
    const names = `${actions.join()} ${this.nextWords}`;
    if (this.actions.dataset.names !== names) {
      this.actions.dataset.names = names;
      const groups = [this.quick, this.replies, this.actions];
      const groupOf = (/** @type {Action} */ action) => (QUICK.includes(action) ? this.quick : REPLIES.includes(action) ? this.replies : this.actions);
      for (const group of groups) group.replaceChildren(...actions.filter((action) => groupOf(action) === group).map((action) => this.actionButton(action)));
    }
    this.keepFocus();
  }

  /** @param {Action} action */
  actionButton(action) {
    return element(
      "button",
      {
        type: "button",
        class: PRIMARY.includes(action) ? "primary" : PLAIN.includes(action) ? "plain" : "",
        "data-action": action,
        onclick: () => this.handlers.act(action),
      },
      action === "next-game" ? this.nextWords : ACTION_WORDS[action],
    );
  }

  peekButton() {
    const on = () => this.handlers.peek(true);
    const off = () => this.handlers.peek(false);
    return element(
      "button",
      {
        type: "button",
        class: "peek",
        hidden: true,
        onpointerdown: on,
        onpointerup: off,
        onpointerleave: off,
        onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === " " && on(),
        onkeyup: off,
        onblur: off,
      },
      "Hold to see your code",
    );
  }
}
