import { MISTAKES, PLAYED } from "../../../src/keypeg/web/live/analysedgames.js";
import { keepChoices, keptChoices } from "../../../src/keypeg/web/live/choices.js";
import { SERIES } from "../../../src/keypeg/web/live/mygames.js";
import { addPuzzles, finishedPuzzles } from "../../../src/keypeg/web/live/puzzles.js";
import { keepPreferences, readPreferences } from "../../../src/keypeg/web/look/preferences.js";
import { checksum, Collector, framesOf, MOST_FRAMES } from "../../../src/keypeg/web/transfer/frames.js";
import { qrCode } from "../../../src/keypeg/web/transfer/qr.js";
import { forgetAll, packed, unpack } from "../../../src/keypeg/web/transfer/userdata.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const ONE = { id: `${"a".repeat(22)}-1`, at: 5, board: "classic", opponent: "Bob", result: "won", mine: 6, theirs: 5, rows: [5, null], seat: "one", level: null, hints: 0, shared: false };
const GAME = { id: `${ONE.id}/1`, at: 5, board: "classic", rows: 5, rated: 5, loss: 0.5, luck: -0.25 };
const MISTAKE = { id: `${GAME.id} 2`, at: 5, board: "classic", row: 2, rows: [{ code: [1, 1, 1, 1], black: 1, white: 0 }], guess: [1, 1, 1, 1], best: [1, 2, 2, 3], loss: 1, certainty: "proven", tried: null, solved: [] };
const PUZZLE = { at: 7, board: "classic", grade: 3, seed: 9, seconds: 61, tries: 1, hints: 0, solved: true };

function storage() {
  const items = new Map();
  return { items, getItem: (key) => items.get(key) ?? null, setItem: (key, text) => items.set(key, text), removeItem: (key) => items.delete(key) };
}

function full() {
  const kept = storage();
  SERIES.keep([ONE], kept);
  PLAYED.keep([GAME], kept);
  MISTAKES.keep([MISTAKE], kept);
  addPuzzles([PUZZLE], kept);
  keepPreferences({ theme: "dark", name: "Ann", colours: { red: "#ff8800" } }, kept);
  keepChoices({ board: "advanced" }, kept);
  kept.setItem("keypeg.daily", '{"classic":{"322":5,"321":0}}');
  return kept;
}

test("everything is packed, and is the same in the other browser", () => {
  const [here, there] = [full(), storage()];
  const text = packed({ storage: here });
  assert.equal(unpack(text, there), "Added 1 series, 1 analysed game, 1 mistake, 1 puzzle, and 2 daily codes. What was here is still here.");
  assert.deepEqual([SERIES.all(there), PLAYED.all(there), MISTAKES.all(there), finishedPuzzles(there)], [[ONE], [GAME], [MISTAKE], [PUZZLE]]);
  assert.deepEqual([readPreferences(there), keptChoices(there)], [readPreferences(here), { board: "advanced" }]);
  assert.match(unpack(text, there), /^Nothing was new/, "the same entry counts once");
  assert.deepEqual(JSON.parse(packed({ storage: there, now: 0 })), JSON.parse(packed({ storage: here, now: 0 })));
});

test("the list that My games exports is read too", () => {
  const kept = storage();
  assert.match(unpack(JSON.stringify([ONE]), kept), /^Added 1 series\./);
  assert.deepEqual(SERIES.all(kept), [ONE]);
});

test("what comes in is merged with what is here", () => {
  const kept = storage();
  SERIES.keep([{ ...ONE, id: "mine", at: 9 }], kept);
  MISTAKES.keep([{ ...MISTAKE, tried: "2026-11-18", solved: ["2026-11-18"] }], kept);
  keepPreferences({ theme: "light" }, kept);
  keepChoices({ board: "classic" }, kept);
  kept.setItem("keypeg.daily", '{"classic":{"322":4},"advanced":{"322":7}}');
  const other = full();
  MISTAKES.keep([{ ...MISTAKE, tried: "2026-11-17", solved: ["2026-11-17"] }], other);
  unpack(packed({ storage: other }), kept);
  assert.deepEqual(SERIES.all(kept).map(({ id }) => id), ["mine", ONE.id]);
  assert.deepEqual(MISTAKES.all(kept)[0].solved, ["2026-11-17", "2026-11-18"]);
  const { theme, name } = readPreferences(kept);
  assert.deepEqual([theme, name, keptChoices(kept).board], ["light", "Ann", "classic"], "what is set here stays");
  assert.deepEqual(JSON.parse(kept.getItem("keypeg.daily")), { classic: { 321: 0, 322: 4 }, advanced: { 322: 7 } });
});

test("bad data is refused as a whole, with what is wrong, and nothing changes", () => {
  const kept = full();
  const before = new Map(kept.items);
  const good = JSON.parse(packed({ storage: kept }));
  const more = { ...ONE, id: "new" };
  const cases = [
    ["", /it is not JSON/],
    [packed({ storage: kept }).slice(0, 100), /or not all of it is here/],
    ["null", /not data of keypeg/],
    ["[5]", /Entry 1 of “series” is not valid/],
    [{ ...good, format: "other" }, /not data of keypeg/],
    [{ ...good, version: 2 }, /has version 2; this page reads version 1/],
    [{ ...good, seats: ["token"] }, /“seats” is not a part/],
    [{ ...good, series: [more], played: [GAME, { ...GAME, loss: "much" }] }, /Entry 2 of “played” is not valid\. Nothing was changed\./],
    [{ ...good, series: [more], mistakes: { length: 1 } }, /“mistakes” is not a list of up to 500 entries/],
    [{ ...good, series: Array(501).fill(more) }, /“series” is not a list of up to 500/],
    [{ ...good, series: [more], puzzles: [{ ...PUZZLE, grade: 6 }] }, /Entry 1 of “puzzles”/],
    [{ ...good, series: [more], preferences: { theme: "pink" } }, /The part “preferences” is not valid/],
    [{ ...good, series: [more], preferences: { colours: { red: "url(x)" } } }, /The part “preferences”/],
    ['{"format":"keypeg data","version":1,"start":{"__proto__":"x"}}', /The part “start”/],
    ['{"format":"keypeg data","version":1,"__proto__":[]}', /is not a part/],
    [{ ...good, series: [more], daily: { classic: { today: 5 } } }, /The part “daily”/],
    [{ ...good, series: [more], daily: { classic: { 322: 100 } } }, /The part “daily”/],
    [" ".repeat(5_000_001), /too large/],
  ];
  for (const [text, words] of cases) {
    assert.throws(() => unpack(typeof text === "string" ? text : JSON.stringify(text), kept), words);
    assert.deepEqual(kept.items, before);
  }
});

test("everything can be deleted, but not how the page looks", () => {
  const kept = full();
  kept.setItem("keypeg.daily-archive", '{"classic":{"320":4}}');
  forgetAll(kept);
  assert.deepEqual([...kept.items.keys()], ["keypeg.preferences"]);
});

test("codes are put together in any order, however often they are read", async () => {
  const text = packed({ storage: full() }) + Array.from({ length: 700 }, (_, at) => String.fromCharCode(48 + ((at * at * 7 + at * 31) % 997) % 75)).join("");
  const frames = await framesOf(text);
  assert.ok(frames.length > 1 && frames.length <= MOST_FRAMES);
  const collector = new Collector();
  assert.ok(!collector.isComplete);
  const read = [...frames, ...frames].reverse().map((frame) => collector.add(frame));
  assert.equal(read.filter(Boolean).length, frames.length);
  assert.ok(collector.isComplete);
  assert.equal(await collector.text(), text);
  assert.ok(frames.every((frame) => qrCode(frame).version <= 15));
});

test("codes of other things are left alone, and other data begins anew", async () => {
  const [[one], [two]] = [await framesOf("one"), await framesOf("two")];
  const collector = new Collector();
  for (const other of ["https://a.example/", "KEYPEG1:2/1:00000000:A", "KEYPEG2:1/1:00000000:A", one.toLowerCase()]) assert.ok(!collector.add(other));
  assert.ok(collector.add(one) && collector.add(two));
  assert.equal(await collector.text(), "two");
  const wrong = new Collector();
  wrong.add(`${two.slice(0, -1)}${two.endsWith("0") ? "1" : "0"}`);
  await assert.rejects(wrong.text(), /do not fit together/);
});

test("too much for the codes, and too much in them, is refused", async () => {
  let drawn = 1;
  const noise = Array.from({ length: 20_000 }, () => String.fromCharCode(33 + ((drawn = (drawn * 48271) % 2147483647) % 90))).join("");
  assert.ok((await framesOf(noise)) === null);
  const collector = new Collector();
  (await framesOf("0".repeat(3_000_000))).forEach((frame) => collector.add(frame));
  await assert.rejects(collector.text(), /too large/);
});

test("the checksum is that of the standard", () => {
  assert.equal(checksum(new TextEncoder().encode("123456789")), "CBF43926");
});
