/** The players of a match beside the board: how far each has come, and once it is over, their places. */

import { ahead, brokenIn, listed, nameOf, others } from "../game/match.js";
import { clockWords, exactTime, progress, shortProgress } from "../game/matchwords.js";
import { answerWords } from "../game/rowwords.js";
import { element } from "./element.js";
import { keyCluster } from "./peg.js";

/** @typedef {import("../wire.js").MatchView} MatchView */
/** @typedef {import("../wire.js").MatchPlayer} MatchPlayer */

/** A lane for each player, with the key pegs of each row. */
export class Lanes {
  /** @param {(number: number) => void} choose a player whose rows are to be shown on the board */
  constructor(choose) {
    this.choose = choose;
    this.element = element("ul", { class: "lanes", "aria-label": "Players" });
    /** @type {Map<number, HTMLElement>} */
    this.clocks = new Map();
    this.shown = "";
  }

  /**
   * @param {MatchView} match
   * @param {number | null} chosen whose rows are on the board
   * @param {boolean} canChoose
   */
  update(match, chosen, canChoose) {
    const shown = JSON.stringify([match.players, match.stage, match.row, chosen, canChoose]);
    if (shown === this.shown) return;
    this.shown = shown;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.player : undefined;
    const leaders = ahead(match);
    this.clocks.clear();
    this.element.replaceChildren(...listed(match).map((player) => this.lane(match, player, leaders.includes(player.number), player.number === chosen, canChoose)));
    if (focused) /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-player="${focused}"]`))?.focus();
  }

  /**
   * @param {MatchView} match
   * @param {MatchPlayer} player
   * @param {boolean} isAhead
   * @param {boolean} isChosen
   * @param {boolean} canChoose
   */
  lane(match, player, isAhead, isChosen, canChoose) {
    const { number } = player;
    const name = nameOf(match, number);
    const clock = element("span", { class: "time" });
    if (!player.done && player.due !== null && !player.you) this.clocks.set(number, clock);
    const facts = [player.you && "you", player.level, !player.here && match.stage !== "over" && "away"].filter(Boolean).join(", ");
    const score = match.goal === "time" && player.milliseconds !== null ? `, ${exactTime(player.milliseconds)}` : "";
    return element(
      "li",
      { class: `lane${player.you ? " mine" : ""}${isAhead ? " ahead" : ""}${player.done ? " done" : ""}${player.here ? "" : " away"}` },
      element(
        "div",
        { class: "who" },
        player.place !== null && element("strong", { class: "place" }, element("span", { class: "spoken" }, "Place "), `${player.place}.`),
        element("span", { class: "name" }, name),
        facts !== "" && element("span", { class: "facts" }, `(${facts})`),
        isAhead && match.stage === "playing" && element("span", { class: "lead" }, "ahead"),
        element("span", { class: "state" }, `${progress(match, player)}${score}`),
        clock,
      ),
      canChoose && element("button", { type: "button", "data-player": number, "aria-pressed": String(isChosen), "aria-label": `Show the rows of ${name}`, onclick: () => this.choose(number) }, "Rows"),
      keys(match, player),
    );
  }

  /** Show how much time the others have. @param {MatchView} match @param {number} now as the server counts */
  tick(match, now) {
    for (const [number, clock] of this.clocks) {
      const due = match.players.find((player) => player.number === number)?.due ?? null;
      const words = clockWords(due, now);
      if (clock.textContent !== words) clock.textContent = words;
    }
  }
}

/**
 * The key pegs of a player, row by row, without pegs.
 * @param {MatchView} match
 * @param {MatchPlayer} player
 */
function keys(match, { rows }) {
  if (rows === null) return element("p", { class: "hidden-keys" }, "Key pegs are hidden until the end.");
  const answered = rows.filter((row) => row.black !== null || row.expired);
  const words = answered.map((row, at) => `Row ${at + 1}: ${row.expired ? "empty" : answerWords(row, match.board)}`).join("; ");
  return element(
    "p",
    { class: "answers" },
    ...rows.map((row) => (row.black === null ? element("span", { class: row.expired ? "gap expired" : "gap", "aria-hidden": "true" }) : keyCluster({ black: row.black, white: row.white ?? 0 }, match.board))),
    element("span", { class: "spoken" }, words ? `${words}.` : "No answers yet."),
  );
}

/** With so many other players there is room for words. */
const FEW = 1;

/** One line above the board on a phone: each other player with the newest key pegs. */
export class Glance {
  constructor() {
    this.element = element("ul", { class: "glance", "aria-hidden": "true" });
    this.shown = "";
  }

  /** @param {MatchView} match */
  update(match) {
    const shown = JSON.stringify([match.players, match.stage, match.row]);
    if (shown === this.shown) return;
    this.shown = shown;
    const leaders = ahead(match);
    this.element.classList.toggle("many", others(match).length > 4);
    this.element.replaceChildren(
      ...others(match).map((player) => {
        const last = player.rows?.findLast(({ black }) => black !== null);
        const isBroken = brokenIn(player) !== null;
        return element(
          "li",
          { class: `${leaders.includes(player.number) ? "ahead" : ""}${player.here ? "" : " away"}` },
          element("span", { class: "name" }, nameOf(match, player.number)),
          element("span", { class: "state" }, others(match).length > FEW ? shortProgress(match, player) : progress(match, player), last && !isBroken && match.stage === "playing" ? keyCluster({ black: last.black ?? 0, white: last.white ?? 0 }, match.board) : ""),
        );
      }),
    );
    this.element.hidden = match.stage === "over";
  }
}
