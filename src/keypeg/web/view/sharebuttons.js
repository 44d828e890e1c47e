/** Buttons that share or copy a text. */

import { element } from "./element.js";
import { copied } from "./invitation.js";
import { announce } from "./status.js";

/**
 * A button that copies a text, and then says whether it could.
 * @param {string} label
 * @param {() => string} text
 * @param {string} done what it says once the text is copied
 */
export function copyButton(label, text, done) {
  const button = element(
    "button",
    {
      type: "button",
      onclick: async () => {
        button.textContent = (await copied(text())) ? done : "Could not copy";
        announce(`${button.textContent}.`);
      },
    },
    label,
  );
  return button;
}

/**
 * @param {string} text what is shared
 * @param {string} done what the button says once the text is copied
 */
export function shareButtons(text, done) {
  const copy = copyButton("Copy the result", () => text, done);
  const share = element("button", { type: "button", class: "primary", onclick: () => navigator.share({ text }).catch(() => {}) }, "Share…");
  return typeof navigator.share === "function" ? [share, copy] : [copy];
}
