import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { PRESETS } from "../../../src/keypeg/web/game/board.js";
import { place } from "../../../src/keypeg/web/game/draft.js";
import { absence, challengeTerms, resignTerms } from "../../../src/keypeg/web/game/sentences.js";
import { RowInHand } from "../../../src/keypeg/web/live/rowinhand.js";

const [classic] = PRESETS;
const points = { one: 0, two: 0 };
const answeredRow = { code: [1, 1, 2, 2], black: 0, white: 0 };

/** A table with so many rows played, its breaker in seat one. */
function table(rows, phase = "guess", game = "t-1/1") {
  const status = { seq: 1, stage: "playing", number: 1, maker: "two", phase, turn: "one", waits_for: "one", points, score_line: points, totals: points, challengeable: false, result: null, rematch: null, due: null };
  const games = [{ id: game, maker: phase === "secret" ? "one" : "two", rows: Array(rows).fill(answeredRow), ending: null, void: false, secret: null, revealed: false }];
  const place = { taken: true, name: "Bob", level: null };
  const options = [phase === "secret" ? "set-secret" : phase];
  return { id: "t", seat: "one", options, board: classic, key_pegs: "by-hand", one: place, two: place, status, games };
}

beforeEach(() => {
  const kept = new Map();
  globalThis.sessionStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
});

const red = (draft) => place(draft, 1);

test("a refresh gives back the half-filled row, and not that of another row", () => {
  const row = new RowInHand(4);
  row.renew(table(1));
  row.change(table(1), red);
  const after = new RowInHand(4);
  after.renew(table(1));
  assert.deepEqual(after.draft.holes, [1, null, null, null]);
  const later = new RowInHand(4);
  later.renew(table(2));
  assert.deepEqual(later.draft.holes, [null, null, null, null]);
});

test("a secret is never kept", () => {
  const row = new RowInHand(4);
  row.renew(table(0, "secret"));
  row.change(table(0, "secret"), red);
  assert.equal(sessionStorage.getItem("keypeg.draft"), null);
});

test("what is pressed while a row is checked is for the next row, or for none", () => {
  const row = new RowInHand(4);
  row.renew(table(0));
  row.postpone(red);
  row.renew(table(1));
  row.catchUp(table(1), true);
  assert.deepEqual(row.draft.holes, [1, null, null, null]);
  row.postpone(red);
  row.catchUp(table(1), false);
  assert.deepEqual(row.draft.holes, [1, null, null, null]);
});

test("a check pressed early is for the row whose pegs came early, and else for none", () => {
  const row = new RowInHand(4);
  row.renew(table(0));
  row.postponeCheck();
  assert.equal(row.catchUp(table(0), true), false);
  row.postpone(red);
  row.postponeCheck();
  row.renew(table(1));
  assert.equal(row.catchUp(table(1), true), true);
  assert.equal(row.catchUp(table(1), true), false);
  row.postpone(red);
  row.postponeCheck();
  assert.equal(row.catchUp(table(1), false), false);
});

test("an absent opponent may be claimed only where the game waits for them", () => {
  const away = { here: false, away_since: 0, claimable_at: 30_000 };
  const view = (options) => ({ table: { ...table(0), options }, present: { one: away, two: away }, ahead: 0 });
  assert.equal(absence(view(["guess"]), 0), "Bob is away.");
  assert.equal(absence(view(["claim"]), 0), "Bob is away. You can claim the series in 0:30.");
  assert.equal(absence(view(["claim"]), 30_000), "Bob is away. You can claim the series, or wait.");
});

test("what cannot be taken back says first what it means", () => {
  assert.match(resignTerms(table(1)), /as if the code was never broken/);
  assert.match(resignTerms({ ...table(1), seat: "two" }), /You then score nothing for this game, and it counts as played/);
  assert.match(challengeTerms(table(1)), /^If an answer is wrong/);
  const wrong = table(1);
  wrong.games[0].rows = [answeredRow, { code: [1, 1, 1, 1], black: 1, white: 0 }];
  assert.match(challengeTerms(wrong), /^Rows 1, 2 cannot all be right: no code fits\./);
});
