import assert from "node:assert/strict";
import { test } from "node:test";
import { boardsOf, countedGames, dailyGames, figuresOf, weeksOf } from "../../../src/keypeg/web/game/progress.js";
import { gameIdOf, numberAt, timeOf } from "../../../src/keypeg/web/live/dailyresults.js";

const WEEK = 7 * 86_400_000;
const series = (id, rows, more = {}) => ({ id, at: 1, board: "classic", rows, ...more });
const played = (id, rows, loss = 0.5, luck = 0.25) => ({ id, at: 1, board: "classic", rows, rated: 4, loss, luck });
const game = (at, rows, board = "classic") => ({ at, board, rows, loss: null, luck: null });

test("each game counts once, whether it was analysed or not", () => {
  const games = countedGames([series("a-1", [5, null, 5]), series("a-11", [4]), series("b-1", [9], { shared: true })], [played("a-1/1", 5), played("a-1/3", null)]);
  assert.deepEqual(games.map(({ rows, loss }) => [rows, loss]), [[5, 0.5], [null, 0.5], [5, null], [4, null]]);
  assert.deepEqual(countedGames([], [{ ...played("c-1/1", 5), rated: 0 }])[0].loss, null, "nothing was rated");
});

test("averages leave out what is not known", () => {
  const games = countedGames([series("a-1", [4, 6, null])], [played("a-1/1", 4, 1, -1), played("b-1/1", 6, 0, 0)]);
  assert.deepEqual(figuresOf(games), { games: 4, broken: 3, rated: 2, rows: 16 / 3, loss: 0.5, luck: -0.5 });
  assert.deepEqual(figuresOf([]), { games: 0, broken: 0, rated: 0, rows: null, loss: null, luck: null });
});

test("the board that was played most comes first", () => {
  assert.deepEqual(boardsOf([game(1, 5, "4x8"), game(1, 5), game(1, 5), game(1, 5, "3x4")]), ["classic", "3x4", "4x8"]);
});

test("weeks without games are left out, and those of more than half a year ago", () => {
  const weeks = weeksOf([0, 10, 10, 12, 40].map((week) => game(week * WEEK, week)));
  assert.deepEqual(weeks.map(({ games, rows }) => [games, rows]), [[1, 40]]);
  const recent = weeksOf([0, 10, 10, 12].map((week) => game(week * WEEK, week + 1)));
  assert.deepEqual(recent.map(({ games, rows, monday }) => [games, rows, monday.length]), [[1, 1, 10], [2, 11, 10], [1, 13, 10]]);
  assert.deepEqual(weeksOf([]), []);
});

test("daily codes count on their days", () => {
  const results = { classic: { 322: 5, 323: 0 }, advanced: { 322: 6 } };
  const games = dailyGames(results, timeOf, () => false);
  assert.deepEqual(games.map(({ at, rows }) => [numberAt(at), rows]), [[322, 5], [323, null], [322, 6]]);
  const rest = dailyGames(results, timeOf, (number, board) => gameIdOf(number, board) === "daily-2026-11-18-classic");
  assert.deepEqual(rest.map(({ rows }) => rows), [null, 6], "one that was analysed is among the others already");
});
