/** Buttons that share or copy a result. */

import { element } from "./element.js";
import { copied } from "./invitation.js";
import { announce } from "./status.js";

/**
 * @param {string} text what is shared
 * @param {string} done what the button says once the text is copied
 */
export function shareButtons(text, done) {
  const copy = element(
    "button",
    {
      type: "button",
      onclick: async () => {
        copy.textContent = (await copied(text)) ? done : "Could not copy";
        announce(`${copy.textContent}.`);
      },
    },
    "Copy the result",
  );
  const share = element("button", { type: "button", class: "primary", onclick: () => navigator.share({ text }).catch(() => {}) }, "Share…");
  return typeof navigator.share === "function" ? [share, copy] : [copy];
}
