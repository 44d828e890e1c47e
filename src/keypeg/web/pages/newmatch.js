/** The pages on which a race or a duel is opened. Their address says which. */

import { PRESETS } from "../game/board.js";
import { readChoices } from "../live/api.js";
import { find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { MatchForm } from "../view/matchform.js";

/** @typedef {import("../view/matchform.js").Kind} Kind */

/** @type {Record<Kind, string>} */
const TITLES = { race: "A race", duel: "A duel" };

/** @param {Kind} kind */
function entitle(kind) {
  document.title = `${TITLES[kind]} · keypeg`;
  find("h1").textContent = TITLES[kind];
}

setUpLook(PRESETS[0]);
/** @type {Kind} */
const kind = location.pathname.startsWith("/duel") ? "duel" : "race";
const form = new MatchForm(kind, (chosen) => {
  entitle(chosen);
  history.replaceState(null, "", `/${chosen}`);
});
find("#match-form").replaceChildren(form.element);
readChoices()
  .then(({ levels }) => form.offer(levels))
  .catch(() => {
    // Without the computer, people can play.
  });
