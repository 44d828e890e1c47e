/** How a person solves a puzzle, step by step, as in keypeg.puzzles.deduction. docs/puzzles.md defines it. */

import { rowSets, setsOf } from "./codesets.js";

/** @typedef {import("./codesets.js").CodeSets} CodeSets */
/** @typedef {import("./codesets.js").Fact} Fact */
/** @typedef {import("./codesets.js").PuzzleRow} PuzzleRow */
/** @typedef {import("./codesets.js").RowSets} RowSets */
/** @typedef {{ fact: Fact, holds: boolean }} Statement a fact, or its contrary */
/** @typedef {"count" | "row" | "compare" | "suppose"} Technique */
/**
 * @typedef {object} Step
 * @property {Technique} technique
 * @property {number[]} rows the rows that are looked at, counted from 0
 * @property {Statement[]} learned
 * @property {Statement[]} supposed what turned out to be impossible
 * @property {Step[]} inside the steps from there to a broken row, which is the last one's
 */
/** @typedef {{ sets: CodeSets, rows: PuzzleRow[], fitting: RowSets[], known: bigint }} PuzzleState */

const MOST_INSIDE = 30;

/**
 * All deductions, each with the state after it.
 * @param {CodeSets} sets
 * @param {PuzzleRow[]} rows
 * @returns {Generator<{ step: Step, after: PuzzleState }>}
 */
export function* solution(sets, rows) {
  let state = begin(sets, rows);
  while (!isSolved(state)) {
    let step = easyStep(state, true);
    if (!step) {
      state = narrowed(state);
      step = suppose(state);
    }
    if (!step) return;
    state = after(state, step.learned);
    yield { step, after: state };
  }
}

/**
 * @param {CodeSets} sets
 * @param {PuzzleRow[]} rows
 * @returns {PuzzleState}
 */
export function begin(sets, rows) {
  return { sets, rows, fitting: rows.map((row) => rowSets(sets, row)), known: sets.every };
}

/** Whether one code is left, or none. @param {PuzzleState} state */
export function isSolved({ known }) {
  return !(known & (known - 1n));
}

/**
 * The same puzzle once these statements are known.
 * @param {PuzzleState} state
 * @param {Statement[]} statements
 * @returns {PuzzleState}
 */
export function after(state, statements) {
  let { known } = state;
  for (const { fact, holds } of statements) known = holds ? known & fact.codes : without(known, fact.codes);
  return among(state, known);
}

/**
 * The same puzzle when it is known that the code is one of these.
 * @param {PuzzleState} state
 * @param {bigint} codes
 * @returns {PuzzleState}
 */
export function among(state, codes) {
  return { ...state, known: codes };
}

/**
 * The first row that no code fits any more; -1 if there is none.
 * @param {PuzzleState} state
 */
export function brokenRow({ known, fitting }) {
  return fitting.findIndex((row) => !(known & row.both));
}

/**
 * The same without the codes that are ruled out, so that every set is smaller.
 * @param {PuzzleState} state
 */
function narrowed({ sets, rows, known }) {
  const bits = known.toString(2).padStart(sets.codes.length, "0");
  return begin(setsOf(sets.board, sets.codes.filter((_, at) => bits[bits.length - 1 - at] === "1")), rows);
}

/**
 * The first step with the easiest technique that does not suppose anything.
 * @param {PuzzleState} state
 * @param {boolean} compares whether rows may be compared
 * @returns {Step | null}
 */
function easyStep(state, compares) {
  const { rows, fitting, known, sets } = state;
  for (let number = 0; number < rows.length; number += 1) {
    const learned = countRow(state, number);
    if (learned.length) return step("count", [number], learned);
  }
  for (let number = 0; number < rows.length; number += 1) {
    const learned = follows(known & fitting[number].both, known, sets.facts);
    if (learned.length) return step("row", [number], learned);
  }
  return compares ? comparison(state) : null;
}

/**
 * @param {PuzzleState} state
 * @returns {Step | null}
 */
function comparison({ fitting, known, sets }) {
  for (let one = 0; one < fitting.length; one += 1) {
    for (let other = one + 1; other < fitting.length; other += 1) {
      const [mine, theirs] = [fitting[one], fitting[other]];
      const colours = follows(known & mine.total & theirs.total, known, sets.countFacts);
      if (colours.length) return step("compare", [one, other], colours);
      const places = follows(known & mine.black & theirs.black, known, sets.placeFacts);
      if (places.length) return step("compare", [one, other], places);
    }
  }
  return null;
}

/**
 * What one row teaches by its counts: of colours by its sum, of places by its black key pegs.
 * @param {PuzzleState} state
 * @param {number} number
 */
export function countRow(state, number) {
  return [...countColours(state, number), ...countPlaces(state, number)];
}

/**
 * What one row teaches of colours by its sum.
 * @param {PuzzleState} state
 * @param {number} number
 * @returns {Statement[]}
 */
function countColours({ rows, known, sets }, number) {
  const { guess, black, white } = rows[number];
  const shares = [...new Set(guess)].map((peg) => {
    const facts = sets.counts[peg - sets.pegs[0]].slice(0, guess.filter((other) => other === peg).length);
    const least = facts.filter((fact) => (known & fact.codes) === known).length;
    const most = facts.filter((fact) => known & fact.codes).length;
    return { facts, least, most };
  });
  const spare = shares.reduce((left, { least }) => left - least, black + white);
  const short = shares.reduce((left, { most }) => left + most, -black - white);
  const statements = /** @type {Statement[]} */ ([]);
  for (const { facts, least, most } of shares) {
    for (const fact of facts.slice(least, most)) {
      if (fact.times > least + spare) statements.push({ fact, holds: false });
      else if (fact.times <= most - short) statements.push({ fact, holds: true });
    }
  }
  return statements;
}

/**
 * What one row teaches of places by its black key pegs.
 * @param {PuzzleState} state
 * @param {number} number
 * @returns {Statement[]}
 */
function countPlaces({ rows, known, sets }, number) {
  const { guess, black } = rows[number];
  const facts = guess.map((peg, hole) => sets.places[hole][peg - sets.pegs[0]]);
  const possible = facts.filter((fact) => known & fact.codes);
  const open = possible.filter((fact) => (known & fact.codes) !== known);
  if (possible.length === black) return open.map((fact) => ({ fact, holds: true }));
  return possible.length - open.length === black ? open.map((fact) => ({ fact, holds: false })) : [];
}

/**
 * The facts, not yet known, that all codes of a part of the known ones have, or none.
 * @param {bigint} left
 * @param {bigint} known
 * @param {Fact[]} facts
 */
function follows(left, known, facts) {
  const statements = /** @type {Statement[]} */ ([]);
  for (const fact of facts) {
    const both = left & fact.codes;
    if (!both) {
      if (known & fact.codes) statements.push({ fact, holds: false });
    } else if (both === left && (known & fact.codes) !== known) statements.push({ fact, holds: true });
  }
  return statements;
}

/**
 * The supposition that is refuted in the fewest steps; the first of them.
 * @param {PuzzleState} state
 * @returns {Step | null}
 */
function suppose(state) {
  const { known } = state;
  let most = MOST_INSIDE;
  let found = /** @type {Step | null} */ (null);
  for (const fact of state.sets.facts) {
    const both = known & fact.codes;
    if (!both || both === known) continue;
    const supposed = [{ fact, holds: true }];
    const inside = refuted(after(state, supposed), most);
    if (!inside) continue;
    most = inside.length - 1;
    found = { technique: "suppose", rows: [], learned: [{ fact, holds: false }], supposed, inside };
    if (most === 0) break;
  }
  return found;
}

/**
 * The steps to a row that no code fits; null if `most` steps do not lead to one.
 * @param {PuzzleState} state
 * @param {number} most
 * @returns {Step[] | null}
 */
function refuted(state, most) {
  const steps = /** @type {Step[]} */ ([]);
  while (steps.length < most) {
    const broken = brokenRow(state);
    if (broken >= 0) return [...steps, step("count", [broken], [])];
    const next = easyStep(state, false);
    if (!next) return null;
    steps.push(next);
    state = after(state, next.learned);
  }
  return null;
}

/**
 * @param {Technique} technique
 * @param {number[]} rows
 * @param {Statement[]} learned
 * @returns {Step}
 */
function step(technique, rows, learned) {
  return { technique, rows, learned, supposed: [], inside: [] };
}

/**
 * @param {bigint} codes
 * @param {bigint} others
 */
export function without(codes, others) {
  return codes ^ (codes & others);
}
