import assert from "node:assert/strict";
import { test } from "node:test";
import { PRESETS } from "../../../src/keypeg/web/game/board.js";
import { answerWords, clock, wrongAnswers } from "../../../src/keypeg/web/game/rowwords.js";
import { announcement, awaited, ending, headline, nextStep, pointsLine, result } from "../../../src/keypeg/web/game/sentences.js";
import { emojiGrid } from "../../../src/keypeg/web/game/share.js";
import { actions, awayFor, situation, timeLeft } from "../../../src/keypeg/web/game/situation.js";
import { follow, receive } from "../../../src/keypeg/web/game/table.js";
import { histograms, keepSeries, keptSeries, reviewAddress } from "../../../src/keypeg/web/live/mygames.js";

const [classic] = PRESETS;
const points = { one: 0, two: 0 };
const game = { id: "t-1/1", maker: "two", rows: [], seal: null, secret: null, nonce: null, revealed: false, ending: null, void: false };
const status = {
  seq: 1, stage: "playing", number: 1, maker: "two", phase: "guess", turn: "one", waits_for: "one", points,
  score_line: points, totals: points, challengeable: false, result: null, rematch: null, due: null,
};
const table = {
  id: "t", seat: "one", now: 0, board: classic, games_agreed: 2, key_pegs: "referee", scoring: "rows", turn_seconds: null,
  public: false, hints_allowed: true, hints_used: 0,
  one: { taken: true, name: "Ann", level: null }, two: { taken: true, name: "Bob", level: null }, status,
  options: ["guess", "hint", "resign"], games: [game],
};
const entry = (seq, ...events) => ({ seq, at: 0, by: "one", events });
const guessed = (...code) => ({ type: "guessed", code });
const answered = (black, white) => ({ type: "answered", black, white, expired: false });
const closed = { type: "closed" };
const revealed = { type: "revealed", code: [1, 1, 2, 2], nonce: null };

test("a row is guessed and answered", () => {
  const after = follow(table, entry(2, guessed(1, 1, 2, 3), answered(3, 0)));
  assert.deepEqual(after.games[0].rows, [{ code: [1, 1, 2, 3], black: 3, white: 0 }]);
  assert.equal(after.games[0].ending, null);
});

test("an entry that comes again changes nothing", () => {
  const after = follow(table, entry(2, guessed(1, 1, 2, 3)));
  assert.equal(follow(after, entry(2, guessed(1, 1, 2, 3))), after);
});

test("an entry after one that is missing is not guessed at", () => {
  assert.throws(() => follow(table, entry(3, guessed(1, 1, 2, 3))), /entry 3 does not follow entry 1/);
});

test("the next game swaps the roles, a replay does not", () => {
  const won = follow(table, entry(2, guessed(1, 1, 2, 2), answered(4, 0), revealed));
  assert.equal(won.games[0].ending, "broken");
  const next = follow(won, entry(3, closed));
  assert.deepEqual(next.games.map(({ id, maker }) => [id, maker]), [["t-1/1", "two"], ["t-1/2", "one"]]);
  const wrong = follow(table, entry(2, guessed(1, 1, 2, 2), answered(0, 0), { type: "challenged", upheld: true }, revealed));
  const again = follow(wrong, entry(3, closed));
  assert.deepEqual(again.games.map(({ id, maker }) => [id, maker]), [["t-1/1", "two"], ["t-1/1.2", "two"]]);
});

test("a game that its maker gives up counts as played, and is worth nothing", () => {
  const over = follow(table, entry(2, guessed(1, 1, 2, 3), answered(3, 0), { type: "resigned", role: "maker" }, revealed));
  const [gone] = over.games;
  assert.deepEqual([gone.ending, gone.void], ["maker-resigned", false]);
  assert.equal(ending(table, gone), "Bob gave up this game");
  assert.equal(pointsLine(table, gone), "Bob scores nothing for this game.");
  const next = follow(over, entry(3, closed));
  assert.deepEqual(next.games.map(({ id, maker }) => [id, maker]), [["t-1/1", "two"], ["t-1/2", "one"]]);
});

test("entries that are told together are all taken in", () => {
  const view = receive(null, { type: "welcome", seat: "one", seq: 1, now: 0, status, options: [], table }, 0);
  const told = [entry(2, { type: "row-expired" }), entry(3, guessed(1, 1, 2, 2))].map((one) => ({
    type: "update", now: 0, entry: one, status: { ...status, seq: one.seq }, options: ["resign"],
  }));
  const caught = told.reduce((seen, one) => receive(seen, one, 0), view);
  assert.deepEqual(caught.table.options, ["resign"]);
  assert.deepEqual(caught.table.games[0].rows.map(({ code }) => code), [null, [1, 1, 2, 2]]);
  assert.equal(caught.table.status.seq, 3);
});

test("the last game is closed without another one", () => {
  const games = [{ ...game, ending: "broken" }, { ...game, id: "t-1/2", maker: "one", ending: "unbroken" }];
  assert.equal(follow({ ...table, games }, entry(2, closed)).games.length, 2);
});

test("a rematch begins afresh, with who made first now breaking first", () => {
  const after = follow(table, entry(2, { type: "rematched" }));
  assert.deepEqual(after.games, [{ ...game, id: "t-2/1", maker: "one" }]);
});

test("all rows used, the last by the clock, leaves the code unbroken", () => {
  const short = { ...table, board: { ...classic, rows: 2 } };
  const after = follow(short, entry(2, { type: "row-expired" }, { type: "row-expired" }));
  assert.equal(after.games[0].ending, "unbroken");
});

test("messages before the welcome are not guessed at", () => {
  assert.equal(receive(null, { type: "time", now: 5 }, 0), null);
  const view = receive(null, { type: "welcome", seat: "one", seq: 1, now: 500, status, options: [], table }, 200);
  assert.equal(view.ahead, 300);
});

test("a resumed chair gets the entries it missed", () => {
  const view = receive(null, { type: "welcome", seat: "one", seq: 1, now: 0, status, options: [], table }, 0);
  const later = { status: { ...status, seq: 3, phase: "over", turn: null }, options: ["next-game"] };
  const back = receive(view, { type: "welcome", seat: "one", seq: 2, now: 0, status: { ...status, seq: 2 }, options: [] }, 0);
  const entries = [entry(2, guessed(1, 1, 2, 2), answered(4, 0)), entry(3, revealed)];
  const caught = receive(back, { type: "missed", entries, ...later }, 0);
  assert.deepEqual(caught.table.options, ["next-game"]);
  assert.equal(caught.table.games[0].ending, "broken");
  assert.equal(caught.table.status.seq, 3);
  assert.equal(caught.table.status.phase, "over");
});

test("who is to do what is said from one's own chair", () => {
  assert.equal(situation(table).hand, "guess");
  assert.equal(headline(table), "Your turn: row 1");
  const waiting = { ...table, options: ["resign"] };
  assert.equal(headline({ ...waiting, seat: "two" }), "Ann is breaking your code");
  assert.equal(headline({ ...waiting, seat: null, options: [] }), "Ann is on row 1");
  const secret = { ...waiting, status: { ...status, phase: "secret", turn: "two" } };
  assert.equal(headline(secret), "Bob is choosing the secret code");
  assert.equal(headline({ ...secret, seat: "two", options: ["set-secret"] }), "Choose your secret code");
});

test("endings and results name the winner, or say tie", () => {
  const broken = { ...game, ending: "broken", rows: [{ code: [1, 1, 2, 2], black: 4, white: 0 }] };
  assert.equal(ending(table, broken), "You broke the code in 1 row!");
  assert.equal(ending({ ...table, seat: "two" }, broken), "Ann broke your code in 1 row");
  const over = (winner) => ({ ...table, status: { ...status, result: { winner, points: { one: 7, two: 5 } } } });
  assert.equal(result(over("one")), "You win the series, 7 to 5");
  assert.equal(result(over("two")), "Bob wins the series, 5 to 7");
  assert.match(result(over(null)), /A tie: 7 points each/);
  const low = { ...table, status: { ...status, result: { winner: null, points: { one: 1, two: 1 } } } };
  assert.equal(result(low), "A tie: 1 point each");
});

test("the points of a game are explained as they are counted", () => {
  const rows = [{ code: [1, 1, 2, 2], black: 4, white: 0 }];
  assert.equal(pointsLine(table, { ...game, rows, ending: "broken" }), "Bob scores 1 point: 1 for each row.");
  const left = { ...game, rows: [], ending: "breaker-abandoned" };
  assert.equal(pointsLine({ ...table, seat: "two" }, left), "You score 11 points: 10 for the rows of the board, and 1 because the code was not broken.");
});

test("the button after a game says what comes next", () => {
  assert.equal(nextStep(table), "Next: you hide the code");
  assert.equal(nextStep({ ...table, seat: "two" }), "Next: you guess");
  assert.equal(nextStep({ ...table, seat: null }), "Next: Ann hides the code");
  assert.equal(nextStep({ ...table, status: { ...status, number: 2 } }), "See the result");
  assert.equal(nextStep({ ...table, games: [{ ...game, void: true }] }), "Replay this game");
});

test("both players are told what a finished game waits for, if it can be challenged", () => {
  const over = { ...table, status: { ...status, phase: "over", challengeable: true }, options: ["challenge", "next-game"] };
  assert.equal(awaited(table), "");
  assert.match(awaited(over), /Challenge it now, or go on/);
  assert.equal(awaited({ ...over, seat: "two", options: [] }), "Ann can now challenge an answer, or go on.");
  assert.equal(awaited({ ...over, status: { ...over.status, challengeable: false } }), "");
});

test("an answer is told in few words", () => {
  const words = ([black, white]) => answerWords({ code: [1, 1, 1, 1], black, white }, classic);
  assert.deepEqual([[2, 1], [1, 0], [0, 2], [0, 0], [null, null]].map(words), ["2 black, 1 white", "1 black", "2 white", "none", "not answered yet"]);
});

test("the buttons are what the table offers, in its order, without what is filled by hand", () => {
  const offered = { ...table, options: ["guess", "hint", "challenge", "offer-time", "resign"] };
  assert.deepEqual(actions({ table: offered, present: null, ahead: 0 }, 0), ["hint", "challenge", "offer-time", "resign"]);
  assert.deepEqual(actions({ table: { ...table, options: [] }, present: null, ahead: 0 }, 0), []);
});

test("an absent opponent is claimed only where that is offered, and after the wait", () => {
  const present = { one: { here: true, away_since: null, claimable_at: null }, two: { here: false, away_since: 0, claimable_at: 30_000 } };
  const view = { table: { ...table, options: ["claim", "resign"] }, present, ahead: 0 };
  assert.equal(awayFor(view, 10_000), 20_000);
  assert.deepEqual(actions(view, 29_999), ["resign"]);
  assert.deepEqual(actions(view, 30_000), ["claim", "resign"]);
  assert.deepEqual(actions({ ...view, present: null }, 30_000), ["resign"]);
  assert.deepEqual(actions({ ...view, table }, 30_000), ["hint", "resign"]);
});

test("clocks count the server's time", () => {
  const view = { table: { ...table, status: { ...status, due: 65_000 } }, present: null, ahead: 1000 };
  assert.equal(timeLeft(view, 0), 64_000);
  const over = { ...view, table: { ...view.table, status: { ...view.table.status, phase: "over" } } };
  assert.equal(timeLeft(over, 0), null, "no clock runs on a finished game");
  assert.equal(clock(64_000), "1:04");
});

test("wrong answers are listed with the right ones", () => {
  const rows = [{ code: [1, 1, 3, 3], black: 1, white: 0 }, { code: [1, 1, 2, 3], black: 3, white: 0 }];
  const found = wrongAnswers({ ...game, rows, secret: [1, 1, 2, 2] }, classic);
  assert.deepEqual(found, [{ row: 1, text: "Row 1: 1 black, 0 white was given; 2 black, 0 white is right." }]);
});

test("a row is announced as it is read aloud", () => {
  const after = follow(table, entry(2, guessed(1, 1, 2, 4), answered(2, 1)));
  assert.equal(announcement(after, answered(2, 1)), "Row 1: red, red, blue, green. 2 black, 1 white.");
});

test("a shared result shows key pegs and no colours", () => {
  const rows = [{ code: [1, 3, 2, 4], black: 2, white: 1 }, { code: [1, 1, 2, 2], black: 4, white: 0 }];
  const text = emojiGrid({ ...table, games: [{ ...game, rows, ending: "broken" }] });
  assert.equal(text, "keypeg 2/10 (4 holes, 6 colours, 10 rows)\n⚫⚫⚪▫️\n⚫⚫⚫⚫");
});

test("a finished series is kept once, with the rows that were needed", () => {
  const memory = new Map();
  const storage = { getItem: (key) => memory.get(key) ?? null, setItem: (key, value) => memory.set(key, value) };
  const games = [
    { ...game, ending: "broken", rows: Array(5).fill({ code: [1, 1, 1, 1], black: 0, white: 0 }) },
    { ...game, id: "t-1/2", maker: "one", ending: "unbroken" },
    { ...game, id: "t-1/3", ending: "maker-resigned" },
  ];
  const over = { ...table, games, status: { ...status, result: { winner: "one", points: { one: 11, two: 5 } } } };
  keepSeries(over, storage);
  keepSeries(over, storage);
  const kept = keptSeries(storage);
  assert.equal(kept.length, 1);
  assert.deepEqual([kept[0].result, kept[0].mine, kept[0].theirs, kept[0].rows], ["won", 11, 5, [5]]);
  assert.equal(histograms(kept).get("classic").get(5), 1);
});

test("a kept series leads to its review if its table is known", () => {
  assert.equal(reviewAddress({ id: "-bcdefghijklmnopqrstu--2" }), "/review?table=-bcdefghijklmnopqrstu-&series=2");
  assert.equal(reviewAddress({ id: "record" }), null);
});
