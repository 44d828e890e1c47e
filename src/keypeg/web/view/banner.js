/** The banner: waiting for an opponent, an absent opponent, reconnecting, open in another tab. */

import { absence, nameOf } from "../game/sentences.js";
import { other } from "../game/table.js";
import { element } from "./element.js";
import { joining } from "./joining.js";
import { announce } from "./status.js";

/** @typedef {import("../live/chair.js").Chair} Chair */

export class Banner {
  /** @param {(name: string) => void} sit */
  constructor(sit) {
    this.sit = sit;
    this.element = element("div", { class: "banner", hidden: true });
    this.shown = "";
    this.said = "";
    this.wasAway = false;
    this.wasLost = false;
  }

  /**
   * @param {Chair} chair
   * @param {boolean} shared whether both players use this device
   */
  update({ view, link, connection }, shared) {
    if (!view) return;
    const { table } = view;
    if (link === "open" && this.wasLost) announce("Connected again.");
    this.wasLost = link === "reconnecting";
    if (link === "replaced") this.show("This seat is open in another tab or window.", playHere);
    else if (link !== "open") this.show("Reconnecting… your row is safe.");
    else if (connection.stalled) this.show("The server cannot save moves at the moment. Your move is kept and sent again.");
    else if (table.status.stage === "waiting") this.show("", () => (table.seat ? inviting(table.id) : joining(table, this.sit)));
    else this.showAbsence(view, shared);
  }

  /**
   * @param {import("../game/table.js").View} view
   * @param {boolean} shared
   */
  showAbsence(view, shared) {
    const { table, present } = view;
    const away = shared ? null : absence(view, Date.now());
    this.show(away?.words ?? null, undefined, away?.spoken);
    const opponent = table.seat && other(table.seat);
    if (this.wasAway && opponent && present?.[opponent].here) announce(`${nameOf(table, opponent)} is back.`);
    this.wasAway = away !== null;
  }

  /**
   * @param {string | null} words the text; null hides the banner
   * @param {() => Node} [more] makes what follows the text
   * @param {string} [spoken] what is announced of it
   */
  show(words, more, spoken = words ?? "") {
    const shown = words === null ? "" : `${words}${more ? "+" : ""}`;
    if (this.shown === shown) return;
    this.shown = shown;
    this.element.hidden = words === null;
    this.element.classList.toggle("note", words !== null && words !== "");
    this.element.replaceChildren(words ?? "", ...(more ? [more()] : []));
    if (spoken !== this.said) announce(spoken);
    this.said = spoken;
  }
}

/** The invitation, loaded on demand: only whoever opened the table sees it. @param {string} table */
function inviting(table) {
  const place = element("div");
  import("./invitation.js").then(({ invitation }) => place.replaceWith(invitation(table))).catch(() => {});
  return place;
}

function playHere() {
  return element("button", { type: "button", class: "primary", onclick: () => location.reload() }, "Play here");
}
