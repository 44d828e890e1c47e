/** The banner: waiting for an opponent, an absent opponent, reconnecting, open in another tab. */

import { absence } from "../game/sentences.js";
import { element } from "./element.js";
import { invitation } from "./invitation.js";
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
  }

  /**
   * @param {Chair} chair
   * @param {boolean} shared whether both players use this device
   */
  update({ view, link, connection }, shared) {
    if (!view) return;
    const { table } = view;
    if (link === "replaced") this.show("This seat is open in another tab or window.", playHere);
    else if (link !== "open") this.show("Reconnecting… your row is safe.");
    else if (connection.stalled) this.show("The server cannot save moves at the moment. Your move is kept and sent again.");
    else if (table.status.stage !== "waiting") this.show(shared ? null : absence(view, Date.now()));
    else this.show("", () => (table.seat ? invitation(table.id) : joining(table, this.sit)));
  }

  /**
   * @param {string | null} words the text; null hides the banner
   * @param {() => Node} [more] makes what follows the text
   */
  show(words, more) {
    const shown = words === null ? "" : `${words}${more ? "+" : ""}`;
    if (this.shown === shown) return;
    this.shown = shown;
    this.element.hidden = words === null;
    this.element.replaceChildren(words ?? "", ...(more ? [more()] : []));
    this.say(words ?? "");
  }

  /**
   * Announce a text once, and not again for every second of a countdown.
   * @param {string} words
   */
  say(words) {
    const said = words.replace(/ in \d.*$/, ".");
    if (said !== this.said) announce(said);
    this.said = said;
  }
}

function playHere() {
  return element("button", { type: "button", class: "primary", onclick: () => location.reload() }, "Play here");
}
