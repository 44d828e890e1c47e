/** Dialogs. They all look the same and are closed in the same way. */

import { element } from "./element.js";

/**
 * A dialog that can be opened several times.
 * @param {string} title
 * @param {...(Node | string)} content
 * @returns {HTMLDialogElement}
 */
export function makeDialog(title, ...content) {
  const id = `dialog-${title.toLowerCase().replace(/\W+/g, "-")}`;
  const close = element("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => dialog.close() }, "×");
  const dialog = element(
    "dialog",
    { "aria-labelledby": id },
    element("header", {}, element("h2", { id }, title), close),
    ...content,
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  return dialog;
}

/**
 * Ask for confirmation before something that cannot be undone.
 * @param {string} title
 * @param {string} question
 * @param {string} yes
 * @returns {Promise<boolean>}
 */
export function confirmed(title, question, yes) {
  return new Promise((resolve) => {
    let agreed = false;
    const agree = element("button", { type: "button", class: "primary", onclick: () => { agreed = true; dialog.close(); } }, yes);
    const cancel = element("button", { type: "button", autofocus: true, onclick: () => dialog.close() }, "Not now");
    const dialog = makeDialog(title, element("p", {}, question), element("div", { class: "buttons" }, cancel, agree));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(agreed);
    });
    dialog.showModal();
  });
}
