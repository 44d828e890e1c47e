/** Puts the player's preferences onto the page, and the dialog that changes them. */

import { palette } from "../game/board.js";
import { safePalette } from "../look/palettes.js";
import { DEFAULTS, keepPreferences, readPreferences } from "../look/preferences.js";
import { makeDialog } from "./dialog.js";
import { element, find } from "./element.js";
import { wearPalette } from "./peg.js";

/** @typedef {import("../look/preferences.js").Preferences} Preferences */
/** @typedef {import("../wire.js").Board} Board */

const LABELS = /** @type {const} */ (["letters", "shapes", "both", "none"]);

/** @param {Preferences} preferences */
export function wear({ theme, labels, motion }) {
  const root = document.documentElement;
  root.dataset.theme = theme;
  root.dataset.labels = labels;
  root.dataset.motion = motion ? "full" : "reduced";
}

/**
 * Furnish a page whose pegs are those of a board. On the body, since pegs lie in dialogs too.
 * @param {Board} board
 * @param {() => void} [changed] what else wears colours on this page
 */
export function furnish(board, changed = () => {}) {
  wear(readPreferences());
  const dress = () => {
    wearPalette(document.body, board, readPreferences().colours);
    changed();
  };
  dress();
  const look = lookDialog(board, dress);
  find("#look").onclick = () => look.showModal();
}

/** The next way to label pegs, for the key. */
export function nextLabels() {
  const { labels } = readPreferences();
  const next = LABELS[(LABELS.indexOf(labels) + 1) % LABELS.length];
  wear(keepPreferences({ labels: next }));
  return next;
}

/**
 * @param {Board} board whose colours can be changed here
 * @param {() => void} changed
 */
function lookDialog(board, changed) {
  const change = (/** @type {Partial<Preferences>} */ part) => {
    wear(keepPreferences(part));
    changed();
  };
  const now = readPreferences();
  return makeDialog(
    "Look and sound",
    choice("Theme", "theme", { system: "As the device", light: "Light", dark: "Dark" }, now.theme, (theme) =>
      change({ theme: /** @type {Preferences["theme"]} */ (theme) })),
    choice("On the pegs", "labels", { letters: "Letters", shapes: "Shapes", both: "Both", none: "Nothing" }, now.labels, (labels) =>
      change({ labels: /** @type {Preferences["labels"]} */ (labels) })),
    tick("Moving parts", now.motion, (motion) => change({ motion })),
    tick("Quiet sounds", now.sound, (sound) => change({ sound })),
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
    "Back to the safe colours",
  );
  const labels = fields.map(({ name, input }) => element("label", { class: "colour" }, input, name));
  return element("fieldset", {}, element("legend", {}, "Colours"), element("div", { class: "options" }, ...labels), reset);
}
