import { MISTAKES, PLAYED } from "../../../src/keypeg/web/live/analysedgames.js";
import { analyse, unanalysed } from "../../../src/keypeg/web/live/analyser.js";
import { SERIES } from "../../../src/keypeg/web/live/mygames.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const items = new Map();
globalThis.localStorage = { getItem: (key) => items.get(key) ?? null, setItem: (key, text) => items.set(key, text), removeItem: (key) => items.delete(key) };

const table = (letter) => letter.repeat(22);
const series = (letter, at, more = {}) => ({ id: `${table(letter)}-1`, at, board: "classic", opponent: "Bob", result: "won", mine: 6, theirs: 5, rows: [2], seat: "one", ...more });
const recordOf = (letter) => `keypeg record 1
series: ${table(letter)}-1
board: classic
first maker: two

secret RD WH BU GN
guess RD RD RD RD
guess RD WH BU GN
reveal RD WH BU GN
close
secret RD RD RD RD
guess RD RD RD RD
`;
const RATING = { rows: [{ loss: 0.9, luck: 0, best: [1, 1, 2, 2], certainty: "proven" }, { loss: 0, luck: 1, best: [1, 5, 2, 4], certainty: "proven" }], loss: 0.9, luck: 1, complete: true };

/** The server's answers by path; a function may refuse. */
function serve(answers) {
  const asked = [];
  globalThis.fetch = async (path, { body } = {}) => {
    asked.push(path);
    const { status = 200, content } = answers(path, body);
    const type = typeof content === "string" ? "text/plain" : "application/json";
    return new Response(typeof content === "string" ? content : JSON.stringify(content), { status, headers: { "Content-Type": type } });
  };
  return asked;
}

const usual = (path) => ({ content: path.includes("/record") ? recordOf(path.split("/")[3][0]) : path === "/api/reviews" ? RATING : { seat: "one" } });

function begin(...all) {
  items.clear();
  SERIES.keep(all);
}

test("only the games are analysed in which the player broke the code", async () => {
  begin(series("a", 1));
  const asked = serve(usual);
  await analyse(unanalysed(), new AbortController().signal, () => {});
  assert.deepEqual(asked, [`/api/tables/${table("a")}/record?series=1`, "/api/reviews"]);
  assert.deepEqual(PLAYED.all().map(({ id, rows, loss }) => [id, rows, loss]), [[`${table("a")}-1/1`, 2, 0.9]]);
  assert.deepEqual(MISTAKES.all().map(({ row, guess }) => [row, guess]), [[1, [1, 1, 1, 1]]]);
  assert.deepEqual(unanalysed(), []);
});

test("an interrupted analysis goes on where it stopped", async () => {
  begin(series("a", 1), series("b", 2), series("c", 3));
  serve(usual);
  const stop = new AbortController();
  await analyse(unanalysed(), stop.signal, (done) => done === 1 && stop.abort());
  assert.deepEqual(unanalysed().map(({ at }) => at), [2, 1]);
  const told = [];
  await analyse(unanalysed(), new AbortController().signal, (done, mistakes) => told.push([done, mistakes]));
  assert.deepEqual([told, unanalysed()], [[[1, 1], [2, 2]], []]);
});

test("a table that is gone is not asked for again, and the others are analysed", async () => {
  begin(series("a", 1), series("b", 2));
  serve((path) => (path.includes(table("b")) ? { status: 404, content: { code: "no-such-table", message: "gone" } } : usual(path)));
  await analyse(unanalysed(), new AbortController().signal, () => {});
  assert.deepEqual([unanalysed(), PLAYED.all().length], [[], 1]);
});

test("a server that refuses for now ends the analysis, and nothing is marked as done", async () => {
  begin(series("a", 1));
  serve((path) => (path === "/api/reviews" ? { status: 429, content: { code: "too-fast", message: "too many requests; wait a little" } } : usual(path)));
  await assert.rejects(analyse(unanalysed(), new AbortController().signal, () => {}), /Too many requests; wait a little\./);
  assert.equal(unanalysed().length, 1);
});

test("the seat of an older entry is that of the cookie; without one nothing is counted", async () => {
  begin(series("a", 1, { seat: undefined }), series("b", 2, { seat: undefined }));
  const asked = serve((path) => (path === `/api/tables/${table("b")}` ? { content: { seat: null } } : usual(path)));
  await analyse(unanalysed(), new AbortController().signal, () => {});
  assert.equal(asked[0], `/api/tables/${table("b")}`);
  assert.deepEqual([PLAYED.all().map(({ at }) => at), unanalysed()], [[1], []]);
});
