/** The one status region: what is read aloud, and shown for a while when it is for the eyes too. */

import { find } from "./element.js";

const SHOWN_MS = 6000;
const FRESH_MS = 1500;
const MOST_FRESH = 3;

/** What was said a moment ago, and may still be being read. @type {{ words: string, at: number }[]} */
let fresh = [];

/** @type {number | undefined} */
let timer;

/**
 * Say something to screen readers. What was said a moment ago stays with it, so as not to be cut.
 * @param {string} words
 */
export function announce(words) {
  if (!words) return;
  const now = Date.now();
  fresh = [...fresh.filter(({ at }) => now - at < FRESH_MS), { words, at: now }].slice(-MOST_FRESH);
  find("#status").textContent = fresh.map((one) => one.words).join(" ");
  hide();
}

/**
 * Say something to everybody: a refusal with its reason, a hint, an answer to a question.
 * @param {string} words
 */
export function notify(words) {
  fresh = [];
  const region = find("#status");
  region.textContent = words;
  region.classList.add("shown");
  clearTimeout(timer);
  timer = setTimeout(hide, SHOWN_MS);
}

function hide() {
  find("#status").classList.remove("shown");
}
