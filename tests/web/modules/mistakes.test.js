import { PRESETS } from "../../../src/keypeg/web/game/board.js";
import { answeredOn, dueAt, isDone, judgement, mergedMistake, mistakesOf } from "../../../src/keypeg/web/game/mistake.js";
import { breakerOf, parseRecord } from "../../../src/keypeg/web/game/record.js";
import { keepReview, MISTAKES, PLAYED } from "../../../src/keypeg/web/live/analysedgames.js";
import { unanalysed } from "../../../src/keypeg/web/live/analyser.js";
import { SERIES } from "../../../src/keypeg/web/live/mygames.js";
import { safeStorage, storageTrouble } from "../../../src/keypeg/web/live/storage.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const [classic] = PRESETS;
const DAY = 86_400_000;
const row = (code, black, white) => ({ code, black, white });
const ROWS = [row([1, 1, 2, 2], 0, 0), row(null, null, null), row([1, 1, 2, 2], 0, 0), row([3, 3, 4, 5], 4, 0)];
const rated = (loss) => ({ loss, luck: 0, best: [3, 3, 4, 5], certainty: "proven" });
const RATING = { rows: [rated(0), rated(1.2), rated(0.24)], loss: 1.44, luck: 0.5 };

function storage() {
  const items = new Map();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, text) => items.set(key, text), removeItem: (key) => items.delete(key) };
}

const found = () => mistakesOf("g/1", 1000, classic, ROWS, RATING);

test("rows that cost 0.25 guesses or more are mistakes, by their number on the board", () => {
  const [only, ...more] = found();
  assert.deepEqual(more, []);
  assert.deepEqual([only.id, only.row, only.rows, only.guess, only.loss], ["g/1 3", 3, [ROWS[0]], [1, 1, 2, 2], 1.2]);
});

test("a mistake comes once a day, until it is solved on two days", () => {
  let [mistake] = found();
  const now = new Date(2026, 10, 18, 12).getTime();
  assert.deepEqual(dueAt([mistake], now), [mistake]);
  mistake = answeredOn(mistake, false, now);
  assert.deepEqual([dueAt([mistake], now), dueAt([mistake], now + DAY)], [[], [mistake]]);
  mistake = answeredOn(answeredOn(mistake, true, now + DAY), true, now + DAY);
  assert.ok(!isDone(mistake), "twice on one day is once");
  mistake = answeredOn(mistake, true, now + 3 * DAY);
  assert.ok(isDone(mistake));
  assert.deepEqual(dueAt([mistake], now + 9 * DAY), []);
});

test("the oldest mistakes come first", () => {
  const [one] = found();
  const all = [{ ...one, id: "c", at: 3 }, { ...one, id: "b", at: 1, row: 5 }, { ...one, id: "a", at: 1 }];
  assert.deepEqual(dueAt(all, DAY).map(({ id }) => id), ["a", "b", "c"]);
});

test("any row as good as the best is right, and every answer says what it saves", () => {
  const [mistake] = found();
  const equal = judgement(mistake, [3, 4, 4, 5], 0.004, "proven", classic);
  assert.ok(equal.right);
  assert.match(equal.words[0], /^No row is better than this one \(proven\): 1\.20 guesses better than your row\.$/);
  assert.match(equal.words[1], /^This row \(yellow, green, green, white\) leaves [\d.]+ of 256 codes.*your row \(red, red, blue, blue\) leaves 256 of 256 codes/);
  const worse = judgement(mistake, [3, 3, 3, 3], 0.3, "estimate", classic);
  assert.ok(!worse.right);
  assert.match(worse.words[0], /^0\.30 guesses worse than the best row \(estimate\), and 0\.90 guesses better than your row\.$/);
  assert.match(judgement(mistake, [6, 6, 6, 6], 1.5, "proven", classic).words[0], /and 0\.30 guesses worse than your row/);
  assert.match(judgement(mistake, [1, 1, 2, 2], 1.2, "proven", classic).words[0], /^This is the row you played\. It is 1\.20 guesses worse/);
});

test("what two browsers know of one mistake is made one", () => {
  const [mistake] = found();
  const here = { ...mistake, tried: "2026-11-18", solved: ["2026-11-18"] };
  const there = { ...mistake, tried: "2026-11-17", solved: ["2026-11-17"] };
  assert.deepEqual(mergedMistake(here, there).solved, ["2026-11-17", "2026-11-18"]);
  assert.equal(mergedMistake(there, here).tried, "2026-11-18");
  assert.equal(mergedMistake(mistake, there).tried, "2026-11-17");
});

test("a game is kept once, with its mistakes", () => {
  const kept = storage();
  assert.equal(keepReview({ id: "g/1", rows: ROWS }, classic, RATING, 1000, kept), 1);
  assert.equal(keepReview({ id: "g/1", rows: ROWS }, classic, RATING, 2000, kept), 0);
  assert.deepEqual(PLAYED.all(kept), [{ id: "g/1", at: 1000, board: "classic", rows: 4, rated: 3, loss: 1.44, luck: 0.5 }]);
  keepReview({ id: "g/3", rows: ROWS.slice(0, 3) }, classic, RATING, 3000, kept);
  assert.deepEqual(PLAYED.all(kept).map(({ rows }) => rows), [null, 4], "the newest first; not broken");
});

test("what does not belong in the storage is left out", () => {
  const kept = storage();
  const [good] = found();
  const bad = [{ ...good, id: "1", guess: [7, 1, 1, 1] }, { ...good, id: "2", board: "4x" }, { ...good, id: "3", rows: [row([1, 1, 1, 1], 3, 1)] }, { ...good, id: "4", more: 1 }, null, 5];
  kept.setItem("keypeg.mistakes", JSON.stringify([...bad, good]));
  assert.deepEqual(MISTAKES.all(kept), [good]);
  for (const text of ["{", "5", "null", '{"a": 1}']) {
    kept.setItem("keypeg.mistakes", text);
    assert.deepEqual(MISTAKES.all(kept), []);
  }
});

test("a list is bounded, and drops what is oldest", () => {
  const kept = storage();
  const games = Array.from({ length: 1200 }, (_, at) => ({ id: `g${at}`, at, board: "classic", rows: 5, rated: 5, loss: 0, luck: 0 }));
  assert.equal(PLAYED.keep(games, kept), 1200);
  assert.deepEqual([PLAYED.all(kept).length, PLAYED.all(kept)[0].at, PLAYED.all(kept)[999].at], [1000, 1199, 200]);
});

test("series of one player at a known table can be analysed", () => {
  const kept = storage();
  const one = { id: `${"a".repeat(22)}-1`, at: 5, board: "classic", opponent: "Computer", result: "won", mine: 6, theirs: 5, rows: [5] };
  SERIES.keep([one, { ...one, id: "b" }, { ...one, id: `${"c".repeat(22)}-1`, shared: true }], kept);
  assert.deepEqual(unanalysed(kept), [one]);
});

test("roles swap after each game of a record, but not for a replay", () => {
  const { firstMaker } = parseRecord("keypeg record 1\nboard: classic\nfirst maker: two\n");
  assert.equal(firstMaker, "two");
  assert.deepEqual(["s/1", "s/1.2", "s/2", "s/3"].map((id) => breakerOf({ id }, firstMaker)), ["one", "one", "two", "one"]);
});

test("a storage that is full or blocked loses nothing while the page is open", () => {
  const items = new Map([["b", "kept"]]);
  globalThis.localStorage = { getItem: (key) => items.get(key) ?? null, setItem: () => { throw new Error("full"); }, removeItem: (key) => items.delete(key) };
  assert.equal(storageTrouble(), null);
  safeStorage.setItem("a", "1");
  assert.deepEqual([safeStorage.getItem("a"), safeStorage.getItem("b")], ["1", "kept"]);
  assert.match(storageTrouble(), /is full/);
  safeStorage.removeItem("a");
  assert.equal(safeStorage.getItem("a"), null);
  Object.defineProperty(globalThis, "localStorage", { get: () => { throw new Error("blocked"); } });
  safeStorage.setItem("c", "3");
  safeStorage.removeItem("b");
  assert.deepEqual([safeStorage.getItem("c"), safeStorage.getItem("b")], ["3", null]);
  assert.match(storageTrouble(), /stores nothing/);
});
