import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { everyCode, reviewRows } from "../../../src/keypeg/web/game/analysis.js";
import { PRESETS, codeCount } from "../../../src/keypeg/web/game/board.js";
import { contradiction } from "../../../src/keypeg/web/game/contradiction.js";
import { sealOf, sha256 } from "../../../src/keypeg/web/game/seal.js";

const [classic] = PRESETS;
const row = (code, black, white) => ({ code, black, white });

test("every code is listed once", () => {
  const noRepeats = { ...classic, holes: 3, colours: 5, repeats: false };
  for (const board of [classic, noRepeats]) {
    const codes = everyCode(board);
    assert.equal(codes.length, codeCount(board));
    assert.equal(new Set(codes.map(String)).size, codes.length);
  }
});

test("1122 leaves 204.5 of 1,296 codes on average, as Irving found (1978)", () => {
  const [review] = reviewRows(classic, [row([1, 1, 2, 2], 0, 0)]);
  assert.deepEqual([review.before, review.after], [1296, 256]);
  assert.equal(Math.round(review.expected * 1296), 265_078);
});

test("a row that cannot be the code names the rows it contradicts", () => {
  const [, second] = reviewRows(classic, [row([1, 1, 2, 2], 0, 0), row([1, 3, 3, 4], 1, 0)]);
  assert.equal(second.possible, false);
  assert.deepEqual(second.contradicts, [1]);
});

test("rows that can all be right are no contradiction", () => {
  assert.equal(contradiction(classic, [row([1, 1, 2, 2], 1, 1)]), null);
});

test("the fewest rows that contradict are named, with every single repair", () => {
  const rows = [row([5, 5, 6, 6], 1, 0), row([1, 1, 2, 2], 0, 0), row([1, 1, 1, 1], 2, 0), row([3, 3, 4, 4], 1, 1)];
  const found = contradiction(classic, rows);
  assert.deepEqual(found.rows, [2, 3]);
  const third = found.repairs.filter((repair) => repair.row === 3);
  assert.deepEqual(third.map(({ keys }) => [keys.black, keys.white]), [[0, 0]]);
});

test("SHA-256 is SHA-256", () => {
  for (const text of ["", "abc", "keypeg".repeat(30), "x".repeat(55), "x".repeat(56), "x".repeat(64)]) {
    const right = createHash("sha256").update(text).digest("hex");
    assert.equal(sha256(new TextEncoder().encode(text)), right);
  }
});

test("a seal is the one that docs/records.md works out", () => {
  assert.equal(sealOf("classic", "saturday/1", [1, 5, 2, 4], "00".repeat(32)).slice(0, 16), "1b473eb34e1cd8cd");
});
