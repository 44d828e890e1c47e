/** Whose turn it is at one's own tables, and which tables these are. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { aboutTable, inOrder, isMine, openTable, opponentOf, whoseTurn } from "../../../src/keypeg/web/game/turns.js";
import { forgetTable, keepMatch, keepTable, keptTables, matchOf } from "../../../src/keypeg/web/live/mytables.js";

const score = { one: 0, two: 0 };
const status = { stage: "playing", number: 1, phase: "guess", score_line: score, waits_for: "one", result: null, rematch: null };
const bob = { taken: true, name: "Bob", level: null };
const ann = { taken: true, name: "Ann", level: null };
const turn = { id: "a", seat: "one", since: 1, board: "classic", games_agreed: 2, one: ann, two: bob, status };

function storage() {
  const items = new Map();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, text) => items.set(key, text), removeItem: (key) => items.delete(key), items };
}

test("a table waits for whoever is to move, or is offered another series", () => {
  assert.equal(isMine(turn), true);
  assert.equal(isMine({ ...turn, seat: "two" }), false);
  assert.equal(isMine({ ...turn, seat: null }), false);
  const over = { ...status, waits_for: null, result: { winner: null }, rematch: "two" };
  assert.equal(isMine({ ...turn, status: over }), true);
  assert.equal(isMine({ ...turn, status: { ...over, rematch: "one" } }), false);
});

test("those that wait come first, then the latest changed", () => {
  const theirs = { ...turn, id: "b", since: 5, status: { ...status, waits_for: "two" } };
  const later = { ...theirs, id: "c", since: 9 };
  const games = [theirs, later, turn].map((one) => openTable(one, false));
  assert.deepEqual(inOrder(games).map(({ key }) => key), ["a", "c", "b"]);
  assert.equal(openTable(turn, true).mine, false, "on a shared device nobody is waited for elsewhere");
});

test("it is said in words whose turn it is, and against whom", () => {
  assert.equal(whoseTurn(turn), "Your turn");
  assert.equal(whoseTurn({ ...turn, status: { ...status, waits_for: "two" } }), "Waiting for Bob");
  assert.equal(whoseTurn({ ...turn, status: { ...status, waits_for: null } }), "Either of you can go on");
  assert.equal(whoseTurn({ ...turn, status: { ...status, waits_for: null, rematch: "two" } }), "Another series is offered");
  const free = { ...turn, two: { taken: false, name: null, level: null }, status: { ...status, stage: "waiting", waits_for: null } };
  assert.equal(whoseTurn(free), "Waiting for somebody to sit down");
  assert.equal(aboutTable(free), "classic, game 1 of 2");
  assert.equal(aboutTable(turn), "classic, game 1 of 2, against Bob");
  assert.equal(opponentOf({ ...turn, two: { taken: true, name: null, level: "strong" } }), "the computer (strong)");
});

test("the latest table comes first, and one that is over is removed", () => {
  const kept = storage();
  for (const id of ["a", "b", "a"]) keepTable({ id, seat: "one", status }, kept);
  assert.deepEqual(keptTables(kept), ["a", "b"]);
  keepTable({ id: "c", seat: null, status }, kept);
  const over = { ...status, result: { winner: null } };
  keepTable({ id: "a", seat: "one", status: { ...over, rematch: "two" } }, kept);
  assert.deepEqual(keptTables(kept), ["a", "b"], "the opponent would like another series");
  keepTable({ id: "a", seat: "one", status: over }, kept);
  assert.deepEqual(keptTables(kept), ["b"]);
  forgetTable("b", kept);
  assert.equal(kept.items.size, 0);
});

test("matches are kept among the tables until they are over", () => {
  const kept = storage();
  keepTable({ id: "a", seat: "one", status }, kept);
  keepMatch({ id: "m", you: 2, stage: "playing" }, kept);
  keepMatch({ id: "n", you: null, stage: "playing" }, kept);
  assert.deepEqual(keptTables(kept), ["match/m", "a"]);
  assert.deepEqual(keptTables(kept).map(matchOf), ["m", null]);
  keepMatch({ id: "m", you: 2, stage: "over" }, kept);
  assert.deepEqual(keptTables(kept), ["a"]);
});

test("at most twenty tables are kept, and damaged storage is none", () => {
  const kept = storage();
  for (let number = 0; number < 30; number += 1) keepTable({ id: `t${number}`, seat: "two", status }, kept);
  assert.equal(keptTables(kept).length, 20);
  assert.equal(keptTables(kept)[0], "t29");
  for (const text of ["{", "3", '["x", 4]']) {
    kept.setItem("keypeg.tables", text);
    assert.deepEqual(keptTables(kept), []);
  }
});
