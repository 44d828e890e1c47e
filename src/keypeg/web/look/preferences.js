/** The player's preferences for look and sound. They are stored only in this browser. */

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
 * @param {Storage} [storage]
 * @returns {Preferences}
 */
export function readPreferences(storage = localStorage) {
  try {
    return { ...DEFAULTS, ...JSON.parse(storage.getItem(KEY) ?? "{}") };
  } catch {
    return DEFAULTS;
  }
}

/**
 * Change some preferences. Returns all of them.
 * @param {Partial<Preferences>} change
 * @param {Storage} [storage]
 * @returns {Preferences}
 */
export function keepPreferences(change, storage = localStorage) {
  const all = { ...readPreferences(storage), ...change };
  storage.setItem(KEY, JSON.stringify(all));
  return all;
}
