/**
 * The view of a match that is played, or over: the board, the row being filled, the other players, the
 * result. It is made once; `update` shows a state. What may be done are the options of the server.
 */

import { counted } from "../game/board.js";
import { codeFor, me, nameOf, recorded, rivalOf, rowOf, tasks, toAnswer } from "../game/match.js";
import { clockWords, headline, ownPlace } from "../game/matchwords.js";
import { wrongAnswers } from "../game/rowwords.js";
import { BoardView } from "./board.js";
import { measure } from "./boardsize.js";
import { draggable } from "./drag.js";
import { element } from "./element.js";
import { focusKeeper } from "./focus.js";
import { Hand } from "./hand.js";
import { HandAnswer } from "./handanswer.js";
import { listenToKeys } from "./keyboard.js";
import { Glance, Lanes } from "./lanes.js";
import { strip } from "./reading.js";
import { sealed, sealParts } from "./seals.js";
import { announce } from "./status.js";

/** @typedef {import("../wire.js").MatchView} MatchView */
/** @typedef {import("../wire.js").MatchPlayer} MatchPlayer */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {import("../game/draft.js").Draft} Draft */
/** @typedef {import("../game/match.js").Task} Task */
/** @typedef {"challenge" | "close" | "another" | "give-up"} Action */

/**
 * @typedef {object} MatchState
 * @property {MatchView} match
 * @property {Draft} draft
 * @property {Task | null} task what the player is doing, of what can be done
 * @property {number | null} chosen whose rows are shown once nothing is to be filled; null is one's own
 * @property {boolean} busy whether a command is waiting for its reply
 */

/**
 * @typedef {import("./hand.js").HandHandlers & {
 *   copy: (row: number) => void, act: (action: Action) => void, random: () => void,
 *   answer: (row: number, keys: import("../game/keypegs.js").KeyPegs) => void,
 *   turnTo: (task: Task) => void, show: (number: number) => void,
 *   drop: (drop: import("./drag.js").Drop) => void, discard: (hole: number) => void,
 *   key: (action: import("../look/keys.js").KeyAction) => void
 * }} MatchDeskHandlers
 */

/** The time left at which the clock is highlighted. */
const SHORT_MS = 20_000;

export class MatchDesk {
  /**
   * @param {import("../wire.js").Board} board
   * @param {MatchDeskHandlers} handlers
   */
  constructor(board, handlers) {
    this.handlers = handlers;
    this.boardView = new BoardView(board, handlers);
    this.hand = new Hand(board, handlers);
    this.answer = new HandAnswer(board, handlers.answer);
    this.lanes = new Lanes(handlers.show);
    this.glance = new Glance();
    this.headline = element("h1", { class: "headline", tabindex: -1 });
    this.watching = element("p", { class: "watching", hidden: true });
    this.clock = element("p", { class: "clock", role: "timer", hidden: true });
    this.note = element("p", { class: "banner note", hidden: true });
    this.turns = element("div", { class: "turns", role: "group", "aria-label": "What to do now" });
    this.random = element("button", { type: "button", title: "Fill the row with a random code", onclick: () => handlers.random() }, "Random");
    this.hand.edits.append(this.random);
    this.quick = element("div", { class: "quick actions", role: "group", "aria-label": "About the answers" });
    this.leave = element("div", { class: "actions" });
    this.actions = element("div", { class: "actions", role: "group", "aria-label": "What you can do" });
    this.outcome = element("div", { class: "outcome-place" });
    this.code = element("div", { class: "own-code" });
    this.seals = element("details", { class: "seals" });
    this.top = element("div", { class: "top" }, this.headline, this.watching, this.clock);
    this.boardView.element.append(this.hand.element);
    this.slab = element("div", { class: "slab" }, this.boardView.element);
    this.dock = element("div", { class: "dock" }, this.turns, this.hand.tray, this.hand.go, this.answer.element, this.quick);
    this.panel = element("aside", { class: "panel", "aria-label": "The match" }, this.actions, this.lanes.element, this.outcome, this.code, this.seals, this.leave);
    this.element = element("div", { class: "play match" }, this.top, this.note, this.glance.element, this.slab, this.dock, this.panel);
    this.keepFocus = focusKeeper(this.element, () => this.start());
    measure(this.element, board, this.hand.swatches.length);
    draggable(this.element, handlers);
    listenToKeys(board, { listens: () => true, place: (peg) => this.placeByKey(peg), perform: handlers.key, rove: (step) => this.hand.rove(step) });
    /** What is shown, so that only what has changed is made again. @type {Map<HTMLElement, string>} */
    this.shown = new Map();
  }

  /** @param {number} peg */
  placeByKey(peg) {
    this.handlers.place(peg);
    this.hand.takeKeyboard();
  }

  /** @param {MatchState} state */
  update(state) {
    const { match, draft, task } = state;
    const over = match.stage === "over";
    const isFilling = task === "guess" || task === "secret";
    this.element.dataset.hand = task ?? "none";
    this.element.dataset.over = String(over);
    this.headline.textContent = headline(match, task);
    this.hand.element.hidden = !isFilling;
    this.hand.tray.hidden = !isFilling;
    this.hand.go.hidden = !isFilling;
    this.random.hidden = task !== "secret";
    this.answer.element.hidden = task !== "answer";
    this.dock.hidden = task === null && !match.options.includes("challenge");
    this.hand.update(draft, handWords(state));
    this.answer.update(match);
    const player = shownPlayer(state);
    this.boardView.update(drawn(match, player, task));
    this.watching.hidden = player === null || player.number === match.you;
    this.watching.textContent = player ? `${match.you === null && !over ? "You are watching: " : ""}${nameOf(match, player.number)}'s rows` : "";
    this.glance.update(match);
    this.lanes.update(match, player?.number ?? null, task === null && match.players.length > 1 && (over || match.players.some(({ number, rows }) => number !== match.you && rows !== null)));
    this.updateTurns(match, task);
    this.updateActions(match);
    this.updateOutcome(match, player);
    this.updateCode(match, task);
    this.updateSeals(match);
    this.keepFocus();
    // The focus was put there because there was nothing to do.
    if (task !== null && document.activeElement === this.headline) this.start().focus({ preventScroll: true });
  }

  /** Where to begin: the row or the answer to fill; otherwise not a button, which Enter would press. */
  start() {
    if (!this.hand.element.hidden) return this.hand.stop;
    return this.answer.element.hidden ? this.headline : this.answer.stop;
  }

  /** @param {number | null} due @param {number} now as the server counts */
  updateClock(due, now) {
    this.clock.hidden = due === null;
    this.clock.textContent = clockWords(due, now);
    this.clock.classList.toggle("short", due !== null && due - now < SHORT_MS);
  }

  /** Say that the server cannot be reached, or stop saying it. @param {string} words */
  tell(words) {
    this.note.hidden = words === "";
    this.note.textContent = words;
  }

  /**
   * Make the content of a part again if it is to be another.
   * @param {HTMLElement} part
   * @param {unknown} what it depends on
   * @param {() => (Node | string | null | false)[]} make
   */
  renew(part, what, make) {
    const text = JSON.stringify(what);
    if (this.shown.get(part) === text) return;
    this.shown.set(part, text);
    part.replaceChildren(...make().filter((child) => child !== null && child !== false));
  }

  /** In a duel by hand there can be two things to do. @param {MatchView} match @param {Task | null} task */
  updateTurns(match, task) {
    const open = tasks(match);
    const row = toAnswer(match);
    this.turns.hidden = open.length < 2;
    this.renew(this.turns, [open, task, row, rowOf(match)], () =>
      open.map((one) => element("button", { type: "button", "aria-pressed": String(one === task), onclick: () => this.handlers.turnTo(one) }, one === "answer" && row ? `Answer ${nameOf(match, row.player)}` : `My row ${rowOf(match)}`)),
    );
  }

  /** @param {MatchView} match */
  updateActions(match) {
    /** @type {Record<Action, string>} */
    const words = { another: `Another ${match.kind}`, challenge: "Challenge", close: "Accept all answers", "give-up": "Give up" };
    const button = (/** @type {Action} */ action, style = "") => match.options.includes(action) && element("button", { type: "button", class: style, "data-action": action, onclick: () => this.handlers.act(action) }, words[action]);
    const next = match.next !== null && element("a", { class: "button primary", href: `/match/${match.next}` }, `To the next ${match.kind}`);
    const what = [match.options, match.next];
    this.renew(this.actions, what, () => [next, button("another", "primary"), button("close", "primary")]);
    this.renew(this.quick, what, () => [button("challenge")]);
    this.renew(this.leave, what, () => [button("give-up", "plain")]);
  }

  /**
   * @param {MatchView} match
   * @param {MatchPlayer | null} player whose rows are on the board
   */
  updateOutcome(match, player) {
    const { stage, codes, challenges, board, you } = match;
    this.renew(this.outcome, [stage, codes, challenges, player?.number, match.options.includes("close"), me(match)?.done], () => {
      const told = challenges.map((one) => element("p", {}, `${one.player === you ? "Your challenge" : `The challenge of ${nameOf(match, one.player)}`} was ${one.upheld ? "upheld" : "rejected"}.`));
      const isDone = stage === "playing" && (me(match)?.done ?? false);
      const open = match.options.includes("close")
        ? element("p", { class: "offer" }, "Is an answer wrong? Challenge it now, or accept all answers.")
        : isDone && element("p", {}, "The result comes when everybody is done.");
      if (stage !== "over" || !codes) return told.length || open ? [element("div", { class: "outcome" }, open, ...told)] : [];
      const place = ownPlace(match);
      const code = codeFor(match, player);
      const wrong = code && player?.rows ? wrongAnswers(recorded(match, player), board) : [];
      const seal = element("p", { class: "seal" });
      verify(match, seal);
      return [
        element(
          "div",
          { class: "outcome" },
          place !== "" && element("p", { class: "offer" }, place),
          ...wrong.map(({ text }) => element("p", {}, text)),
          ...told,
          seal,
          player !== null && hasAnswers(player) && element("div", { class: "buttons" }, player.number === you && shareButton(match, player), element("a", { class: "button", href: `/review?match=${match.id}&player=${player.number}` }, player.number === you ? "Review your game" : `Review the game of ${nameOf(match, player.number)}`)),
        ),
      ];
    });
  }

  /** The code that one has set, while it is played, unless it is shown with a row to answer. @param {MatchView} match @param {Task | null} task */
  updateCode(match, task) {
    const { secret, stage, you, board } = match;
    const isShown = secret !== null && stage === "playing" && you !== null && task !== "answer";
    this.code.hidden = !isShown;
    this.renew(this.code, [secret, isShown], () => (isShown && secret ? [element("p", { class: "reason" }, `Your code, which ${nameOf(match, rivalOf(match, you)?.number ?? 0)} breaks`), strip("Your code", secret, null, board, "")] : []));
  }

  /** @param {MatchView} match */
  updateSeals(match) {
    const set = sealed(match);
    this.seals.hidden = set.length === 0;
    this.renew(this.seals, set, () => sealParts(set));
  }
}

/** @param {MatchState} state */
function handWords({ match, task, busy }) {
  if (task === "secret") return { number: "?", label: "Your code for the other player", check: "Hide code", masked: false, busy, lasts: false };
  const row = rowOf(match);
  return { number: String(row), label: `Row ${row}`, check: "Check", masked: false, busy };
}

/**
 * Whose rows are on the board: one's own while something is to be done, otherwise those of whoever was chosen.
 * @param {MatchState} state
 */
function shownPlayer({ match, task, chosen }) {
  const { players } = match;
  const wanted = task === "guess" || task === "secret" ? match.you : chosen ?? match.you;
  return players.find(({ number }) => number === wanted) ?? players[0] ?? null;
}

/**
 * What the board shows.
 * @param {MatchView} match
 * @param {MatchPlayer | null} player
 * @param {Task | null} task
 * @returns {import("./board.js").Drawn}
 */
function drawn(match, player, task) {
  const rows = (player?.rows ?? []).filter((row) => row.code !== null || row.black !== null || row.expired);
  const isOwn = player !== null && player.number === match.you;
  const broken = rows.at(-1);
  const known = codeFor(match, player)?.code ?? (broken && broken.black === match.board.holes ? broken.code : null);
  const own = match.stage === "setting" && task === null ? match.secret : null;
  const wrong = match.stage === "over" && player ? wrongAnswers(recorded(match, player), match.board).map(({ row }) => row) : [];
  return {
    rows,
    active: isOwn && task === "guess" ? rows.length + 1 : null,
    secret: known ?? own ?? [],
    shield: known ? "open" : own ? "peek" : "closed",
    marked: wrong,
  };
}

/**
 * Copies one's own key pegs and the result, without the code. Loaded on demand.
 * @param {MatchView} match
 * @param {MatchPlayer} player
 */
function shareButton(match, player) {
  const share = async () => {
    const [{ sharedResult }, { copied }] = await Promise.all([import("../game/matchshare.js"), import("./invitation.js")]);
    button.textContent = (await copied(sharedResult(match, player))) ? "Copied, without spoilers" : "Could not copy";
    announce(`${button.textContent}.`);
  };
  const button = element("button", { type: "button", onclick: share }, "Copy the result to share");
  return button;
}

/** @param {MatchPlayer} player */
function hasAnswers({ rows }) {
  return rows?.some(({ black }) => black !== null) ?? false;
}

/**
 * Say whether all codes were fixed from the start. Loaded on demand.
 * @param {MatchView} match
 * @param {HTMLElement} place
 */
async function verify(match, place) {
  const seals = await import("../game/seal.js").catch(() => null);
  if (!seals) return place.remove();
  const games = match.kind === "race" ? [recorded(match, match.players[0])] : match.players.map((player) => recorded(match, player));
  const broken = games.filter((one) => !seals.sealHolds(match.board, one)).length;
  const words = { one: "✓ Verified: the code was fixed from the start.", all: "✓ Verified: both codes were fixed from the start." };
  place.textContent = broken ? `✗ Not verified: ${counted(broken, "code")} ${broken === 1 ? "is" : "are"} not what was sealed.` : games.length > 1 ? words.all : words.one;
}
