/** Progress: the player's games by board and week, a rating, and what is stored in this browser. */

import { PRESETS } from "../game/board.js";
import { boardsOf, countedGames, dailyGames } from "../game/progress.js";
import { puzzleResults, seriesResults } from "../game/rating.js";
import { PLAYED } from "../live/analysedgames.js";
import { gameIdOf, timeOf } from "../live/dailyresults.js";
import { keptSeries } from "../live/mygames.js";
import { finishedPuzzles } from "../live/puzzles.js";
import { safeStorage } from "../live/storage.js";
import { dailyResults } from "../transfer/daily.js";
import { boardProgress } from "../view/boardprogress.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { noGames } from "../view/nogames.js";
import { ratingCard } from "../view/ratingcard.js";
import { storageNotice } from "../view/storagenotice.js";

const page = element("div", { class: "stack" });
const stored = element("div", {});

function show() {
  const series = keptSeries();
  const played = PLAYED.all();
  const ids = new Set(played.map(({ id }) => id));
  const games = [...countedGames(series, played), ...dailyGames(dailyResults(safeStorage), timeOf, (number, board) => ids.has(gameIdOf(number, board)))];
  page.replaceChildren(...(games.length ? [boards(games)] : [noGames()]), ratingCard([...seriesResults(series), ...puzzleResults(finishedPuzzles())], Date.now()));
}

/** @param {import("../game/progress.js").Counted[]} games */
function boards(games) {
  const names = boardsOf(games);
  const charts = element("div", { class: "stack" });
  const choose = (/** @type {string} */ name) => charts.replaceChildren(...boardProgress(name, games.filter(({ board }) => board === name)));
  const choice = element("select", { id: "board", onchange: () => choose(choice.value) }, ...names.map((name) => element("option", { value: name }, name)));
  choose(names[0]);
  return element("section", { class: "stack" }, element("h2", {}, "Games"), element("label", { for: "board" }, "Board"), choice, charts);
}

function ways() {
  return element(
    "nav",
    { class: "buttons", "aria-label": "From here" },
    element("a", { class: "button", href: "/games" }, "My games"),
    element("a", { class: "button", href: "/mistakes" }, "My mistakes"),
  );
}

setUpLook(PRESETS[0]);
find("#progress").replaceChildren(element("div", { class: "stack" }, storageNotice(), page, stored, ways()));
show();
// Loaded after the rest, which is what most visits are for.
import("../view/storeddata.js").then(({ StoredData }) => stored.replaceChildren(new StoredData(show).element)).catch(() => stored.remove());
