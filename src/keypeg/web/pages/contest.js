/** Contests: making one, entering it, breaking its codes, and how everybody has fared. */

import { counted, describeBoard, PRESETS } from "../game/board.js";
import { computerWords, entrantName, invitationWords } from "../game/contest.js";
import { resultWords } from "../game/daily.js";
import { whyInvalidName } from "../game/names.js";
import { sealLine } from "../game/seal.js";
import { Problem, sentence } from "../live/api.js";
import { enterContest, guessContest, readContest, watchContest } from "../live/contests.js";
import { handedOver } from "../live/handover.js";
import { keepPreferences, readPreferences } from "../look/preferences.js";
import { AttemptGame } from "../view/attemptgame.js";
import { ContestForm } from "../view/contestform.js";
import { ContestTable } from "../view/contestresults.js";
import { element, find } from "../view/element.js";
import { linkCard } from "../view/invitation.js";
import { setUpLook } from "../view/look.js";
import { strip } from "../view/reading.js";

/** @typedef {import("../wire.js").ContestView} ContestView */
/** @typedef {import("../wire.js").ContestCode} ContestCode */

const place = find("#contest");

/**
 * @param {ContestView} contest
 * @param {number} chosen the number of the code that is shown
 */
function heading(contest, chosen) {
  const { board, closes, closed, codes } = contest;
  const when = closes === null ? "" : closed ? " It is closed." : ` It closes on ${new Date(closes).toLocaleString("en-GB", { dateStyle: "full", timeStyle: "short" })}.`;
  const tabs = codes.map(({ number, done }) =>
    element("button", { type: "button", "aria-current": number === chosen ? "page" : null, onclick: () => show(contest, number) }, `Code ${number}${done ? " ✓" : ""}`),
  );
  return element(
    "div",
    { class: "day" },
    element("p", { class: "lead" }, `${invitationWords(contest)} ${describeBoard(board)}.${computerWords(contest)}${when}${contest.watching ? " You watch." : ""}`),
    codes.length > 1 && element("nav", { class: "buttons", "aria-label": "Codes" }, ...tabs),
  );
}

/**
 * @param {ContestView} contest
 * @param {number} chosen
 */
function entering(contest, chosen) {
  const name = element("input", { id: "name", maxlength: 32, value: readPreferences().name, autocomplete: "nickname", "aria-describedby": "name-problem" });
  const problem = element("p", { class: "wrong", id: "name-problem", role: "alert" });
  const become = async (/** @type {Promise<ContestView>} */ asked) => {
    try {
      show(await asked, chosen);
    } catch (refused) {
      if (!(refused instanceof Problem)) throw refused;
      problem.textContent = sentence(refused.message);
    }
  };
  const enter = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = name.value.trim();
    problem.textContent = (text && whyInvalidName(text)) || "";
    if (problem.textContent) return;
    if (text) keepPreferences({ name: text });
    await become(enterContest(contest.id, text || null));
  };
  return element(
    "form",
    { class: "card", onsubmit: enter },
    element("p", {}, "Break it in as few rows as you can, now or later. You see the others' rows when you are done, and they see yours."),
    element("div", { class: "line" }, element("label", { class: "field" }, "Your name (may be empty)", name), element("button", { class: "primary" }, "Enter and play")),
    problem,
    element(
      "details",
      {},
      element("summary", {}, "Only watching?"),
      element("p", {}, "You see the codes at once, and the rows of everybody who is done. You cannot play in this contest any more."),
      element("div", { class: "buttons" }, element("button", { type: "button", onclick: () => become(watchContest(contest.id)) }, "Watch instead")),
    ),
  );
}

/**
 * @param {ContestView} contest
 * @param {number} chosen
 */
function playing(contest, chosen) {
  const game = new AttemptGame(contest, {
    board: contest.board,
    place: `contest-${contest.id}-${chosen}`,
    rows: (view) => codeOf(view, chosen).rows,
    isDone: (view) => codeOf(view, chosen).done,
    note: (_, left) => `${left}. You are ${contest.entrant && entrantName(contest.entrant, contest.entrant.number)}.`,
    guess: async (view, code) => {
      const answer = await guessContest(view.id, chosen, code);
      return { row: answer.row, view: answer.contest };
    },
    reread: () => readContest(contest.id),
    begun: () => {},
    done: async (view, result) => {
      result.replaceChildren(outcome(view, chosen));
      if (view !== contest) find(".side").replaceChildren(...details(view, chosen));
    },
  });
  return game.element;
}

/**
 * @param {ContestView} contest
 * @param {number} chosen
 */
function outcome(contest, chosen) {
  const { rows, done, ending, game, seal } = codeOf(contest, chosen);
  if (!ending) throw new Error("the code may not be known yet");
  const words = done ? resultWords(ending.broken ? rows.length : 0) : `Code ${chosen}`;
  const next = contest.codes.find((code) => !code.ending);
  return element(
    "section",
    { class: "card stack", "aria-label": "The result" },
    element("h2", { tabindex: -1 }, words),
    strip("Code", ending.code, null, contest.board, "="),
    element("p", { class: "seal" }, sealLine(contest.board, { id: game, seal, secret: ending.code, nonce: ending.nonce })),
    next !== undefined && element("div", { class: "buttons" }, element("button", { type: "button", class: "primary", onclick: () => show(contest, next.number) }, `Code ${next.number}`)),
  );
}

/**
 * What is shown beside the game: results once they may be known, the link and the seal.
 * @param {ContestView} contest
 * @param {number} chosen
 */
function details(contest, chosen) {
  const { seal, ending } = codeOf(contest, chosen);
  const known = contest.codes.filter((code) => code.ending);
  return [
    ending && new ContestTable(contest, chosen).element,
    contest.codes.length > 1 && known.length > 0 && new ContestTable(contest, null).element,
    !contest.closed && linkCard(`/contest/${contest.id}`, "Send it to others", "Whoever opens this link can play, alone and whenever they like."),
    element(
      "details",
      {},
      element("summary", {}, "The seal of this code"),
      element("p", {}, "This seal was made with the contest. It fixes the code without telling it; when you are done, this page verifies it."),
      element("p", {}, element("code", { class: "digest" }, seal)),
    ),
    element("p", {}, element("a", { href: "/contest" }, "Set a code yourself")),
  ].filter((child) => child !== null && child !== false);
}

/**
 * @param {ContestView} contest
 * @param {number} number
 * @returns {ContestCode}
 */
function codeOf(contest, number) {
  return contest.codes[number - 1];
}

/**
 * @param {ContestView} before
 * @param {number} chosen
 */
async function show(before, chosen) {
  const contest = await readContest(before.id).catch(() => before);
  setUpLook(contest.board);
  document.title = `${invitationWords(contest)} · keypeg`;
  const { ending } = codeOf(contest, chosen);
  const isPlayer = contest.entrant !== null && (!contest.closed || codeOf(contest, chosen).done);
  const isOpen = !contest.closed && (contest.drawn || !contest.yours);
  const main = isPlayer ? playing(contest, chosen) : ending ? outcome(contest, chosen) : isOpen ? entering(contest, chosen) : element("p", {}, counted(contest.codes.length, "code"));
  const side = element("div", { class: "stack side" }, ...details(contest, chosen));
  place.replaceChildren(heading(contest, chosen), main, side);
}

/** @param {unknown} problem */
function complain(problem) {
  if (!(problem instanceof Problem)) throw problem;
  place.replaceChildren(
    element("p", { class: "wrong", role: "alert" }, sentence(problem.message)),
    element("div", { class: "buttons" }, element("a", { class: "button primary", href: "/contest" }, "Set a code for others")),
  );
}

async function start() {
  setUpLook(PRESETS[0]);
  const id = /^\/contest\/([\w-]+)$/.exec(location.pathname)?.[1];
  if (!id) {
    place.replaceChildren(new ContestForm(handedOver()).element);
    return;
  }
  const contest = await readContest(id);
  await show(contest, contest.codes.find((code) => !code.done)?.number ?? 1);
}

start().catch(complain);
