/** The score line: a track for each player, with a score peg that moves a step for each point. */

import { counted } from "../game/board.js";
import { nameOf } from "../game/sentences.js";
import { element } from "./element.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").Seat} Seat */

export class ScoreLine {
  constructor() {
    this.games = element("p", { class: "games" });
    this.tracks = { one: track("one"), two: track("two") };
    this.element = element(
      "section",
      { class: "score-line", "aria-label": "Score line" },
      this.games,
      this.tracks.one.element,
      this.tracks.two.element,
    );
  }

  /**
   * @param {Table} table
   * @param {boolean} shared whether both players use this screen, so that nobody is "you"
   */
  update(table, shared) {
    const { status } = table;
    const replay = table.games.at(-2)?.void ? ", replayed" : "";
    const all = earlier(table) ? ` · all series ${status.totals.one} to ${status.totals.two}` : "";
    this.games.textContent = `Game ${status.number} of ${table.games_agreed}${replay}${all}`;
    const steps = longest(table);
    for (const seat of /** @type {Seat[]} */ (["one", "two"])) {
      const { element: line, name, points, peg } = this.tracks[seat];
      const mine = seat === table.seat && !shared;
      name.textContent = mine ? "You" : nameOf(table, seat);
      const role = status.maker === seat ? "codemaker" : "codebreaker";
      points.textContent = String(status.score_line[seat]);
      line.setAttribute("aria-label", `${name.textContent}, ${role}: ${counted(status.score_line[seat], "point")}`);
      line.dataset.role = role;
      line.classList.toggle("on-turn", status.turn === seat);
      peg.style.setProperty("--at", String(status.score_line[seat] / steps));
    }
  }
}

/**
 * The length of the track: the most points a maker can score, or more if replays brought more.
 * @param {Table} table
 */
function longest({ board, games_agreed: games, scoring, status }) {
  const rows = scoring === "rows" ? board.rows + 1 : board.rows * board.holes + 1;
  return Math.max((games / 2) * rows, status.score_line.one, status.score_line.two);
}

/**
 * Whether another series was played at this table before.
 * @param {Table} table
 */
function earlier({ status }) {
  return status.totals.one !== status.points.one || status.totals.two !== status.points.two;
}

/** @param {Seat} seat */
function track(seat) {
  const name = element("span", { class: "name" });
  const points = element("span", { class: "points" });
  const peg = element("span", { class: `score-peg ${seat}` });
  const line = element(
    "div",
    { class: "track", role: "img" },
    name,
    element("span", { class: "groove" }, peg),
    points,
  );
  return { element: line, name, points, peg };
}
