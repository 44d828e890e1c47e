/** The dialog in which the player changes look, sound and keys. */

import { palette } from "../game/board.js";
import { safePalette } from "../look/palettes.js";
import { DEFAULTS, keepPreferences, readPreferences } from "../look/preferences.js";
import { makeDialog } from "./dialog.js";
import { element } from "./element.js";
import { applyPreferences } from "./look.js";

/** @typedef {import("../look/preferences.js").Preferences} Preferences */
/** @typedef {import("../wire.js").Board} Board */

/**
 * @param {Board} board whose colours can be changed here
 * @param {() => void} changed
 */
export function lookDialog(board, changed) {
  const change = (/** @type {Partial<Preferences>} */ part) => {
    applyPreferences(keepPreferences(part));
    changed();
  };
  const now = readPreferences();
  return makeDialog(
    "Look and sound",
    choice("Theme", "theme", { system: "Match device", light: "Light", dark: "Dark" }, now.theme, (theme) =>
      change({ theme: /** @type {Preferences["theme"]} */ (theme) })),
    choice("On the pegs", "labels", { letters: "Letters", shapes: "Shapes", both: "Both", none: "None" }, now.labels, (labels) =>
      change({ labels: /** @type {Preferences["labels"]} */ (labels) })),
    tick("Animations", now.motion, (motion) => change({ motion })),
    tick("Sounds", now.sound, (sound) => change({ sound })),
    tick("Letters and digits as shortcuts", now.characterKeys, (characterKeys) => change({ characterKeys })),
    colourFields(board, now, change),
  );
}

/**
 * @param {string} legend
 * @param {string} name
 * @param {Record<string, string>} options
 * @param {string} chosen
 * @param {(value: string) => void} choose
 */
function choice(legend, name, options, chosen, choose) {
  const radios = Object.entries(options).map(([value, words]) =>
    element(
      "label",
      { class: "option" },
      element("input", { type: "radio", name, value, checked: value === chosen, onchange: () => choose(value) }),
      words,
    ),
  );
  return element("fieldset", {}, element("legend", {}, legend), element("div", { class: "options" }, ...radios));
}

/**
 * @param {string} words
 * @param {boolean} on
 * @param {(on: boolean) => void} change
 */
function tick(words, on, change) {
  const box = element("input", { type: "checkbox", checked: on, onchange: () => change(box.checked) });
  return element("label", { class: "option" }, box, words);
}

/**
 * @param {Board} board
 * @param {Preferences} now
 * @param {(part: Partial<Preferences>) => void} change
 */
function colourFields(board, now, change) {
  const safe = safePalette(board.colours);
  const fields = palette(board).map(({ name }) => {
    const input = element("input", {
      type: "color",
      value: now.colours[name] ?? safe[name],
      onchange: () => change({ colours: { ...readPreferences().colours, [name]: input.value } }),
    });
    return { name, input };
  });
  const reset = element(
    "button",
    {
      type: "button",
      onclick: () => {
        change({ colours: DEFAULTS.colours });
        for (const { name, input } of fields) input.value = safe[name];
      },
    },
    "Reset the colours",
  );
  const labels = fields.map(({ name, input }) => element("label", { class: "colour" }, input, name));
  return element("fieldset", {}, element("legend", {}, "Colours"), element("div", { class: "options" }, ...labels), reset);
}
