/** What a page of finished games says before there are any. */

import { element } from "./element.js";

export function noGames() {
  return element(
    "section",
    { class: "card stack" },
    element("p", {}, "Nothing here yet. Finish a series and it appears here."),
    element("a", { class: "button primary", href: "/" }, "Play"),
  );
}
