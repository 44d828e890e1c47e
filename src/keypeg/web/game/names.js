/** What a player may be called, as in keypeg.table.names. The server decides; this says so at once. */

/** The names of players who give none. @type {Record<import("../wire.js").Seat, string>} */
export const DEFAULT_NAMES = { one: "Player one", two: "Player two" };

const LONGEST = 32;
/** The joiners inside emoji, and those that some scripts need. */
const JOINERS = /(?<=[\p{So}\p{Sm}][\ufe0f\u{1f3fb}-\u{1f3ff}]*)\u200d(?=[\p{So}\p{Sm}])|(?<=\p{L}\p{Mn})[\u200c\u200d](?=.)/gu;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const UNSEEN = /[\p{C}\p{M}\p{Z}\u115f\u1160\u2800\u3164\uffa0\u{1d159}]/gu;

/**
 * Why a name is not valid, or null if it is. No name at all is fine: the player gets a default one.
 * @param {string} text
 * @returns {string | null}
 */
export function whyInvalidName(text) {
  const name = text.normalize("NFC").trim();
  if (!name) return null;
  const isValid = [...name].length <= LONGEST && !UNPRINTABLE.test(name.replace(JOINERS, "")) && name.replace(UNSEEN, "");
  return isValid ? null : `“${name}” is not a valid name. Use at most ${LONGEST} visible characters, or leave it empty.`;
}
