/** Folds what was told of many tables, and holds every step against what the server knew then. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseRecord } from "../../src/keypeg/web/game/record.js";
import { sealHolds, sealLine } from "../../src/keypeg/web/game/seal.js";
import { makerPoints } from "../../src/keypeg/web/game/sentences.js";
import { actions } from "../../src/keypeg/web/game/situation.js";
import { other, receive } from "../../src/keypeg/web/game/table.js";

const AWAY = { here: false, away_since: 0, claimable_at: 0 };
const HERE = { here: true, away_since: null, claimable_at: null };
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
  batches.forEach(({ updates, table, may }, index) => {
    const before = view;
    view = updates.reduce((seen, update) => receive(seen, update, 0), view);
    checkTable(view.table, table, may);
    if (index % 5 === 0) checkResumed(before, batches.slice(index));
  });
}

function checkResumed(view, batches) {
  const { table } = batches.at(-1);
  const told = [
    { type: "welcome", seat: table.seat, seq: table.status.seq, now: 0, status: table.status },
    { type: "missed", entries: batches.flatMap(({ updates }) => updates.map(({ entry }) => entry)) },
  ];
  assert.deepEqual(at(told.reduce((seen, message) => receive(seen, message, 0), view).table), at(table));
  counted.resumed += 1;
}

/** The table, whenever it was looked at. */
function at(table) {
  return { ...table, now: 0 };
}

function checkTable(folded, table, may) {
  assert.deepEqual(at(folded), at(table));
  assert.deepEqual(pointsOf(folded), table.status.points, table.id);
  for (const game of folded.games) if (game.revealed) checkSeal(folded.board, game);
  if (may) checkActions(folded, may);
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

/** What is offered is what the table would do. Only it knows which rows a challenge has cleared. */
function checkActions(table, { done, cleared }) {
  const present = { one: table.one.level ? HERE : AWAY, two: table.two.level ? HERE : AWAY };
  const known = (action) => !(cleared && action === "challenge");
  assert.deepEqual(actions({ table, present, ahead: 0 }, 1).sort().filter(known), done.filter(known), table.id);
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
