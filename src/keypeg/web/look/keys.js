/** The keys, as data: what is pressed, what it does, and how the help says it. */

/**
 * @typedef {"left" | "right" | "next" | "previous" | "clear" | "clear-here" | "hold" | "check"
 *   | "undo" | "copy" | "hint" | "read" | "labels" | "help"} Deed
 */

/** @type {{ keys: string[], deed: Deed, shown: string, words: string }[]} */
export const KEYS = [
  { keys: ["ArrowLeft"], deed: "left", shown: "←", words: "the hole to the left" },
  { keys: ["ArrowRight"], deed: "right", shown: "→", words: "the hole to the right" },
  { keys: ["ArrowUp"], deed: "next", shown: "↑", words: "the next colour" },
  { keys: ["ArrowDown"], deed: "previous", shown: "↓", words: "the colour before" },
  { keys: ["Backspace"], deed: "clear", shown: "Backspace", words: "take the last peg out" },
  { keys: ["Delete"], deed: "clear-here", shown: "Delete", words: "take this peg out" },
  { keys: [" "], deed: "hold", shown: "Space", words: "hold this peg for the next row" },
  { keys: ["Enter"], deed: "check", shown: "Enter", words: "check the row" },
  { keys: ["Control+z", "Meta+z"], deed: "undo", shown: "Ctrl+Z", words: "undo, in the row not yet checked" },
  { keys: ["Control+d", "Meta+d"], deed: "copy", shown: "Ctrl+D", words: "copy the row before" },
  { keys: ["h"], deed: "hint", shown: "H", words: "ask for a hint" },
  { keys: ["l"], deed: "read", shown: "L", words: "read the last row aloud" },
  { keys: ["Shift+L"], deed: "labels", shown: "Shift+L", words: "letters, shapes, both or none" },
  { keys: ["?"], deed: "help", shown: "?", words: "this help" },
];

/**
 * What a key press asks for; null for a key that means nothing here.
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">} event
 * @returns {Deed | null}
 */
export function deedOf(event) {
  if (event.altKey) return null;
  const name = keyName(event);
  return KEYS.find(({ keys }) => keys.includes(name))?.deed ?? null;
}

/** @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey">} event */
function keyName({ key, ctrlKey, metaKey, shiftKey }) {
  if (ctrlKey) return `Control+${key.toLowerCase()}`;
  if (metaKey) return `Meta+${key.toLowerCase()}`;
  if (shiftKey && /^[a-z]$/i.test(key)) return `Shift+${key.toUpperCase()}`;
  return key;
}
