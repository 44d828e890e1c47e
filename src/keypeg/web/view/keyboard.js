/** Key presses turned into deeds and pegs, wherever they are not meant for something else. */

import { pegNames } from "../game/code.js";
import { deedOf } from "../look/keys.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../look/keys.js").Deed} Deed */

/** Keys that a focused control keeps for itself. */
const OWN_KEYS = ["Enter", " "];

/**
 * @typedef {object} KeyHandlers
 * @property {() => boolean} listens whether keys are meant for the row now
 * @property {(peg: number) => void} place
 * @property {(deed: Deed) => void} does
 * @property {(step: number) => void} rove
 */

/**
 * @param {Board} board
 * @param {KeyHandlers} handlers
 */
export function listenToKeys(board, handlers) {
  const names = pegNames(board);
  document.addEventListener("keydown", (event) => {
    const target = meant(/** @type {HTMLElement} */ (event.target));
    if (event.defaultPrevented || typesInto(target) || target.closest("dialog") || !handlers.listens()) return;
    if (isControl(target) && OWN_KEYS.includes(event.key)) return;
    if (target.closest(".tray") && roves(event, handlers.rove)) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    const peg = plain ? names.get(event.key.toLowerCase()) : undefined;
    const deed = deedOf(event);
    if (peg === undefined && !deed) return;
    event.preventDefault();
    if (peg !== undefined) handlers.place(peg);
    else if (deed) handlers.does(deed);
  });
}

/**
 * A dialog that has just closed may keep the focus until the page is drawn again: by then
 * the keys are meant for the page.
 * @param {HTMLElement} target
 */
function meant(target) {
  const dialog = target.closest("dialog");
  return dialog && !dialog.open ? document.body : target;
}

/** @param {HTMLElement} target */
function typesInto(target) {
  return target.matches("input, textarea, select, [contenteditable]");
}

/**
 * Links and buttons act on Enter and Space; holes and swatches leave Enter to Check.
 * @param {HTMLElement} target
 */
function isControl(target) {
  return target.matches("a, button, summary") && !target.matches(".hand .hole, .swatch");
}

/**
 * In the tray arrows move along it, and Space takes a colour, as in any group of radio buttons.
 * @param {KeyboardEvent} event
 * @param {(step: number) => void} rove
 */
function roves(event, rove) {
  if (event.key === " ") return true;
  const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)];
  if (step === undefined) return false;
  event.preventDefault();
  rove(step);
  return true;
}
