/** The command box, in which everything at a table can be done by typing. */

import { element } from "./element.js";

/** @param {(text: string) => void} typed */
export function commandBox(typed) {
  const input = element("input", { id: "command", autocomplete: "off", spellcheck: "false", placeholder: "guess rrbg" });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    typed(input.value);
    input.value = "";
  };
  const form = element("form", { class: "command", onsubmit: submit }, element("label", { for: "command" }, "Type a command"), input);
  return element("details", { class: "typing" }, element("summary", {}, "Play by typing"), form);
}
