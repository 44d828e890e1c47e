import assert from "node:assert/strict";
import { test } from "node:test";
import { afterPeriod, expectedScore, UNRATED } from "../../../src/keypeg/web/game/glicko.js";
import { GRADE_RATINGS, puzzleResults, rangeOf, seriesResults, standingAfter } from "../../../src/keypeg/web/game/rating.js";
import { dayOf, mondayOf, weekOf } from "../../../src/keypeg/web/game/week.js";

const near = (value, wanted, within) => assert.ok(Math.abs(value - wanted) <= within, `${value} is not ${wanted}`);
const WEEK = 7 * 86_400_000;

test("Glickman's example gives his numbers", () => {
  const results = [[1400, 30, 1], [1550, 100, 0], [1700, 300, 0]].map(([rating, deviation, score]) => ({ rating, deviation, score }));
  const after = afterPeriod({ rating: 1500, deviation: 200, volatility: 0.06 }, results);
  near(after.rating, 1464.06, 0.01);
  near(after.deviation, 151.52, 0.01);
  near(after.volatility, 0.05999, 0.00001);
});

test("without results a rating stays, and becomes less certain up to that of an unknown player", () => {
  let standing = { rating: 1700, deviation: 50, volatility: 0.06 };
  const once = afterPeriod(standing, []);
  near(once.deviation, Math.hypot(50, 0.06 * 173.7178), 1e-9);
  for (let week = 0; week < 5000; week += 1) standing = afterPeriod(standing, []);
  assert.deepEqual([standing.rating, standing.deviation], [1700, UNRATED.deviation]);
});

test("results that nobody expects raise the volatility", () => {
  const beaten = Array.from({ length: 20 }, () => ({ rating: 1900, deviation: 0, score: 1 }));
  const after = afterPeriod({ rating: 1500, deviation: 50, volatility: 0.06 }, beaten);
  assert.ok(after.volatility > 0.0605 && after.rating > 1550);
});

test("somebody who solves three of four of a grade is rated a grade above, within the range", () => {
  near(expectedScore(GRADE_RATINGS[3], GRADE_RATINGS[2]), 0.76, 0.01);
  const results = Array.from({ length: 400 }, (_, at) => ({ at: at * (WEEK / 10), rating: GRADE_RATINGS[2], score: at % 4 ? 1 : 0 }));
  const standing = standingAfter(results, 400 * (WEEK / 10));
  const [low, high] = rangeOf(standing);
  assert.ok(low < 1500 && 1500 < high && high - low < 250, `${low} to ${high}`);
  assert.ok([low, high].every((end) => end % 10 === 0));
});

test("a rating does not depend on the order of the results, and needs one", () => {
  const results = [1, 0, 1, 1, 0].map((score, at) => ({ at: at * WEEK, rating: 1500, score }));
  assert.deepEqual(standingAfter(results, 5 * WEEK), standingAfter(results.toReversed(), 5 * WEEK));
  assert.equal(standingAfter([], 0), null);
  const late = standingAfter([{ at: 9 * WEEK, rating: 1500, score: 1 }], 0);
  assert.ok(late.rating > 1500, "a result of a clock that was ahead counts now");
});

test("series against the computer count if one player won them alone on an official board", () => {
  const series = { at: 5, board: "classic", result: "won", level: "strong", hints: 0, shared: false };
  assert.deepEqual(seriesResults([series]), [{ at: 5, rating: 1559, score: 1 }]);
  const others = [{ level: null }, { level: undefined }, { level: "toString" }, { hints: 1 }, { hints: undefined }, { shared: true }, { board: "3x4" }];
  assert.deepEqual(seriesResults(others.map((other) => ({ ...series, ...other }))), []);
});

test("a puzzle counts the first time, and is won at the first try without hints", () => {
  const puzzle = { board: "classic", grade: 2, seed: 7, tries: 1, hints: 0, solved: true };
  const all = [{ ...puzzle, at: 9 }, { ...puzzle, at: 5, tries: 2 }, { ...puzzle, seed: 8, at: 6 }, { ...puzzle, grade: 5, at: 7, hints: 1 }, { ...puzzle, grade: 1, at: 8, solved: false }];
  assert.deepEqual(puzzleResults(all), [[5, 1300, 0], [6, 1300, 1], [7, 1900, 0], [8, 1100, 0]].map(([at, rating, score]) => ({ at, rating, score })));
});

test("a week begins on Monday, and a day at midnight where the player is", () => {
  const at = (text) => new Date(text).getTime();
  assert.equal(dayOf(at("2026-11-18T00:00:00")), "2026-11-18");
  assert.equal(dayOf(at("2026-11-18T23:59:59")), "2026-11-18");
  assert.equal(mondayOf(weekOf(at("2026-11-18T12:00:00"))), "2026-11-16");
  assert.equal(mondayOf(weekOf(at("2026-11-16T00:00:00"))), "2026-11-16");
  assert.equal(weekOf(at("2026-11-16T00:00:00")), weekOf(at("2026-11-15T23:59:59")) + 1);
});
