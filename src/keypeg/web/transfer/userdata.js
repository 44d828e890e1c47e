/**
 * All that is the player's own in this browser, as one text: to be saved as a file, or shown as QR codes.
 * What comes in is checked as a whole before anything changes, and is merged with what is here. Seats at
 * tables are not in it: their tokens are in cookies that no page can read.
 */

import { counted, grouped } from "../game/board.js";
import { Refusal } from "../game/code.js";
import { MISTAKES, PLAYED } from "../live/analysedgames.js";
import { ANALYSED } from "../live/analyser.js";
import { keepChoices, keptChoices } from "../live/choices.js";
import { SERIES } from "../live/mygames.js";
import { addPuzzles, finishedPuzzles, isFinishedPuzzle, MOST as MOST_PUZZLES } from "../live/puzzles.js";
import { safeStorage } from "../live/storage.js";
import { dictionary, flag, oneOf, record, text } from "../live/validation.js";
import { DEFAULTS, keepPreferences, readPreferences } from "../look/preferences.js";
import { addDaily, areResults, dailyResults } from "./daily.js";

/** @typedef {import("../live/storage.js").StorageLike} StorageLike */

const FORMAT = "keypeg data";
const VERSION = 1;
/** Larger than all lists at their bounds. */
export const MOST_CHARACTERS = 5_000_000;

/**
 * @typedef {object} List
 * @property {string} noun what one of its entries is; empty if nobody needs to know
 * @property {number} most
 * @property {import("../live/validation.js").Check} isEntry
 * @property {(storage: StorageLike) => any[]} all the newest first
 * @property {(entries: any[], storage: StorageLike) => number} merge returns how many were new
 */

/** Where in the storage it is. */
const KEYS = ["series", "played", "mistakes", "analysed", "puzzles", "daily", "daily-archive", "daily-begun", "start"].map((name) => `keypeg.${name}`);

/** @type {Record<string, List>} */
const LISTS = {
  series: listed(SERIES, "series"),
  played: listed(PLAYED, "analysed game"),
  mistakes: listed(MISTAKES, "mistake"),
  analysed: listed(ANALYSED, ""),
  puzzles: { noun: "puzzle", most: MOST_PUZZLES, isEntry: isFinishedPuzzle, all: (storage) => finishedPuzzles(storage).reverse(), merge: addPuzzles },
};

/**
 * @param {import("../live/storedlist.js").StoredList<any>} list
 * @param {string} noun
 * @returns {List}
 */
function listed(list, noun) {
  return { noun, most: list.most, isEntry: list.isEntry, all: (storage) => list.all(storage), merge: (entries, storage) => list.keep(entries, storage) };
}

/** A colour, as in #a81905. @type {import("../live/validation.js").Check} */
const colour = (value) => typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value);

/** The parts that are no lists. */
const SINGLE = {
  daily: areResults,
  preferences: record({}, {
    theme: oneOf("system", "light", "dark"),
    labels: oneOf("letters", "shapes", "both", "none"),
    sound: flag,
    motion: flag,
    characterKeys: flag,
    coached: flag,
    name: text(40),
    colours: dictionary(colour, 20),
  }),
  start: dictionary(text(40), 40),
};

/**
 * Everything, or the latest entries of each list.
 * @param {{ most?: number, now?: number, storage?: StorageLike }} [options]
 * @returns {string}
 */
export function packed({ most = Infinity, now = Date.now(), storage = safeStorage } = {}) {
  const lists = Object.entries(LISTS).map(([name, list]) => [name, list.all(storage).slice(0, most)]);
  const single = { daily: dailyResults(storage), preferences: readPreferences(storage), start: keptChoices(storage) ?? {} };
  return JSON.stringify({ format: FORMAT, version: VERSION, saved: now, ...Object.fromEntries(lists), ...single });
}

/**
 * Merge what another browser, or this one, has exported.
 * @param {string} written
 * @param {StorageLike} [storage]
 * @returns {string} what was new, in words
 */
export function unpack(written, storage = safeStorage) {
  const data = checked(written);
  const added = [];
  for (const [name, { noun, merge }] of Object.entries(LISTS)) {
    const count = name in data ? merge(data[name], storage) : 0;
    if (count && noun) added.push(numbered(count, noun));
  }
  const days = addDaily(data.daily ?? {}, storage);
  if (days) added.push(numbered(days, "daily code"));
  mergeSettings(data, storage);
  return added.length ? `Added ${new Intl.ListFormat("en").format(added)}. What was here is still here.` : "Nothing was new: everything in it is here already.";
}

/**
 * @param {number} count
 * @param {string} noun
 */
function numbered(count, noun) {
  return noun === "series" ? `${grouped(count)} series` : counted(count, noun);
}

/**
 * Delete all of it.
 * @param {StorageLike} [storage]
 */
export function forgetAll(storage = safeStorage) {
  for (const name of KEYS) storage.removeItem(name);
}

/**
 * Settings that the player has changed here stay; of the others, imported ones are used.
 * @param {Record<string, any>} data
 * @param {StorageLike} storage
 */
function mergeSettings({ preferences = {}, start = {} }, storage) {
  const here = readPreferences(storage);
  const untouched = Object.entries(DEFAULTS).filter(([name, value]) => JSON.stringify(here[/** @type {keyof typeof DEFAULTS} */ (name)]) === JSON.stringify(value));
  const taken = untouched.filter(([name]) => name in preferences).map(([name]) => [name, preferences[name]]);
  if (taken.length) keepPreferences(Object.fromEntries(taken), storage);
  if (!keptChoices(storage) && Object.keys(start).length) keepChoices(start, storage);
}

/**
 * @param {string} written
 * @returns {Record<string, any>} data whose parts all have the right form
 */
function checked(written) {
  if (written.length > MOST_CHARACTERS) throw new Refusal("This is too large to be data of keypeg.");
  const found = read(written);
  // My games exports the list of series alone.
  const data = Array.isArray(found) ? { format: FORMAT, version: VERSION, series: found } : found;
  if (data?.format !== FORMAT) throw new Refusal("This is not data of keypeg. Export it on the Progress page of the other browser, and import it here unchanged.");
  if (data.version !== VERSION) throw new Refusal(`This data has version ${data.version}; this page reads version ${VERSION}. Reload the page, or export the data again.`);
  for (const [name, part] of Object.entries(data)) {
    if (["format", "version", "saved"].includes(name)) continue;
    if (Object.hasOwn(LISTS, name)) checkList(LISTS[name], name, part);
    else if (!Object.hasOwn(SINGLE, name)) throw new Refusal(`“${name.slice(0, 40)}” is not a part of version ${VERSION}. Nothing was changed.`);
    else if (!SINGLE[/** @type {keyof typeof SINGLE} */ (name)](part)) throw new Refusal(`The part “${name}” is not valid. Nothing was changed.`);
  }
  return data;
}

/** @param {string} written */
function read(written) {
  try {
    return JSON.parse(written);
  } catch {
    throw new Refusal("This is not data of keypeg: it is not JSON, or not all of it is here.");
  }
}

/**
 * @param {List} list
 * @param {string} name
 * @param {unknown} part
 */
function checkList({ most, isEntry }, name, part) {
  if (!Array.isArray(part) || part.length > most) throw new Refusal(`“${name}” is not a list of up to ${grouped(most)} entries. Nothing was changed.`);
  const wrong = part.findIndex((entry) => !isEntry(entry));
  if (wrong >= 0) throw new Refusal(`Entry ${wrong + 1} of “${name}” is not valid. Nothing was changed.`);
}
