/** Before a match begins: who is there, the invitation, what is agreed, joining, starting and leaving. */

import { darkKeyPeg } from "../game/board.js";
import { me, nameOf } from "../game/match.js";
import { headline, termsOf } from "../game/matchwords.js";
import { whyInvalidName } from "../game/names.js";
import { keepPreferences, readPreferences } from "../look/preferences.js";
import { attribute, element } from "./element.js";
import { focusKeeper } from "./focus.js";
import { linkCard } from "./invitation.js";
import { sealed, sealParts } from "./seals.js";

/** @typedef {import("../wire.js").MatchView} MatchView */

/**
 * @typedef {object} LobbyHandlers
 * @property {(name: string | null) => Promise<void>} join or take another name
 * @property {(action: "start" | "leave") => void} act
 */

export class Lobby {
  /**
   * @param {MatchView} match
   * @param {LobbyHandlers} handlers
   */
  constructor(match, handlers) {
    this.handlers = handlers;
    this.headline = element("h1", { class: "headline", tabindex: -1 });
    this.people = element("ul", { class: "people", "aria-label": "Players" });
    this.free = element("p", { class: "reason" });
    this.note = element("p", { class: "banner note", hidden: true });
    this.name = element("input", { id: "name", maxlength: 32, value: readPreferences().name, autocomplete: "nickname", "aria-describedby": "name-problem" });
    this.problem = element("p", { class: "wrong", id: "name-problem", role: "alert" });
    this.enter = element("button", {});
    this.rename = element("button", { type: "button", class: "plain", onclick: () => this.showForm() }, "Change your name");
    /** Whether a player wants to take another name. */
    this.isRenaming = false;
    this.form = element(
      "form",
      { class: "joining-form", onsubmit: (/** @type {Event} */ event) => this.submit(event) },
      element("label", { for: "name" }, "Your name (may be empty)"),
      element("div", { class: "line" }, this.name, this.enter),
      this.problem,
    );
    this.start = element("button", { type: "button", class: "primary", onclick: () => handlers.act("start") }, `Start the ${match.kind}`);
    this.leave = element("button", { type: "button", class: "plain", onclick: () => handlers.act("leave") });
    this.actions = element("div", { class: "buttons" }, this.start, this.rename, this.leave);
    this.ways = element("div", { class: "buttons" }, element("a", { class: "button primary", href: `/${match.kind}` }, `Open a ${match.kind}`), element("a", { class: "button", href: "/" }, "Other games"));
    this.invitation = linkCard(`/match/${match.id}`, "Invite others", match.kind === "race" ? "Whoever opens this link can join until the race begins, and watch from then on." : "The first person to join with this link plays against you; everybody else watches.");
    this.element = element(
      "section",
      { class: "lobby" },
      element("div", { class: "stack" }, this.headline, this.note, element("div", { class: "card stack" }, this.people, this.free, this.actions, this.form, this.ways)),
      this.invitation,
      facts(match),
    );
    this.keepFocus = focusKeeper(this.element, () => this.headline);
    this.isBusy = false;
  }

  /** @param {MatchView} match */
  update(match) {
    const { options, players, places, kind, you } = match;
    const isCancelled = match.stage === "cancelled";
    this.headline.textContent = headline(match);
    this.people.replaceChildren(...players.map((player) => person(match, player)));
    const free = places - players.length;
    this.free.textContent = isCancelled ? "" : free === 0 ? "All places are taken." : free === 1 ? "One place is free." : `${free} places are free.`;
    this.form.hidden = isCancelled || (you === null ? !options.includes("join") : !this.isRenaming);
    this.rename.hidden = isCancelled || you === null || this.isRenaming;
    this.enter.textContent = you === null ? "Join" : "Take this name";
    this.enter.classList.toggle("primary", you === null);
    if (you !== null && !this.form.contains(document.activeElement)) this.name.value = me(match)?.name ?? "";
    this.start.hidden = isCancelled || kind === "duel" || you !== 1;
    attribute(this.start, "aria-disabled", options.includes("start") ? null : "true");
    this.leave.hidden = !options.includes("leave");
    this.leave.textContent = you === 1 ? `Cancel the ${kind}` : "Leave";
    this.ways.hidden = !isCancelled;
    this.invitation.hidden = isCancelled || free === 0 || options.includes("join");
    this.actions.hidden = you === null || isCancelled;
    this.keepFocus();
  }

  /** Say that the server cannot be reached, or stop saying it. @param {string} words */
  tell(words) {
    this.note.hidden = words === "";
    this.note.textContent = words;
  }

  showForm() {
    this.isRenaming = true;
    this.form.hidden = false;
    this.rename.hidden = true;
    this.name.focus();
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    if (this.isBusy) return;
    const name = this.name.value.trim();
    this.complain(whyInvalidName(name) ?? "");
    if (this.problem.textContent) return;
    this.isBusy = true;
    await this.handlers.join(name || null);
    this.isBusy = false;
    if (this.problem.textContent) return;
    this.isRenaming = false;
    this.form.hidden = true;
    if (name) keepPreferences({ name });
    this.keepFocus();
    this.rename.hidden = false;
  }

  /** @param {string} words */
  complain(words) {
    this.problem.textContent = words;
  }
}

/**
 * @param {MatchView} match
 * @param {import("../wire.js").MatchPlayer} player
 */
function person(match, { number, level, you, here }) {
  const facts = [you && "you", number === 1 && !you && "opened it", level, !here && !you && "away"].filter(Boolean).join(", ");
  return element("li", { class: here ? null : "away" }, element("span", { class: "name" }, nameOf(match, number)), facts !== "" && element("span", { class: "facts" }, ` (${facts})`));
}

/** What is agreed, and how it is played. @param {MatchView} match */
function facts(match) {
  return element(
    "div",
    { class: "stack agreed" },
    element("dl", { class: "pairs" }, ...termsOf(match).flatMap(([term, words]) => [element("dt", {}, term), element("dd", {}, words)])),
    element("details", {}, element("summary", {}, "How to play"), ...howToPlay(match).map((words) => element("p", {}, words))),
    match.seal !== null && element("details", { class: "seals" }, ...sealParts(sealed(match))),
  );
}

/** @param {MatchView} match */
function howToPlay({ kind, board, seal }) {
  const dark = darkKeyPeg(board);
  const dark_ = `${dark[0].toUpperCase()}${dark.slice(1)}`;
  return [
    kind === "race" ? `There is one hidden row of ${board.holes} coloured pegs. All of you look for it at the same time, in ${board.rows} rows at most.` : `Each of you hides a row of ${board.holes} coloured pegs from the other, and looks for the other's, in ${board.rows} rows at most.`,
    `Key pegs answer each row. ${dark_}: right colour, right hole. White: right colour, wrong hole.`,
    seal ? "The code is sealed: it cannot be changed any more, and at the end this page verifies that." : "Each code is sealed when it is set, so that it cannot be changed any more.",
  ];
}
