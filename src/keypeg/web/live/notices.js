/** Notices of the browser's own kind, while the page is in the background: only if the player wants them. */

import { safeStorage } from "./storage.js";

/** @typedef {import("./storage.js").StorageLike} StorageLike */

const KEY = "keypeg.notices";

/** Whether this browser can show notices here; most can only over HTTPS, or on this machine. */
export function canNotify() {
  return "Notification" in globalThis && isSecureContext && Notification.permission !== "denied";
}

/** @param {StorageLike} [storage] */
export function noticesAreOn(storage = safeStorage) {
  return canNotify() && Notification.permission === "granted" && storage.getItem(KEY) === "on";
}

/**
 * Switch notices on or off. The browser may ask the player first. Returns whether they are on.
 * @param {boolean} on
 * @param {StorageLike} [storage]
 */
export async function switchNotices(on, storage = safeStorage) {
  if (on && canNotify()) await Notification.requestPermission();
  if (on) storage.setItem(KEY, "on");
  else storage.removeItem(KEY);
  return noticesAreOn(storage);
}
