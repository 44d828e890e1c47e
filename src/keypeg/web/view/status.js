/** The status region: texts for screen readers, some of which are also shown for a while. */

import { find } from "./element.js";

const SHOWN_MS = 6000;
const FRESH_MS = 1500;
const MOST_FRESH = 3;

/** Recent announcements, which a screen reader may still be reading. @type {{ words: string, at: number }[]} */
let fresh = [];

/** @type {number | undefined} */
let timer;

/**
 * Announce something to screen readers. Recent announcements stay, so that they are not cut off.
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
 * Show something to everybody, and announce it to screen readers.
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
