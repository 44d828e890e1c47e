/** Turns key presses into actions and pegs, unless they are meant for another element. */

import { pegNames } from "../game/code.js";
import { isCharacter, keyActionOf } from "../look/keys.js";
import { readPreferences } from "../look/preferences.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../look/keys.js").KeyAction} KeyAction */

/** Keys that a focused button or link handles itself. */
const OWN_KEYS = ["Enter", " "];

/**
 * @typedef {object} KeyHandlers
 * @property {(key: string) => boolean} listens whether a key press is for the row being filled
 * @property {(peg: number) => void} place
 * @property {(action: KeyAction) => void} perform
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
    if (event.defaultPrevented || typesInto(target) || target.closest("dialog") || !handlers.listens(event.key)) return;
    if (isControl(target) && OWN_KEYS.includes(event.key)) return;
    if (isCharacter(event) && !readPreferences().characterKeys) return;
    if (target.closest(".tray") && roves(event, handlers.rove)) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    const peg = plain ? names.get(event.key.toLowerCase()) : undefined;
    const action = keyActionOf(event);
    if (peg === undefined && !action) return;
    event.preventDefault();
    if (peg !== undefined) handlers.place(peg);
    else if (action) handlers.perform(action);
  });
}

/**
 * The element that a key press is meant for. A dialog that has just been closed may keep the focus
 * until the page is drawn again; then key presses are meant for the page.
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
 * Whether an element handles Enter and Space itself. Holes do not: as in the fields of a form, Enter submits.
 * @param {HTMLElement} target
 */
function isControl(target) {
  return target.matches("a, button, summary") && !target.matches(".hand .hole");
}

/**
 * In the tray, arrows move the focus. Enter and Space place the colour, as a click does.
 * @param {KeyboardEvent} event
 * @param {(step: number) => void} rove
 */
function roves(event, rove) {
  const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)];
  if (step === undefined) return false;
  event.preventDefault();
  rove(step);
  return true;
}
