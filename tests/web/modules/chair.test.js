import assert from "node:assert/strict";
import { test } from "node:test";
import { PRESETS } from "../../../src/keypeg/web/game/board.js";
import { Chair } from "../../../src/keypeg/web/live/chair.js";

const [classic] = PRESETS;
const points = { one: 0, two: 0 };
const status = (seq) => ({
  seq, stage: "playing", number: 1, maker: "one", phase: "guess", turn: "two", waits_for: "two", points,
  score_line: points, totals: points, challengeable: false, result: null, rematch: null, due: null,
});
const game = { id: "t-1/1", maker: "one", rows: [], seal: "", secret: null, nonce: null, revealed: false, ending: null, void: false };
const table = {
  id: "t", seat: "one", now: 0, board: classic, games_agreed: 2, key_pegs: "referee", scoring: "rows", hints_used: 0,
  one: { taken: true, name: "Ann", level: null }, two: { taken: true, name: null, level: "club" }, status: status(1), options: [], games: [game],
};
const events = [{ type: "guessed", code: [1, 1, 2, 2] }, { type: "answered", black: 0, white: 1, expired: false }];
const update = (seq) => ({ type: "update", now: 0, entry: { seq, at: 0, by: "two", events }, status: status(seq), options: [] });

test("a change that cannot be shown holds up nothing that follows", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  context.mock.method(globalThis, "fetch", () => new Promise(() => {}));
  let broken = false;
  const changed = () => {
    if (broken) throw new Error("cannot be shown");
  };
  const chair = new Chair("t", "one", { changed, pace: () => 700 });
  chair.received({ type: "welcome", seat: "one", seq: 1, now: 0, status: status(1), options: [], table });
  chair.received(update(2));
  chair.received(update(3));
  assert.equal(chair.view.table.status.seq, 1, "the computer's rows come one by one");
  broken = true;
  assert.throws(() => context.mock.timers.tick(700), /cannot be shown/);
  broken = false;
  context.mock.timers.tick(700);
  assert.equal(chair.view.table.status.seq, 3);
  chair.connection.close();
});
