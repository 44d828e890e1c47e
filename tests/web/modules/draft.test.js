import assert from "node:assert/strict";
import { test } from "node:test";
import * as drafting from "../../../src/keypeg/web/game/draft.js";
import { PRESETS, makeBoard, symbols } from "../../../src/keypeg/web/game/board.js";

const [classic, blanks] = PRESETS;
const noRepeats = makeBoard({ ...classic, repeats: false });
const filled = (...pegs) => pegs.reduce((draft, peg) => drafting.place(draft, peg), drafting.emptyDraft(pegs.length));

test("a peg fills the hole with the cursor, which moves on to the next empty one", () => {
  let draft = drafting.moveTo(drafting.emptyDraft(4), 2);
  draft = drafting.place(draft, 5);
  assert.deepEqual(draft.holes, [null, null, 5, null]);
  assert.equal(draft.cursor, 3);
  draft = drafting.place(draft, 6);
  assert.equal(draft.cursor, 0, "round to the first empty hole");
});

test("a full row keeps the cursor inside", () => {
  const draft = filled(1, 2, 3, 4);
  assert.equal(draft.cursor, 3);
  assert.deepEqual(drafting.place(draft, 5).holes, [1, 2, 3, 5]);
});

test("undo goes back step by step and stops at the beginning", () => {
  let draft = filled(1, 2, 3, 4);
  draft = drafting.undo(drafting.undo(draft));
  assert.deepEqual(draft.holes, [1, 2, null, null]);
  for (let step = 0; step < 9; step += 1) draft = drafting.undo(draft);
  assert.deepEqual(draft.holes, [null, null, null, null]);
});

test("moving the cursor is not something to undo", () => {
  const draft = drafting.moveTo(drafting.place(drafting.emptyDraft(4), 1), 3);
  assert.deepEqual(drafting.undo(draft).holes, [null, null, null, null]);
});

test("held pegs stay for the next row, the others leave", () => {
  const draft = drafting.hold(filled(1, 2, 3, 4), 1);
  const next = drafting.nextDraft(draft);
  assert.deepEqual(next.holes, [null, 2, null, null]);
  assert.equal(next.cursor, 0);
  assert.equal(drafting.undo(next), next, "the row before cannot be undone");
});

test("an empty hole cannot be held, and clearing a hole lets it go", () => {
  const empty = drafting.emptyDraft(4);
  assert.equal(drafting.hold(empty, 2), empty);
  assert.equal(drafting.clear(drafting.hold(filled(1, 2, 3, 4), 1), 1).held[1], false);
});

test("clearing the row removes held pegs too, and can be undone", () => {
  const draft = drafting.hold(filled(1, 2, 3, 4), 1);
  const cleared = drafting.clearAll(draft);
  assert.deepEqual([cleared.holes, cleared.held, cleared.cursor], [[null, null, null, null], [false, false, false, false], 0]);
  assert.deepEqual(drafting.undo(cleared), draft);
});

test("backspace takes this peg, or the one before an empty hole", () => {
  assert.deepEqual(drafting.backspace(filled(1, 2, 3, 4)).holes, [1, 2, 3, null]);
  const half = drafting.place(drafting.emptyDraft(4), 1);
  assert.deepEqual(drafting.backspace(half).holes, [null, null, null, null]);
});

test("filling leaves what is there, copying replaces it", () => {
  const draft = drafting.place(drafting.emptyDraft(4), 3, 1);
  assert.deepEqual(drafting.fill(draft, 2).holes, [2, 3, 2, 2]);
  assert.deepEqual(drafting.copy(draft, [1, 1, 2, 2]).holes, [1, 1, 2, 2]);
});

test("a peg dragged onto another changes places with it", () => {
  assert.deepEqual(drafting.swap(filled(1, 2, 3, 4), 0, 2).holes, [3, 2, 1, 4]);
});

test("arrows turn the colour round and round, from an empty hole too", () => {
  const pegs = symbols(classic);
  const up = drafting.turn(drafting.emptyDraft(4), 1, pegs);
  assert.equal(up.holes[0], 1);
  assert.equal(drafting.turn(drafting.emptyDraft(4), -1, pegs).holes[0], 6);
  assert.equal(drafting.turn(up, -1, pegs).holes[0], 6);
});

test("why a row cannot be checked is always said", () => {
  assert.equal(drafting.whyNotReady(drafting.emptyDraft(4), classic), "4 holes are empty");
  assert.equal(drafting.whyNotReady(drafting.clear(filled(1, 2, 3, 4)), classic), "1 hole is empty");
  assert.match(drafting.whyNotReady(drafting.clear(filled(1, 2, 3, 4)), blanks), /place – for a blank/);
  assert.equal(
    drafting.whyNotReady(filled(1, 2, 1, 4), noRepeats),
    "Repeats are off on this board: red is in holes 1 and 3",
  );
  assert.doesNotMatch(drafting.whyNotReady(filled(1, 2, 1, 4), noRepeats, true), /red|holes 1/, "a masked row tells no colour");
  assert.equal(drafting.whyNotReady(filled(1, 2, 1, 4), classic), null);
  assert.equal(drafting.whyNotReady(filled(0, 0, 0, 0), blanks), null);
});
