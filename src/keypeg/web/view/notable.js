/** What the page of a table shows instead of one: there is none, or the server cannot be reached. */

import { element, find } from "./element.js";
import { announce } from "./status.js";

const STILL_TRYING = "The server cannot be reached. Trying again…";

export function noSuchTable() {
  find("#table").replaceChildren(
    element(
      "section",
      { class: "card lonely" },
      element("h1", {}, "Table not found"),
      element("p", {}, "The link may be wrong, or the table may have been deleted."),
      element("a", { href: "/", class: "button primary" }, "Go to the start page"),
    ),
  );
}

/** @param {import("../live/chair.js").Chair} chair */
export function tellLoading({ link }) {
  const loading = find("#table .lonely");
  if (link !== "reconnecting" || loading.textContent === STILL_TRYING) return;
  loading.textContent = STILL_TRYING;
  announce(STILL_TRYING);
}
