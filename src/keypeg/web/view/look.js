/** Applies the player's preferences to the page, and opens the dialog that changes them. */

import { safeStorage, TABLES_KEY } from "../live/storage.js";
import { keepPreferences, readPreferences } from "../look/preferences.js";
import { find } from "./element.js";
import { applyPalette } from "./peg.js";

/** @typedef {import("../look/preferences.js").Preferences} Preferences */
/** @typedef {import("../wire.js").Board} Board */

/** The dialog of the page, made anew for each board. @type {Promise<HTMLDialogElement> | null} */
let dialog = null;

const LABELS = /** @type {const} */ (["letters", "shapes", "both", "none"]);

/** @param {Preferences} preferences */
export function applyPreferences({ theme, labels, motion, characterKeys }) {
  const root = document.documentElement;
  root.dataset.theme = theme;
  root.dataset.labels = labels;
  root.dataset.motion = motion ? "full" : "reduced";
  root.dataset.characterKeys = characterKeys ? "on" : "off";
}

/**
 * Apply the preferences to a page with the pegs of a board, and set up the dialog. Colours are set on
 * the body, since dialogs show pegs too.
 * @param {Board} board
 * @param {() => void} [changed] called after each change, to update other elements of the page
 */
export function setUpLook(board, changed = () => {}) {
  applyPreferences(readPreferences());
  // On every page, but only for those who have open tables.
  if (safeStorage.getItem(TABLES_KEY)) import("./turns.js").then(({ watchTurns }) => watchTurns()).catch(() => {});
  const applyColours = () => {
    applyPalette(document.body, board, readPreferences().colours);
    changed();
  };
  applyColours();
  dialog?.then((old) => old.remove()).catch(() => {});
  dialog = null;
  find("#look").onclick = async () => {
    // Loaded on demand, to keep the page small.
    dialog ??= import("./lookdialog.js").then(({ lookDialog }) => lookDialog(board, applyColours));
    await dialog.then((look) => look.showModal()).catch(() => (dialog = null));
  };
}

/** Switch to the next kind of peg label, and return it. */
export function nextLabels() {
  const { labels } = readPreferences();
  const next = LABELS[(LABELS.indexOf(labels) + 1) % LABELS.length];
  applyPreferences(keepPreferences({ labels: next }));
  return next;
}
