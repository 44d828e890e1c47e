/** The player's preferences for look and sound. They are stored only in this browser. */

import { safeStorage } from "../live/storage.js";

/** @typedef {import("../live/storage.js").StorageLike} StorageLike */

/**
 * @typedef {object} Preferences
 * @property {"system" | "light" | "dark"} theme
 * @property {"letters" | "shapes" | "both" | "none"} labels
 * @property {boolean} sound
 * @property {boolean} motion
 * @property {boolean} characterKeys whether letters and digits are shortcuts
 * @property {boolean} coached whether the tips of the first game are done
 * @property {string} name
 * @property {Record<string, string>} colours the colours that the player has changed, by name
 */

const KEY = "keypeg.preferences";

/** @type {Preferences} */
export const DEFAULTS = {
  theme: "system",
  labels: "letters",
  sound: false,
  motion: true,
  characterKeys: true,
  coached: false,
  name: "",
  colours: {},
};

/**
 * @param {StorageLike} [storage]
 * @returns {Preferences}
 */
export function readPreferences(storage = safeStorage) {
  try {
    const all = { ...DEFAULTS, ...JSON.parse(storage.getItem(KEY) ?? "{}") };
    for (const [name, value] of Object.entries(DEFAULTS)) if (all[name]?.constructor !== value.constructor) all[name] = value;
    return all;
  } catch {
    return DEFAULTS;
  }
}

/**
 * Change some preferences. Returns all of them.
 * @param {Partial<Preferences>} change
 * @param {StorageLike} [storage]
 * @returns {Preferences}
 */
export function keepPreferences(change, storage = safeStorage) {
  const all = { ...readPreferences(storage), ...change };
  storage.setItem(KEY, JSON.stringify(all));
  return all;
}
