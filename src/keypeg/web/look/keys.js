/** The keyboard shortcuts: the keys, what they do, and the text in the help. */

/**
 * @typedef {"left" | "right" | "next" | "previous" | "clear" | "clear-here" | "clear-all" | "hold" | "check"
 *   | "undo" | "copy" | "hint" | "read" | "labels" | "help"} KeyAction
 */

/** @type {{ keys: string[], action: KeyAction, shown: string, words: string }[]} */
export const KEYS = [
  { keys: ["ArrowLeft"], action: "left", shown: "←", words: "the hole to the left" },
  { keys: ["ArrowRight"], action: "right", shown: "→", words: "the hole to the right" },
  { keys: ["ArrowUp"], action: "next", shown: "↑", words: "the next colour" },
  { keys: ["ArrowDown"], action: "previous", shown: "↓", words: "the previous colour" },
  { keys: ["Backspace"], action: "clear", shown: "Backspace", words: "remove the last peg" },
  { keys: ["Delete"], action: "clear-here", shown: "Delete", words: "remove this peg" },
  { keys: ["Control+Backspace", "Meta+Backspace"], action: "clear-all", shown: "Ctrl+Backspace", words: "remove all pegs" },
  { keys: [" "], action: "hold", shown: "Space", words: "hold this peg for the next row" },
  { keys: ["Enter"], action: "check", shown: "Enter", words: "check the row" },
  { keys: ["Control+z", "Meta+z"], action: "undo", shown: "Ctrl+Z", words: "undo the last change to this row" },
  { keys: ["Control+d", "Meta+d"], action: "copy", shown: "Ctrl+D", words: "copy the previous row" },
  { keys: ["h"], action: "hint", shown: "H", words: "ask for a hint" },
  { keys: ["l"], action: "read", shown: "L", words: "read the last row aloud" },
  { keys: ["Shift+L"], action: "labels", shown: "Shift+L", words: "letters, shapes, both or none" },
  { keys: ["?"], action: "help", shown: "?", words: "this help" },
];

/**
 * The action of a key press, or null if the key has none.
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">} event
 * @returns {KeyAction | null}
 */
export function keyActionOf(event) {
  if (event.altKey) return null;
  const name = keyName(event);
  return KEYS.find(({ keys }) => keys.includes(name))?.action ?? null;
}

/** @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey">} event */
function keyName({ key, ctrlKey, metaKey, shiftKey }) {
  if (ctrlKey) return `Control+${lower(key)}`;
  if (metaKey) return `Meta+${lower(key)}`;
  if (shiftKey && /^[a-z]$/i.test(key)) return `Shift+${key.toUpperCase()}`;
  return key;
}

/**
 * Whether a key press writes a character. Such shortcuts can be switched off, because speech input and
 * slips of the hand press them too.
 * @param {Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey">} event
 */
export function isCharacter({ key, ctrlKey, metaKey }) {
  return key.length === 1 && key !== " " && !ctrlKey && !metaKey;
}

/** The shortcuts that remain if characters are not used as shortcuts. */
export const KEYS_WITHOUT_CHARACTERS = KEYS.filter(({ keys }) => !keys.some((key) => isCharacter({ key: key.replace("Shift+", ""), ctrlKey: false, metaKey: false })));

/** @param {string} key */
function lower(key) {
  return key.length === 1 ? key.toLowerCase() : key;
}
