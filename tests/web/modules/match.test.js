/** Races and duels: what is asked of a player, who is ahead, and what is said. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { PRESETS } from "../../../src/keypeg/web/game/board.js";
import { happenings } from "../../../src/keypeg/web/game/happenings.js";
import { ahead, awaited, nameOf, recorded, rowOf, tasks, toAnswer } from "../../../src/keypeg/web/game/match.js";
import { exactTime, headline, openMatch, ownPlace, progress, result, shortProgress, termsOf, timeFor } from "../../../src/keypeg/web/game/matchwords.js";
import { answerWords, describeRow } from "../../../src/keypeg/web/game/rowwords.js";

const [board] = PRESETS;

function row(black, white, code = null) {
  return { code, black, white, expired: false };
}

function player(number, more = {}) {
  return { number, name: ["", "Ann", "Bob", "Cleo", "Dan"][number], level: null, you: false, here: true, done: false, filled: false, gave_up: false, due: null, game: null, seal: null, rows: [], ending: null, place: null, needed: null, milliseconds: null, to_answer: null, ...more };
}

function match(players, more = {}) {
  return { id: "m", seq: 1, now: 5, created: 1, kind: "race", board, pace: "own", goal: "rows", keys_shown: true, key_pegs: "referee", row_seconds: 180, places: 8, stage: "playing", begun: 2, row: null, you: 1, options: ["guess", "give-up"], game: "match-m", seal: "s", players, secret: null, codes: null, challenges: [], next: null, ...more };
}

const words = (before, after) => happenings(before, after).map((one) => one.words);

test("players without a name, computers and two with the same name are told apart", () => {
  const all = match([player(1), player(2, { name: null }), player(3, { name: null, level: "strong" }), player(4, { name: "Ann" })]);
  assert.deepEqual([1, 2, 3, 4].map((number) => nameOf(all, number)), ["Ann 1", "Player 2", "Computer", "Ann 2"]);
});

test("a row of the other that waits comes before one's own, and each has its headline", () => {
  const bob = player(2, { to_answer: { row: 3, code: [1, 1, 2, 2], due: 9 }, rows: [] });
  const duel = match([player(1, { you: true }), bob], { kind: "duel", key_pegs: "by-hand", options: ["guess", "answer", "give-up"] });
  assert.deepEqual(tasks(duel), ["answer", "guess"]);
  assert.deepEqual(toAnswer(duel), { player: 2, row: 3, code: [1, 1, 2, 2], due: 9 });
  assert.equal(headline(duel), "Answer Bob's row 3");
  assert.equal(headline(duel, "guess"), "Your turn: row 1");
  assert.equal(openMatch(duel).whose, "Bob waits for your key pegs");
});

test("the best answer is ahead, until somebody has broken the code; nobody is if all are level or hidden", () => {
  const players = [player(1, { rows: [row(1, 0), row(2, 1)] }), player(2, { rows: [row(2, 1)] }), player(3, { rows: [row(0, 4)] })];
  assert.deepEqual(ahead(match(players)), [1, 2]);
  assert.deepEqual(ahead(match(players.slice(0, 2))), []);
  assert.deepEqual(ahead(match(players, { keys_shown: false })), []);
  const done = { done: true, ending: "broken" };
  const broken = [player(1, { ...done, rows: [row(1, 0), row(4, 0)] }), player(2, { ...done, rows: [row(4, 0)] }), players[2]];
  assert.deepEqual(ahead(match(broken)), [2]);
  assert.deepEqual(ahead(match(broken, { goal: "time" })), [], "two are done, and who was first is not known");
  assert.deepEqual(ahead(match(broken.map((one, at) => ({ ...one, place: at + 1 })), { stage: "over" })), [1]);
});

test("row by row it is said for whom the others wait", () => {
  const players = [player(1, { filled: true, rows: [row(null, null, [1, 1, 2, 2])] }), player(2), player(3, { done: true, ending: "gave-up" })];
  const together = match(players, { pace: "together", row: 1, options: ["give-up"] });
  assert.deepEqual(awaited(together).map(({ number }) => number), [2]);
  assert.equal(headline(together), "Row 1: waiting for Bob");
  assert.equal(rowOf(together), 1);
  assert.deepEqual(players.map((one) => progress(together, one)), ["row 1 filled", "on row 1", "gave up"]);
  assert.deepEqual(players.map((one) => shortProgress(together, one)), ["✓", "1", "✗"]);
  const last = { ...together, options: ["guess"], you: 2 };
  const before = { ...last, players: [player(1), player(2), players[2]] };
  assert.deepEqual(words(before, last), ["Everybody waits for you."]);
});

test("ties share a place, and one's own place is said", () => {
  const over = { stage: "over", options: [] };
  const tie = match([player(1, { place: 1, needed: 5 }), player(2, { place: 1, needed: 5 }), player(3, { place: 3, needed: null })], over);
  assert.equal(result(tie), "You and Bob share first place with 5 rows");
  assert.equal(result({ ...tie, you: 3 }), "Ann and Bob share first place with 5 rows");
  assert.equal(ownPlace({ ...tie, you: 3 }), "You are third of 3.");
  const timed = match([player(1, { place: 2, needed: 3, milliseconds: 61_000 }), player(2, { place: 1, needed: 6, milliseconds: 60_999 })], { ...over, goal: "time" });
  assert.equal(result(timed), "Bob wins in 1:00.999");
  assert.equal(result(match([player(1, { place: 1 }), player(2, { place: 1 })], over)), "Nobody broke the code");
  assert.equal(exactTime(5), "0:00.005");
});

test("a duel is won, drawn, or lost by a wrong answer", () => {
  const duel = (one, two, you = 1) => match([player(1, one), player(2, two)], { kind: "duel", stage: "over", options: [], you });
  assert.equal(result(duel({ place: 1, needed: 4 }, { place: 2, needed: 6 })), "You win the duel with 4 rows against 6");
  assert.equal(result(duel({ place: 2, needed: null }, { place: 1, needed: 6 })), "Bob wins the duel with 6 rows");
  assert.equal(result(duel({ place: 1, needed: 4 }, { place: 1, needed: 4 })), "A draw: both codes were broken in 4 rows");
  assert.equal(result(duel({ place: 1, needed: null }, { place: 1, needed: null })), "A draw: neither code was broken");
  assert.equal(result(duel({ place: 2, ending: "wrong-information" }, { place: 1 })), "Bob wins the duel: you gave a wrong answer");
});

test("one's own answers are told in full, those of others briefly", () => {
  const before = match([player(1, { you: true, rows: [row(null, null, [1, 2, 3, 4])] }), player(2)]);
  const after = match([player(1, { you: true, rows: [row(1, 2, [1, 2, 3, 4])] }), player(2, { rows: [row(0, 1), { ...row(null, null), expired: true }], done: true, ending: "gave-up" })]);
  assert.deepEqual(words(before, after), ["Row 1: red, blue, yellow, green. 1 black, 2 white.", "Bob, row 1: 0 black, 1 white.", "Bob, row 2: time ran out.", "Bob gave up."]);
  assert.deepEqual(words(null, after), []);
  assert.deepEqual(words(after, after), []);
});

test("it is told who comes and goes, that it begins, and how it ends", () => {
  const waiting = match([player(1, { you: true }), player(2)], { stage: "waiting", options: ["leave"] });
  assert.deepEqual(words({ ...waiting, players: [waiting.players[0], player(3)] }, waiting), ["Bob has joined.", "Cleo has left."]);
  assert.deepEqual(words(waiting, match(waiting.players)), ["The race begins."]);
  const over = match([player(1, { you: true, place: 2 }), player(2, { place: 1, needed: 3 })], { stage: "over", options: [], codes: [{ player: null, code: [1, 1, 2, 2], nonce: "" }], next: "n" });
  assert.deepEqual(words(match(waiting.players), over), ["Bob wins with 3 rows. You are second of 2. The code was red, red, blue, blue.", "There is another race."]);
  const challenge = { player: 2, upheld: false };
  assert.deepEqual(words(match(waiting.players), match(waiting.players, { challenges: [challenge] })), ["The challenge of Bob is rejected: every answer so far is right."]);
});

test("the code that a player breaks is sealed in a race for all, in a duel for each", () => {
  const one = player(1, { game: "match-m-1", seal: "one" });
  const race = match([one], { codes: [{ player: null, code: [1, 1, 1, 1], nonce: "n" }] });
  assert.deepEqual(recorded(race, one), { id: "match-m", rows: [], secret: [1, 1, 1, 1], seal: "s", nonce: "n", void: false });
  const duel = match([one], { kind: "duel", codes: [{ player: 2, code: [2, 2, 2, 2], nonce: "" }, { player: 1, code: [1, 1, 1, 1], nonce: "n" }] });
  assert.deepEqual(recorded(duel, one), { id: "match-m-1", rows: [], secret: [1, 1, 1, 1], seal: "one", nonce: "n", void: false });
});

test("what is open is told in My tables, and nothing of what is over", () => {
  const open = match([player(1, { you: true, rows: [row(0, 0, [1, 1, 1, 1])] }), player(2)]);
  assert.deepEqual([openMatch(open).whose, openMatch(open).path, openMatch(open).mine], ["You may fill row 2", "/match/m", true]);
  assert.equal(openMatch(open).about, "race, classic, with Bob");
  assert.equal(openMatch({ ...open, stage: "over" }), null);
  assert.equal(openMatch({ ...open, you: null }), null);
});

test("what is agreed is told in words", () => {
  const terms = Object.fromEntries(termsOf(match([], { goal: "time", keys_shown: false, row_seconds: 7200 })));
  assert.equal(terms.Winner, "Whoever breaks the code first");
  assert.equal(terms["Others see"], "Only whether you are done");
  assert.equal(terms.Time, "2 hours for each row");
  assert.deepEqual([30, 60, 3600, 86_400].map(timeFor), ["30 seconds", "1 minute", "1 hour", "1 day"]);
});

test("a row with hidden pegs is none whose time ran out", () => {
  assert.equal(describeRow(row(1, 2), 3, board), "Row 3: hidden pegs. 1 black, 2 white.");
  assert.equal(describeRow(row(null, null), 3, board), "Row 3: time ran out, no pegs.");
  assert.equal(answerWords(row(0, 0), board), "none");
});
