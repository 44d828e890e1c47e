import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { PRESETS } from "../../../src/keypeg/web/game/board.js";
import { place } from "../../../src/keypeg/web/game/draft.js";
import { challengeTerms } from "../../../src/keypeg/web/game/challenge.js";
import { situation } from "../../../src/keypeg/web/game/situation.js";
import { absence, claimTerms, resignTerms } from "../../../src/keypeg/web/game/sentences.js";
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
  return { id: "t", seat: "one", options, board: classic, key_pegs: "by-hand", scoring: "rows", one: place, two: place, status, games };
}

const at = (...played) => situation(table(...played));

beforeEach(() => {
  const kept = new Map();
  globalThis.localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
});

const red = (draft) => place(draft, 1);

test("a refresh gives back the half-filled row, and not that of another row", () => {
  const row = new RowInHand(classic);
  row.renew(at(1));
  row.change(at(1), red);
  const after = new RowInHand(classic);
  after.renew(at(1));
  assert.deepEqual(after.draft.holes, [1, null, null, null]);
  const later = new RowInHand(classic);
  later.renew(at(2));
  assert.deepEqual(later.draft.holes, [null, null, null, null]);
});

test("a secret is never kept", () => {
  const row = new RowInHand(classic);
  row.renew(at(0, "secret"));
  row.change(at(0, "secret"), red);
  assert.equal(localStorage.getItem("keypeg.drafts"), null);
});

test("what is pressed while a row is checked is for the next row, or for none", () => {
  const row = new RowInHand(classic);
  row.renew(at(0));
  row.postpone(red);
  row.renew(at(1));
  row.catchUp(at(1), true);
  assert.deepEqual(row.draft.holes, [1, null, null, null]);
  row.postpone(red);
  row.catchUp(at(1), false);
  assert.deepEqual(row.draft.holes, [1, null, null, null]);
});

test("a check pressed early is for the row whose pegs came early, and else for none", () => {
  const row = new RowInHand(classic);
  row.renew(at(0));
  row.postponeCheck();
  assert.equal(row.catchUp(at(0), true), false);
  row.postpone(red);
  row.postponeCheck();
  row.renew(at(1));
  assert.equal(row.catchUp(at(1), true), true);
  assert.equal(row.catchUp(at(1), true), false);
  row.postpone(red);
  row.postponeCheck();
  assert.equal(row.catchUp(at(1), false), false);
});

test("an absent opponent may be claimed only where the game waits for them", () => {
  const away = { here: false, away_since: 0, claimable_at: 30_000 };
  const view = (options) => ({ table: { ...table(0), options }, present: { one: away, two: away }, ahead: 0 });
  const soon = { words: "Bob is away. You can claim the series in 0:27.", spoken: "Bob is away." };
  const claim = "Bob is away. You can claim the series, or wait.";
  assert.deepEqual(absence(view(["guess"]), 3000), { words: "Bob is away.", spoken: "Bob is away." });
  assert.deepEqual(absence(view(["claim"]), 3000), soon);
  assert.deepEqual(absence(view(["claim"]), 30_000), { words: claim, spoken: claim });
});

test("somebody who has just sat down or reloads the page is not away", () => {
  const away = { here: false, away_since: 500, claimable_at: 30_500 };
  const view = { table: { ...table(0), options: ["claim"] }, present: { one: away, two: away }, ahead: 100 };
  assert.equal(absence(view, 3399), null);
  assert.match(absence(view, 3400).words, /^Bob is away/);
});

test("the rows of several games are kept, one for each game", () => {
  const row = new RowInHand(classic);
  for (const [game, rows] of [["t-1/1", 1], ["u-1/1", 0], ["t-1/1", 2]]) {
    row.renew(at(rows, "guess", game));
    row.change(at(rows, "guess", game), red);
  }
  const drafts = JSON.parse(localStorage.getItem("keypeg.drafts"));
  assert.deepEqual(drafts.map(({ place }) => place), ["t-1/1 one 3", "u-1/1 one 1"]);
});

test("what cannot be taken back says first what it means", () => {
  assert.match(resignTerms(table(1)), /as if the code had never been broken/);
  assert.match(resignTerms({ ...table(1), seat: "two" }), /You then score nothing for this game, and it counts as played/);
  const mine = { ...table(1), seat: "two" };
  assert.match(claimTerms(mine), /You score 11 points for this game, as if your code had never been broken\.$/);
  assert.match(claimTerms(table(1)), /The series then ends, and you win it\. Bob scores nothing for this game\.$/);
  assert.match(challengeTerms(table(1)), /^If an answer is wrong/);
  const wrong = table(1);
  wrong.games[0].rows = [answeredRow, { code: [1, 1, 1, 1], black: 1, white: 0 }];
  assert.match(challengeTerms(wrong), /^Rows 1 and 2 cannot both be right: no code fits\./);
});
