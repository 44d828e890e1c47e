import assert from "node:assert/strict";
import { test } from "node:test";
import { PRESETS } from "../../../src/keypeg/web/game/board.js";
import { keepRows, keptRows, lastBoard } from "../../../src/keypeg/web/live/worksheet.js";

const [classic, , advanced] = PRESETS;

function storage() {
  const items = new Map();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, text) => items.set(key, text) };
}

test("the rows of each board are kept, and the board that was used last", () => {
  const kept = storage();
  const rows = [{ code: [1, 1, 2, 2], black: 1, white: 1 }];
  assert.deepEqual([lastBoard(kept), keptRows(classic, kept)], [null, []]);
  keepRows(classic, rows, kept);
  keepRows(advanced, [], kept);
  assert.deepEqual([lastBoard(kept), keptRows(classic, kept)], ["advanced", rows]);
});

test("rows that the board does not have are left out", () => {
  const kept = storage();
  keepRows(classic, [{ code: [7, 1, 1, 1], black: 0, white: 0 }, { code: [1, 1], black: 0, white: 0 }, { code: [1, 1, 1, 1], black: 3, white: 1 }], kept);
  assert.deepEqual(keptRows(classic, kept), []);
  kept.setItem("keypeg.assistant", "{");
  assert.equal(lastBoard(kept), null);
});
