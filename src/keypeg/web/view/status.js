/** The one status region: what is read aloud, and shown for a while when it is for the eyes too. */

import { find } from "./element.js";

const SHOWN_MS = 6000;

/** @type {number | undefined} */
let timer;

/**
 * Say something to screen readers; what was said a moment ago stays with it.
 * @param {string} words
 */
export function announce(words) {
  if (!words) return;
  const region = find("#status");
  const fresh = timer === undefined ? "" : region.textContent;
  region.textContent = fresh ? `${fresh} ${words}` : words;
  restart(() => {}, 1000);
}

/**
 * Say something to everybody: a refusal with its reason, a hint, an answer to a question.
 * @param {string} words
 */
export function notify(words) {
  const region = find("#status");
  region.textContent = words;
  region.classList.add("shown");
  restart(() => region.classList.remove("shown"), SHOWN_MS);
}

/**
 * @param {() => void} ended
 * @param {number} after
 */
function restart(ended, after) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    timer = undefined;
    ended();
  }, after);
}
