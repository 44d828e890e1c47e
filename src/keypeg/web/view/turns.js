/** Your turn, wherever you are: a number in the page's title, and notices while the page is in the background. */

import { keepMatch, keepTable } from "../live/mytables.js";
import { noticesAreOn } from "../live/notices.js";
import { TurnWatch } from "../live/turnwatch.js";

/** @typedef {import("../game/turns.js").OpenGame} OpenGame */

/** One for the page. @type {TurnWatch | null} */
let watch = null;
/** How many games wait, besides the one that is shown. */
let waiting = 0;
/** Whether the server has been asked once: what waited before is not told. */
let hasAsked = false;
/** The turns that are known, by game: each is told once. @type {Map<string, string>} */
const known = new Map();

/** The watch of this page, which begins with the first call. */
export function watchTurns() {
  if (watch) return watch;
  watch = new TurnWatch();
  watch.listen((games) => tell(games));
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

/**
 * Store a match among the open games of this browser. Its page hears at once what happens there.
 * @param {import("../wire.js").MatchView} match
 * @param {OpenGame | null} game null if it is over
 * @param {boolean} isFirst whether the page has just been opened
 */
export function playsIn(match, game, isFirst) {
  keepMatch(match);
  if (!game) return;
  if (isFirst) known.set(game.key, turnOf(game));
  else notice(game);
  watchTurns();
}

/** @param {OpenGame[]} games */
function tell(games) {
  waiting = games.filter(({ mine, path }) => mine && location.pathname !== path).length;
  badge();
  for (const game of games) {
    if (hasAsked) notice(game);
    else known.set(game.key, turnOf(game));
  }
  hasAsked = true;
}

/** This player's turn, as a text that is another for each; empty while others are to move. @param {OpenGame} game */
function turnOf({ mine, moment }) {
  return mine ? moment : "";
}

/** Tell a new turn, if this page is not in view. @param {OpenGame} game */
function notice(game) {
  const { key, path, mine, whose, about } = game;
  if (known.get(key) === turnOf(game)) return;
  known.set(key, turnOf(game));
  if (!mine || !document.hidden || !noticesAreOn()) return;
  const shown = new Notification(whose, { body: about, tag: key, icon: "/web/icon.svg" });
  shown.onclick = () => {
    focus();
    if (location.pathname !== path) location.assign(path);
  };
}

/** Put the number before the title, which pages change. */
function badge() {
  const bare = document.title.replace(/^\(\d+\) /, "");
  const wanted = waiting ? `(${waiting}) ${bare}` : bare;
  if (document.title !== wanted) document.title = wanted;
}
