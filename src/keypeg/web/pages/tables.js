/** My tables: the open games of this browser, whose turn it is and since when, and notices by choice. */

import { PRESETS } from "../game/board.js";
import { keptTables } from "../live/mytables.js";
import { canNotify, noticesAreOn, switchNotices } from "../live/notices.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { storageNotice } from "../view/storagenotice.js";
import { watchTurns } from "../view/turns.js";

/** @typedef {import("../game/turns.js").OpenGame} OpenGame */

const list = element("ul", { class: "tables", "aria-label": "Tables" });
const told = element("p", { role: "status" });

/**
 * @param {OpenGame[]} games
 * @param {string | null} problem
 */
function show(games, problem) {
  const focused = document.activeElement?.getAttribute("href");
  list.replaceChildren(...games.map(item));
  if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[href="${focused}"]`))?.focus();
  const mine = games.filter((game) => game.mine).length;
  const words = problem ?? (games.length ? summary(mine) : "You have no open table. Begin a game, or open a friend's link.");
  if (told.textContent !== words) told.textContent = words;
}

/** @param {number} mine */
function summary(mine) {
  if (mine === 0) return "It is not your turn anywhere.";
  return mine === 1 ? "One game waits for you." : `${mine} games wait for you.`;
}

/** @param {OpenGame} game */
function item({ path, mine, whose, about, since: at, now }) {
  return element(
    "li",
    { class: mine ? "card mine" : "card" },
    element("a", { href: path }, element("strong", {}, whose), element("span", {}, about), since(at, now)),
  );
}

/**
 * @param {number} at
 * @param {number} now
 */
function since(at, now) {
  const time = new Date(at);
  const today = new Date(now).toDateString() === time.toDateString();
  const words = time.toLocaleString("en", today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
  return element("span", {}, "since ", element("time", { datetime: time.toISOString() }, words));
}

function notices() {
  const why = element("p", { class: "reason" });
  const box = element("input", {
    type: "checkbox",
    id: "notices",
    onchange: async () => {
      box.checked = await switchNotices(box.checked);
      why.textContent = box.checked || canNotify() ? "" : "This browser does not allow notices from this page.";
    },
  });
  box.checked = noticesAreOn();
  if (!canNotify()) {
    box.disabled = true;
    why.textContent = "This browser does not allow notices from this page: it needs HTTPS, and your consent.";
  }
  return element("section", { class: "stack", "aria-label": "Notices" }, element("label", { class: "option" }, box, "Show a notice when it is my turn and no page of keypeg is in view"), why);
}

setUpLook(PRESETS[0]);
find("#tables").append(told, list, notices(), element("nav", { class: "buttons", "aria-label": "From here" }, element("a", { class: "button", href: "/" }, "Begin a game"), element("a", { class: "button", href: "/games" }, "My games")));
const trouble = storageNotice();
if (trouble) find("#tables").prepend(trouble);
told.textContent = keptTables().length ? "Asking the server…" : "";
watchTurns().listen(show);
