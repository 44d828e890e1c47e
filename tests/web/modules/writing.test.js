import assert from "node:assert/strict";
import { test } from "node:test";
import { codeCount, describeBoard, grouped, makeBoard, parseBoard, PRESETS, whyInvalidBoard } from "../../../src/keypeg/web/game/board.js";
import { describeCode, parseCode, Refusal, shortCode } from "../../../src/keypeg/web/game/code.js";
import { parseCommand } from "../../../src/keypeg/web/game/command.js";
import { matched, parseKeyPegs, score, whyImpossible } from "../../../src/keypeg/web/game/keypegs.js";
import { isCharacter, keyActionOf } from "../../../src/keypeg/web/look/keys.js";

const [classic, blanks, advanced] = PRESETS;

test("numbers are grouped as in English, however large", () => {
  for (const number of [0, 7, 999, 1000, 1296, 32_768, 1_000_000, -4500, 16 ** 12, 21 ** 16]) {
    assert.equal(grouped(number), BigInt(number).toLocaleString("en"));
  }
  assert.equal(grouped(1234.6), "1,235");
});

test("a code is read in every form of the rule books", () => {
  for (const text of ["RD WH BU GN", "RDWHBUGN", "rwbg", "1524", "1 5 2 4", "red, white, blue, green"]) {
    assert.deepEqual(parseCode(text, classic), [1, 5, 2, 4], text);
  }
  assert.deepEqual(parseCode("r-b0", blanks), [1, 0, 2, 0]);
});

test("a code that cannot be read is refused with what would be right", () => {
  assert.throws(() => parseCode("rwbx", classic), /Peg 4: “x” is not a peg of this board; use R B Y G W K or 1 to 6\./);
  assert.throws(() => parseCode("rwb", classic), /A code on this board has 4 pegs; “rwb” has 3\./);
  assert.throws(() => parseCode("rw-b", classic), Refusal);
});

test("a code is said in words and in two letters", () => {
  assert.equal(describeCode([1, 1, 0, 4], blanks), "red, red, blank, green");
  assert.equal(shortCode([1, 1, 0, 4], blanks), "RD RD - GN");
});

test("the rule books' examples get their key pegs", () => {
  const examples = [
    ["RD WH BU GN", "WH YW BU BK", 1, 1],
    ["RD BU GN BK", "WH YW GN GN", 1, 0],
    ["YW BU YW BK", "RD YW GN WH", 0, 1],
    ["RD BU RD YW", "GN RD RD WH", 1, 1],
    ["WH WH BK BK", "WH WH WH BK", 3, 0],
  ];
  for (const [secret, guess, black, white] of examples) {
    assert.deepEqual(score(parseCode(secret, classic), parseCode(guess, classic)), { black, white });
  }
});

test("which peg each key peg answers, for learners", () => {
  assert.deepEqual(matched([1, 2, 1, 3], [4, 1, 1, 5]), ["none", "white", "black", "none"]);
  assert.deepEqual(matched([5, 5, 6, 6], [5, 5, 5, 6]), ["black", "black", "none", "black"]);
});

test("key pegs are read as 21, 2 1, 2b1w, and red ones too", () => {
  for (const text of ["21", "2 1", "2b1w", "2 black, 1 white"]) {
    assert.deepEqual(parseKeyPegs(text, classic), { black: 2, white: 1 }, text);
  }
  assert.deepEqual(parseKeyPegs("2r1w", advanced), { black: 2, white: 1 });
});

test("impossible key pegs are refused with the reason", () => {
  assert.match(whyImpossible({ black: 3, white: 1 }, classic), /3 black and 1 white cannot occur/);
  assert.match(whyImpossible({ black: 3, white: 2 }, classic), /takes at most 4/);
  assert.match(whyImpossible({ black: 4, white: 1 }, advanced), /4 red and 1 white cannot occur/);
  assert.throws(() => parseKeyPegs("many", classic), /write black then white key pegs/);
});

test("boards have one text form", () => {
  for (const name of ["classic", "advanced-blanks", "4x10n", "5x7b", "4x6/8", "16x20bn"]) {
    assert.equal(parseBoard(name)?.name, name);
  }
  assert.equal(parseBoard("4x6b/10")?.name, "classic-blanks");
  for (const name of ["", "4x", "0x6", "4x6/0", "9x4n", "4x21", "classical"]) assert.equal(parseBoard(name), null, name);
});

test("a board is described in the singular and the plural", () => {
  assert.equal(describeBoard(parseBoard("1x6/1")), "1 hole, 6 colours, 1 row");
});

test("the official games have their number of codes", () => {
  assert.deepEqual(PRESETS.map(codeCount), [1296, 2401, 32768, 59049]);
  assert.equal(codeCount(makeBoard({ ...classic, repeats: false })), 360);
});

test("a board that cannot be says why", () => {
  assert.match(whyInvalidBoard({ ...classic, holes: 7, repeats: false }), /6 cannot fill 7/);
  assert.match(whyInvalidBoard({ ...classic, holes: 17 }), /1 to 16 holes/);
});

test("commands are typed as a person would", () => {
  assert.deepEqual(parseCommand("guess rrbg", classic), { do: "guess", code: [1, 1, 2, 4] });
  assert.deepEqual(parseCommand(" ANSWER 2b1w", classic), { do: "answer", black: 2, white: 1 });
  assert.deepEqual(parseCommand("row 2", classic), { do: "row", row: 2 });
  assert.deepEqual(parseCommand("copy 12", classic), { do: "copy", row: 12 });
  assert.deepEqual(parseCommand("last", classic), { do: "last" });
  assert.deepEqual(parseCommand("check", classic), { do: "check" });
  assert.throws(() => parseCommand("dance", classic), /“dance” is not a command; try guess rrbg/);
});

test("keys mean what the help says", () => {
  const press = (key, more = {}) => keyActionOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });
  assert.equal(press("ArrowLeft"), "left");
  assert.equal(press("z", { ctrlKey: true }), "undo");
  assert.equal(press("l"), "read");
  assert.equal(press("L", { shiftKey: true }), "labels");
  assert.equal(press("?", { shiftKey: true }), "help");
  assert.equal(press("Backspace", { ctrlKey: true }), "clear-all");
  assert.equal(press("d"), null);
  assert.equal(press("d", { altKey: true }), null);
});

test("letters, digits and signs are characters; other keys and combinations are not", () => {
  const press = (key, ctrlKey = false) => isCharacter({ key, ctrlKey, metaKey: false });
  assert.deepEqual(["h", "L", "1", "?"].map((key) => press(key)), [true, true, true, true]);
  assert.deepEqual([press(" "), press("Enter"), press("z", true)], [false, false, false]);
});
