/** The status region: texts for screen readers, some of which are also shown for a while. */

import { element, find } from "./element.js";

const SHOWN_MS = 6000;
const FRESH_MS = 1500;
/** A longer text is shown in smaller letters, so that it stays within its place. */
const LONG = 60;

/** @type {number | undefined} */
let timer;
/** @type {HTMLElement | null} */
let place = null;
/** Whether the text that is shown is still true. */
let isTrue = () => true;

/**
 * Announce something to screen readers. Each announcement is an element of its own, so that it is read
 * once. Recent ones stay, so that they are not cut off.
 * @param {string} words
 */
export function announce(words) {
  if (!words) return;
  const region = find("#status");
  const now = Date.now();
  for (const old of /** @type {HTMLElement[]} */ ([...region.children])) {
    const isShown = old.dataset.at === undefined && region.classList.contains("shown");
    if (!isShown && now - Number(old.dataset.at ?? 0) >= FRESH_MS) old.remove();
  }
  region.append(element("span", { class: "spoken", "data-at": now }, `${words} `));
}

/**
 * Show something to everybody, and announce it to screen readers.
 * @param {string} words
 * @param {() => boolean} [holds] whether it is still true; see `recheck`
 */
export function notify(words, holds = () => true) {
  const region = find("#status");
  region.replaceChildren(element("span", {}, words));
  region.classList.toggle("long", words.length > LONG);
  region.classList.add("shown");
  isTrue = holds;
  putInPlace();
  clearTimeout(timer);
  timer = setTimeout(hide, SHOWN_MS);
}

/** Stop showing a text that is no longer true. Another lies over its part of the page, which may have grown. */
export function recheck() {
  if (!isTrue()) hide();
  else putInPlace();
}

/**
 * Show texts over this part of the page, which has no controls.
 * @param {HTMLElement} part
 */
export function showOver(part) {
  place = part;
  addEventListener("resize", putInPlace);
}

function putInPlace() {
  if (!place || !find("#status").classList.contains("shown")) return;
  const { top, left, width, height } = place.getBoundingClientRect();
  const styles = { inset: `${Math.max(top, 0)}px auto auto ${left}px`, width: `${width}px`, minHeight: `${height}px` };
  Object.assign(find("#status").style, styles);
}

function hide() {
  find("#status").classList.remove("shown");
}
