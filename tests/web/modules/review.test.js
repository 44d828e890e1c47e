import { advise, goodGuess, judged, whyAdvised, whyBest } from "../../../src/keypeg/web/game/advice.js";
import { everyCode, partition, reviewRows } from "../../../src/keypeg/web/game/analysis.js";
import { parseBoard, PRESETS } from "../../../src/keypeg/web/game/board.js";
import { score } from "../../../src/keypeg/web/game/keypegs.js";
import { parseRecord } from "../../../src/keypeg/web/game/record.js";
import { luckAndSkill, rated, reviewSummary, verdicts, worst } from "../../../src/keypeg/web/game/verdict.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const [classic] = PRESETS;
const row = (code, black, white) => ({ code, black, white });

test("the quick partition agrees with scoring one by one", () => {
  const codes = everyCode(classic);
  for (const guess of [[1, 1, 2, 2], [1, 2, 3, 4], [1, 1, 1, 1], [6, 1, 6, 2]]) {
    const slow = new Map();
    for (const code of codes) {
      const { black, white } = score(code, guess);
      slow.set(black * 17 + white, (slow.get(black * 17 + white) ?? 0) + 1);
    }
    const sorted = [...slow].sort(([one], [two]) => one - two).map(([, size]) => size);
    assert.deepEqual(partition(codes, guess), sorted);
  }
});

test("the advised opening is 1123, which Irving found to leave fewest codes (1978)", () => {
  const { guess, left } = advise(classic, everyCode(classic));
  assert.equal(new Set(guess).size, 3);
  assert.equal(Math.round(left * 100) / 100, 185.27);
});

test("the first guess is found among one of each kind, and none of the others would be better", () => {
  for (const name of ["3x4b", "4x5", "3x6n"]) {
    const board = parseBoard(name);
    const codes = everyCode(board);
    const least = Math.min(...codes.map((guess) => judged(guess, codes, true).left));
    assert.equal(advise(board, codes).left, least, name);
  }
});

test("a guess that cannot be the code says why it is advised", () => {
  const words = whyAdvised({ guess: [1, 1, 1, 1], possible: false, left: 2.5, parts: 4 }, 12);
  assert.match(words, /cannot be the code; it is advised because it splits the remaining 12 best/);
});

test("a good guess, the best one and the row that was played are measured alike", () => {
  const measure = /leaves [\d.]+ of 1,296 codes on average, with \d+ different answers/;
  assert.match(goodGuess(classic, []).why, measure);
  assert.match(whyBest([1, 1, 2, 2], everyCode(classic)), measure);
  const rows = [row([1, 1, 1, 1], 0, 0)];
  const review = { rows: [{ row: 1, before: 1296, after: 625, exact: true, bits: 1, contradicts: [], loss: 0.86, luck: null, best: [1, 1, 2, 3], certainty: "proven" }] };
  const [first] = rated(classic, rows, review, verdicts(classic, rows));
  assert.deepEqual(first.words.filter((words) => measure.test(words)).length, 2);
  assert.deepEqual(first.words.slice(0, 2), ["1,296 codes possible before, 625 codes after: 1 bit gained.", "0.86 guesses worse than the best row (proven)."]);
});

test("a review finds the wasted row and names what it contradicts", () => {
  const rows = [row([1, 1, 2, 2], 0, 0), row([1, 1, 2, 2], 0, 0), row([3, 3, 4, 5], 1, 1)];
  const all = verdicts(classic, rows);
  assert.equal(worst(all).row, 2);
  assert.equal(all[1].mark, "wasted");
  assert.deepEqual([all[0].review.after, all[1].review.after], [256, 256]);
  assert.ok(all[1].words.some((words) => words.includes("contradicts row 1")));
});

test("a review of some rows says of how many it speaks", () => {
  const review = { rows: [{}, {}], loss: 1, luck: 0.5, start: 4.34, certainty: "proven", complete: true };
  assert.match(reviewSummary(review, 2), /on average, the rows lost 1.00.*\(proven\)\.$/);
  assert.match(reviewSummary(review, 7), /on average, the first 2 rows lost 1.00.* No code fits the answers after that\.$/);
  assert.match(reviewSummary({ ...review, rows: [{}] }, 2), /on average, the first row lost 1.00/);
  assert.match(reviewSummary({ ...review, complete: false }, 7), /the first 2 rows.* There was no time to rate the others\.$/);
});

test("a record is read with its boards, rows and secrets", () => {
  const text = `keypeg record 1
series: saturday
board: classic
key pegs: by-hand

secret RD WH BU GN nonce ${"00".repeat(32)}
guess WH YW BU BK
answer 2b0w              # should have been 1b1w
challenge upheld
reveal RD WH BU GN
close
secret hidden seal ${"ab".repeat(32)}
guess 1122
expire
reveal RRRR`;
  const { board, games } = parseRecord(text);
  assert.equal(board.name, "classic");
  assert.deepEqual([games[0].rows, games[0].secret], [[row([5, 3, 2, 6], 2, 0)], [1, 5, 2, 4]]);
  assert.deepEqual(games.map((game) => game.id), ["saturday/1", "saturday/1.2"], "a void game is replayed");
  assert.deepEqual([games[0].nonce, games[1].seal], ["00".repeat(32), "ab".repeat(32)]);
  assert.deepEqual(games[1].rows, [row([1, 1, 2, 2], 2, 0), row(null, null, null)]);
});

test("a game that was given up before its secret was set has its number all the same", () => {
  const game = "secret 1122\nguess 1122\nanswer 4b0w\nreveal 1122\nclose\n";
  const { games } = parseRecord(`keypeg record 1\nboard: classic\n\nresign maker\nclose\n${game}abandon maker`);
  assert.deepEqual(games.map(({ id, rows }) => [id, rows.length]), [["record/1", 0], ["record/2", 1], ["record/3", 0]]);
  assert.ok(games.every((one) => !one.void));
});

test("a record that cannot be read says where", () => {
  assert.throws(() => parseRecord("hello"), /Line 1: a record begins/);
  assert.throws(() => parseRecord("keypeg record 1\nboard: classic\n\nsecret 1234\nguess 12"), /Line 5: A code on this board has 4 pegs/);
  assert.throws(() => parseRecord("keypeg record 1\nboard: classic\n\nguess 1234"), /Line 4: a game begins/);
});

test("luck is what was gained beyond what the rows were worth", () => {
  const rows = [row([1, 1, 2, 2], 0, 0)];
  const [first] = reviewRows(classic, rows);
  assert.equal(Math.round(first.worth * 1000), 2885, "the entropy of 1122, in bits");
  assert.match(luckAndSkill(classic, rows), /gain 2.9 bits.*gained 2.3: bad luck cost 0.5/);
});
