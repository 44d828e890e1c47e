import assert from "node:assert/strict";
import { test } from "node:test";
import { clockWords, dailyAddress, daysBefore, dayWords, resultWords, streak } from "../../../src/keypeg/web/game/daily.js";
import { allResults, begunOn, dateOf, keepBegun, keepResult, keptResults, numberAt } from "../../../src/keypeg/web/live/dailyresults.js";

test("one missed day is forgiven, two in a row are not, and today is not missed yet", () => {
  const cases = /** @type {[number[], number][]} */ ([[[], 0], [[10], 1], [[9], 1], [[8], 1], [[7], 0], [[10, 8, 6, 5], 4], [[10, 7], 1], [[11, 12], 0]]);
  for (const [done, length] of cases) assert.equal(streak(done, 10), length, String(done));
});

test("the time that is left is told to the second, and is never negative", () => {
  assert.equal(clockWords(3 * 3_600_000 + 61_000), "3:01:01");
  assert.equal(clockWords(1), "0:00:01");
  assert.equal(clockWords(-5), "0:00:00");
});

test("a day is named the same wherever the browser is", () => {
  assert.match(dayWords("2026-11-18"), /^Wednesday,? 18 November 2026$/);
  assert.deepEqual(daysBefore("2026-03-01", "2026-02-27", 5), ["2026-02-28", "2026-02-27"]);
  assert.equal(numberAt(Date.UTC(2026, 10, 18)), 322);
  assert.equal(numberAt(Date.UTC(2026, 10, 18) - 1), 321);
});

test("an address holds the date, except that of today", () => {
  assert.equal(dailyAddress("classic", null), "/daily");
  assert.equal(dailyAddress("advanced", null), "/daily?board=advanced");
  assert.equal(dailyAddress("classic", "2026-11-18"), "/daily?date=2026-11-18");
  assert.equal(dailyAddress("advanced", "2026-11-18"), "/daily?board=advanced&date=2026-11-18");
});

test("a day that was begun is remembered until it is done", () => {
  const items = new Map();
  const storage = /** @type {Storage} */ (/** @type {unknown} */ ({ getItem: (/** @type {string} */ key) => items.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => items.set(key, value) }));
  const day = (/** @type {string} */ name, /** @type {number} */ number, more = {}) => /** @type {any} */ ({ board: { name }, number, counts: true, rows: [1], ending: null, ...more });
  keepBegun(day("advanced", 321), storage);
  keepBegun(day("classic", 322), storage);
  keepBegun(day("classic", 300, { counts: false }), storage);
  assert.deepEqual([begunOn("classic", storage), begunOn("advanced", storage)], [322, 321]);
  keepResult(day("classic", 322, { ending: { broken: true } }), storage);
  assert.deepEqual([begunOn("classic", storage), begunOn("advanced", storage)], [null, 321]);
  items.set("keypeg.daily-begun", '{"classic": {"number": "x"}}');
  assert.equal(begunOn("classic", storage), null);
  assert.equal(dateOf(322), "2026-11-18");
});

test("results are stored for each board, and what is not finished is not", () => {
  const items = new Map();
  const storage = /** @type {Storage} */ (/** @type {unknown} */ ({ getItem: (/** @type {string} */ key) => items.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => items.set(key, value) }));
  const day = (/** @type {string} */ name, /** @type {number} */ number, /** @type {boolean | null} */ broken) =>
    /** @type {any} */ ({ board: { name }, number, counts: number !== 7, rows: [1, 2, 3], ending: broken === null ? null : { broken } });
  keepResult(day("classic", 5, true), storage);
  keepResult(day("advanced", 5, false), storage);
  keepResult(day("classic", 6, null), storage);
  keepResult(day("classic", 7, true), storage);
  assert.deepEqual(keptResults("classic", storage), { 5: 3 });
  assert.deepEqual(keptResults("advanced", storage), { 5: 0 });
  assert.deepEqual(allResults("classic", storage), { 5: 3, 7: 3 });
  items.set("keypeg.daily", "{");
  assert.deepEqual(keptResults("classic", storage), {});
  assert.equal(resultWords(0), "Not broken");
  assert.equal(resultWords(1), "Broken in 1 row");
});
