import assert from "node:assert/strict";
import { test } from "node:test";
import { PRESETS } from "../../../src/keypeg/web/game/board.js";
import { emptyDraft, place } from "../../../src/keypeg/web/game/draft.js";
import { keepDraft, keptDraft } from "../../../src/keypeg/web/live/drafts.js";
import { DEFAULTS, readPreferences } from "../../../src/keypeg/web/look/preferences.js";

const [classic] = PRESETS;
const ROW = { place: "daily-classic-2026-11-18 1", holes: [null, 2, null, null], held: [false, false, false, false], cursor: 2 };

function storage(text) {
  const items = new Map();
  return { getItem: () => items.get("") ?? text, setItem: (_, written) => items.set("", written) };
}

test("a row that was kept is there again, and anything else in its place is no row", () => {
  const kept = storage("[]");
  keepDraft(ROW.place, place(emptyDraft(4), 2, 1), kept);
  assert.deepEqual(keptDraft(ROW.place, classic, kept), { ...emptyDraft(4), holes: ROW.holes, held: ROW.held, cursor: ROW.cursor });
  const changes = [{ place: 1 }, { holes: null }, { holes: "1234" }, { holes: [1, 2, 3] }, { holes: [1, 2, 3, 7] }, { holes: [1, 2, 3, "x"] }, { held: null }, { held: 77 }, { cursor: -5 }, { cursor: null }];
  for (const garbage of ["null", "{}", "5", '"x"', "{", "[null]", "[5]", '[{"id":1}]', ...changes.map((change) => JSON.stringify([{ ...ROW, ...change }]))]) {
    const bad = storage(garbage);
    assert.equal(keptDraft(ROW.place, classic, bad), null, garbage);
    keepDraft(ROW.place, emptyDraft(4), bad);
    assert.ok(keptDraft(ROW.place, classic, bad), garbage);
  }
});

test("a preference of another kind is as in the beginning, and those of later versions stay", () => {
  for (const garbage of ["null", "[]", "5", '"x"', "{", '{"theme":5,"labels":{},"sound":"yes","motion":null,"colours":null,"name":7}', '{"colours":[]}']) {
    const { ...read } = readPreferences(storage(garbage));
    assert.deepEqual(Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, read[name]])), DEFAULTS, garbage);
  }
  assert.deepEqual(readPreferences(storage('{"theme":"dark","size":3}')), { ...DEFAULTS, theme: "dark", size: 3 });
});
