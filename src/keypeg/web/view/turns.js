/** Your turn, wherever you are: a number in the page's title, and notices while the page is in the background. */

import { aboutTable, isMine, whoseTurn } from "../game/turns.js";
import { keepTable } from "../live/mytables.js";
import { noticesAreOn } from "../live/notices.js";
import { isShared } from "../live/seats.js";
import { TurnWatch } from "../live/turnwatch.js";

/** @typedef {import("../wire.js").Turn} Turn */

/** One for the page. @type {TurnWatch | null} */
let watch = null;
/** How many tables wait, besides the one that is shown. */
let waiting = 0;
/** The turns that are known, by table: each is told once. @type {Map<string, string> | null} */
let known = null;

/** The watch of this page, which begins with the first call. */
export function watchTurns() {
  if (watch) return watch;
  watch = new TurnWatch();
  watch.listen((turns) => tell(turns));
  const title = document.querySelector("title");
  if (title) new MutationObserver(badge).observe(title, { childList: true });
  return watch;
}

/**
 * Store a table among those of this browser, and watch it too.
 * @param {import("../wire.js").Table} table
 */
export function sitsAt(table) {
  keepTable(table);
  watchTurns();
}

/** @param {Turn[]} turns */
function tell(turns) {
  const mine = turns.filter((turn) => isMine(turn) && !isShared(turn.id));
  waiting = mine.filter(({ id }) => location.pathname !== `/table/${id}`).length;
  badge();
  const before = known;
  known = new Map(mine.map((turn) => [turn.id, moment(turn)]));
  if (!before || !document.hidden || !noticesAreOn()) return;
  for (const turn of mine) if (before.get(turn.id) !== moment(turn)) show(turn);
}

/** What changes with each new turn, but not with what is said beside the game. @param {Turn} turn */
function moment({ status }) {
  return [status.number, status.phase, status.rematch, status.score_line.one, status.score_line.two].join(" ");
}

/** @param {Turn} turn */
function show(turn) {
  const notice = new Notification(whoseTurn(turn), { body: aboutTable(turn), tag: turn.id, icon: "/web/icon.svg" });
  notice.onclick = () => {
    focus();
    location.assign(`/table/${turn.id}`);
  };
}

/** Put the number before the title, which pages change. */
function badge() {
  const bare = document.title.replace(/^\(\d+\) /, "");
  const wanted = waiting ? `(${waiting}) ${bare}` : bare;
  if (document.title !== wanted) document.title = wanted;
}
