/** What was chosen on the start page. It is stored only in this browser, and there again at the next visit. */

import { safeStorage } from "./storage.js";

/** @typedef {import("./storage.js").StorageLike} StorageLike */

const KEY = "keypeg.start";

/** @typedef {Record<string, string>} Choices the values by field; a box that is not ticked is missing */

/**
 * @param {StorageLike} [storage]
 * @returns {Choices | null} null at the first visit
 */
export function keptChoices(storage = safeStorage) {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? "null");
    return typeof kept === "object" ? kept : null;
  } catch {
    return null;
  }
}

/**
 * @param {Choices} choices
 * @param {StorageLike} [storage]
 */
export function keepChoices(choices, storage = safeStorage) {
  storage.setItem(KEY, JSON.stringify(choices));
}

/**
 * Choose in a form what was chosen before. What it no longer offers is left as it is.
 * @param {HTMLFormElement} form
 * @param {Choices} kept
 */
export function restore(form, kept) {
  for (const field of form.elements) {
    if (field instanceof HTMLSelectElement) {
      if ([...field.options].some(({ value }) => value === kept[field.name])) field.value = kept[field.name];
    } else if (field instanceof HTMLInputElement && field.name) {
      restoreInput(field, kept[field.name]);
    }
  }
}

/**
 * @param {HTMLInputElement} field
 * @param {string | undefined} kept
 */
function restoreInput(field, kept) {
  if (field.type === "radio") field.checked = kept === undefined ? field.defaultChecked : kept === field.value;
  else if (field.type === "checkbox") field.checked = kept !== undefined;
  else if (kept !== undefined) field.value = kept;
}
