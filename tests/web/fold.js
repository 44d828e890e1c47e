/** Folds what was told of many tables, and holds every step against what the server knew then. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseRecord } from "../../src/keypeg/web/game/record.js";
import { sealHolds, sealLine } from "../../src/keypeg/web/game/seal.js";
import { makerPoints } from "../../src/keypeg/web/game/sentences.js";
import { actions, situation } from "../../src/keypeg/web/game/situation.js";
import { other, receive } from "../../src/keypeg/web/game/table.js";

const AWAY = { here: false, away_since: 0, claimable_at: 0 };
const counted = { steps: 0, resumed: 0, records: 0, seals: 0 };

for (const line of readFileSync(process.argv[2], "utf8").split("\n").filter(Boolean)) {
  const { views, records } = JSON.parse(line);
  views.forEach(checkView);
  records.forEach(checkRecord);
}
console.log(JSON.stringify(counted));

/** One seat's evening: told as it happens, and told late, from wherever the line was lost. */
function checkView({ welcome, batches }) {
  let view = receive(null, welcome, 0);
  batches.forEach(({ updates, table, done }, index) => {
    const before = view;
    view = updates.reduce((seen, update) => receive(seen, update, 0), view);
    checkTable(view.table, table, done);
    if (index % 5 === 0) checkResumed(before, batches.slice(index));
  });
}

function checkResumed(view, batches) {
  const { seat, status, options } = batches.at(-1).table;
  const entries = batches.flatMap(({ updates }) => updates.map(({ entry }) => entry));
  const told = [
    { type: "welcome", seat, seq: status.seq, now: 0, status, options },
    { type: "missed", entries: entries.slice(0, 3), status, options },
    { type: "missed", entries: entries.slice(3), status, options },
  ];
  const resumed = told.reduce((seen, message) => receive(seen, message, 0), view);
  assert.deepEqual(at(resumed.table), at(batches.at(-1).table));
  counted.resumed += 1;
}

/** The table, whenever it was looked at. */
function at(table) {
  return { ...table, now: 0 };
}

function checkTable(folded, table, done) {
  assert.deepEqual(at(folded), at(table));
  assert.deepEqual(pointsOf(folded), table.status.points, table.id);
  for (const game of folded.games) if (game.revealed) checkSeal(folded.board, game);
  checkOffers(folded, done);
  counted.steps += 1;
}

/** The points of the series by the browser's own reckoning. */
function pointsOf(table) {
  const points = { one: 0, two: 0 };
  for (const game of table.games.filter(({ ending }) => ending)) {
    points[game.maker] += makerPoints(table, game);
    if (game.void) points[other(game.maker)] += 3;
  }
  return points;
}

/** What the page offers, in the hand and by buttons, is what the table would do. */
function checkOffers(table, done) {
  const { hand } = situation(table);
  const filled = hand ? [{ secret: "set-secret", guess: "guess", answer: "answer" }[hand]] : [];
  const present = { one: AWAY, two: AWAY };
  assert.deepEqual([...actions({ table, present, ahead: 0 }, 1), ...filled].sort(), done, table.id);
}

function checkRecord({ text, games }) {
  const read = parseRecord(text);
  assert.deepEqual(read.games.map(brief), games.map(brief), text);
  read.games.forEach((game, index) => games[index].revealed && checkSeal(read.board, game));
  counted.records += 1;
}

function brief({ id, rows, seal, secret, nonce, void: isVoid }) {
  return { id, codes: rows.map(({ code }) => code), seal, secret, nonce, void: isVoid };
}

function checkSeal(board, game) {
  assert.ok(sealHolds(board, game), `${game.id}: ${sealLine(board, game)}`);
  counted.seals += 1;
}
