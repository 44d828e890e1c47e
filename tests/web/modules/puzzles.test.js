import assert from "node:assert/strict";
import { test } from "node:test";
import { addPuzzles, finishedPuzzles, MOST, puzzleFinished } from "../../../src/keypeg/web/live/puzzles.js";

const RESULT = { board: "classic", grade: 3, seed: 123, seconds: 61.4, tries: 2, hints: 1, solved: true };

function storage() {
  const items = new Map();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, text) => items.set(key, text) };
}

test("a finished puzzle is stored with its time, in whole seconds", () => {
  const kept = storage();
  const before = Date.now();
  puzzleFinished(RESULT, kept);
  const [{ at, ...result }] = finishedPuzzles(kept);
  assert.deepEqual(result, { ...RESULT, seconds: 61 });
  assert.ok(at >= before && at <= Date.now());
  assert.equal(JSON.parse(kept.getItem("keypeg.puzzles")).version, 1);
});

test("old results are dropped, so that the storage stays small", () => {
  const kept = storage();
  const results = Array.from({ length: MOST }, (_, seed) => ({ ...RESULT, seed, at: seed }));
  kept.setItem("keypeg.puzzles", JSON.stringify({ version: 1, results }));
  puzzleFinished({ ...RESULT, seed: 7777 }, kept);
  const seeds = finishedPuzzles(kept).map(({ seed }) => seed);
  assert.deepEqual([seeds.length, seeds[0], seeds.at(-1)], [MOST, 1, 7777]);
  assert.ok(kept.getItem("keypeg.puzzles").length < 300_000);
});

test("the results of a later version stay as they are", () => {
  const kept = storage();
  const later = '{"version":2,"results":[{"at":1}],"more":[]}';
  kept.setItem("keypeg.puzzles", later);
  puzzleFinished(RESULT, kept);
  assert.equal(addPuzzles([{ ...RESULT, at: 1 }], kept), 0);
  assert.equal(kept.getItem("keypeg.puzzles"), later);
});

test("what cannot be read counts as nothing, and a full storage stops no game", () => {
  const kept = storage();
  for (const text of ["{", "[]", '{"version":9,"results":[1]}', "null"]) {
    kept.setItem("keypeg.puzzles", text);
    assert.deepEqual(finishedPuzzles(kept), []);
  }
  const full = { getItem: () => null, setItem: () => { throw new Error("full"); } };
  puzzleFinished(RESULT, full);
});
