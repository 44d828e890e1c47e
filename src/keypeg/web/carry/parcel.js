/**
 * All that is the player's own in this browser, as one text: to be saved as a file, or shown as QR codes.
 * What comes in is checked as a whole before anything changes, and is merged with what is here. Seats at
 * tables are not in it: their tokens are in cookies that no page can read.
 */

import { counted } from "../game/board.js";
import { Refusal } from "../game/code.js";
import { addDaily, areResults, dailyResults } from "./daily.js";
import { ANALYSED } from "../live/analyser.js";
import { keepChoices, keptChoices } from "../live/choices.js";
import { SERIES } from "../live/mygames.js";
import { MISTAKES, PLAYED } from "../live/played.js";
import { addPuzzles, finishedPuzzles, isFinishedPuzzle, MOST as MOST_PUZZLES } from "../live/puzzles.js";
import { dictionary, flag, oneOf, record, text } from "../live/shape.js";
import { shelf } from "../live/storage.js";
import { DEFAULTS, keepPreferences, readPreferences } from "../look/preferences.js";

/** @typedef {import("../live/storage.js").Shelf} Shelf */

const FORMAT = "keypeg data";
const VERSION = 1;
/** Larger than all lists at their bounds. */
export const MOST_CHARACTERS = 5_000_000;

/**
 * @typedef {object} List
 * @property {string} noun what one of its entries is; empty if nobody needs to know
 * @property {number} most
 * @property {import("../live/shape.js").Check} isEntry
 * @property {(storage: Shelf) => any[]} all the newest first
 * @property {(entries: any[], storage: Shelf) => number} merge returns how many were new
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
 * @param {import("../live/ledger.js").Ledger<any>} ledger
 * @param {string} noun
 * @returns {List}
 */
function listed(ledger, noun) {
  return { noun, most: ledger.most, isEntry: ledger.isEntry, all: (storage) => ledger.all(storage), merge: (entries, storage) => ledger.keep(entries, storage) };
}

/** A colour, as in #a81905. @type {import("../live/shape.js").Check} */
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
 * @param {{ most?: number, now?: number, storage?: Shelf }} [options]
 * @returns {string}
 */
export function packed({ most = Infinity, now = Date.now(), storage = shelf } = {}) {
  const lists = Object.entries(LISTS).map(([name, list]) => [name, list.all(storage).slice(0, most)]);
  const single = { daily: dailyResults(storage), preferences: readPreferences(storage), start: keptChoices(storage) ?? {} };
  return JSON.stringify({ format: FORMAT, version: VERSION, saved: now, ...Object.fromEntries(lists), ...single });
}

/**
 * Merge what another browser, or this one, has packed.
 * @param {string} written
 * @param {Shelf} [storage]
 * @returns {string} what was new, in words
 */
export function unpack(written, storage = shelf) {
  const parcel = checked(written);
  const added = [];
  for (const [name, { noun, merge }] of Object.entries(LISTS)) {
    const count = name in parcel ? merge(parcel[name], storage) : 0;
    if (count && noun) added.push(numbered(count, noun));
  }
  const days = addDaily(parcel.daily ?? {}, storage);
  if (days) added.push(numbered(days, "daily code"));
  mergeSettings(parcel, storage);
  return added.length ? `Added ${new Intl.ListFormat("en").format(added)}. What was here is still here.` : "Nothing was new: everything in it is here already.";
}

/**
 * @param {number} count
 * @param {string} noun
 */
function numbered(count, noun) {
  return noun === "series" ? `${count.toLocaleString("en")} series` : counted(count, noun);
}

/**
 * Delete all of it.
 * @param {Shelf} [storage]
 */
export function forgetAll(storage = shelf) {
  for (const name of KEYS) storage.removeItem(name);
}

/**
 * What the player has set here stays; what is still as it was in the beginning is taken over.
 * @param {Record<string, any>} parcel
 * @param {Shelf} storage
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
 * @returns {Record<string, any>} a parcel whose parts all have their shape
 */
function checked(written) {
  if (written.length > MOST_CHARACTERS) throw new Refusal("This is too large to be data of keypeg.");
  const found = read(written);
  // My games exports the list of series alone.
  const parcel = Array.isArray(found) ? { format: FORMAT, version: VERSION, series: found } : found;
  if (parcel?.format !== FORMAT) throw new Refusal("This is not data of keypeg. Take it from the page Progress in the other browser, and add it here unchanged.");
  if (parcel.version !== VERSION) throw new Refusal(`This data has version ${parcel.version}; this page reads version ${VERSION}. Reload the page, or save the data again.`);
  for (const [name, part] of Object.entries(parcel)) {
    if (["format", "version", "saved"].includes(name)) continue;
    if (Object.hasOwn(LISTS, name)) checkList(LISTS[name], name, part);
    else if (!Object.hasOwn(SINGLE, name)) throw new Refusal(`“${name.slice(0, 40)}” is not a part of version ${VERSION}. Nothing was changed.`);
    else if (!SINGLE[/** @type {keyof typeof SINGLE} */ (name)](part)) throw new Refusal(`The part “${name}” is not valid. Nothing was changed.`);
  }
  return parcel;
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
  if (!Array.isArray(part) || part.length > most) throw new Refusal(`“${name}” is not a list of up to ${most.toLocaleString("en")} entries. Nothing was changed.`);
  const wrong = part.findIndex((entry) => !isEntry(entry));
  if (wrong >= 0) throw new Refusal(`Entry ${wrong + 1} of “${name}” is not valid. Nothing was changed.`);
}
