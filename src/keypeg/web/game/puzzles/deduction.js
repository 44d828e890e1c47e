/** How a person solves a puzzle, step by step, as in keypeg.puzzles.deduction. docs/puzzles.md defines it. */

import { rowSets, setsOf } from "./codesets.js";

/** @typedef {import("./codesets.js").CodeSets} CodeSets */
/** @typedef {import("./codesets.js").Fact} Fact */
/** @typedef {import("./codesets.js").PuzzleRow} PuzzleRow */
/** @typedef {import("./codesets.js").RowSets} RowSets */
/** @typedef {{ fact: Fact, holds: boolean }} Claim a fact, or its contrary */
/** @typedef {"count" | "row" | "compare" | "suppose"} Technique */
/**
 * @typedef {object} Step
 * @property {Technique} technique
 * @property {number[]} rows the rows that are looked at, counted from 0
 * @property {Claim[]} learned
 * @property {Claim[]} supposed what turned out to be impossible
 * @property {Step[]} inside the steps from there to a broken row, which is the last one's
 */
/** @typedef {{ sets: CodeSets, rows: PuzzleRow[], fitting: RowSets[], known: bigint }} Position */

const MOST_INSIDE = 30;

/**
 * All deductions, each with the position after it.
 * @param {CodeSets} sets
 * @param {PuzzleRow[]} rows
 * @returns {Generator<{ step: Step, after: Position }>}
 */
export function* solution(sets, rows) {
  let position = begin(sets, rows);
  while (!isSolved(position)) {
    let step = easyStep(position, true);
    if (!step) {
      position = narrowed(position);
      step = suppose(position);
    }
    if (!step) return;
    position = after(position, step.learned);
    yield { step, after: position };
  }
}

/**
 * @param {CodeSets} sets
 * @param {PuzzleRow[]} rows
 * @returns {Position}
 */
function begin(sets, rows) {
  return { sets, rows, fitting: rows.map((row) => rowSets(sets, row)), known: sets.every };
}

/** Whether one code is left, or none. @param {Position} position */
export function isSolved({ known }) {
  return !(known & (known - 1n));
}

/**
 * The same puzzle once these claims are known.
 * @param {Position} position
 * @param {Claim[]} claims
 * @returns {Position}
 */
function after(position, claims) {
  let { known } = position;
  for (const { fact, holds } of claims) known = holds ? known & fact.codes : without(known, fact.codes);
  return { ...position, known };
}

/**
 * The same without the codes that are ruled out, so that every set is smaller.
 * @param {Position} position
 */
function narrowed({ sets, rows, known }) {
  const bits = known.toString(2).padStart(sets.codes.length, "0");
  return begin(setsOf(sets.board, sets.codes.filter((_, at) => bits[bits.length - 1 - at] === "1")), rows);
}

/**
 * The first step with the easiest technique that does not suppose anything.
 * @param {Position} position
 * @param {boolean} compares whether rows may be compared
 * @returns {Step | null}
 */
function easyStep(position, compares) {
  const { rows, fitting, known, sets } = position;
  for (let number = 0; number < rows.length; number += 1) {
    const learned = [...countColours(position, number), ...countPlaces(position, number)];
    if (learned.length) return step("count", [number], learned);
  }
  for (let number = 0; number < rows.length; number += 1) {
    const learned = follows(known & fitting[number].both, known, sets.facts);
    if (learned.length) return step("row", [number], learned);
  }
  return compares ? comparison(position) : null;
}

/**
 * @param {Position} position
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
 * What one row teaches of colours by its sum.
 * @param {Position} position
 * @param {number} number
 * @returns {Claim[]}
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
  const claims = /** @type {Claim[]} */ ([]);
  for (const { facts, least, most } of shares) {
    for (const fact of facts.slice(least, most)) {
      if (fact.times > least + spare) claims.push({ fact, holds: false });
      else if (fact.times <= most - short) claims.push({ fact, holds: true });
    }
  }
  return claims;
}

/**
 * What one row teaches of places by its black key pegs.
 * @param {Position} position
 * @param {number} number
 * @returns {Claim[]}
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
  const claims = /** @type {Claim[]} */ ([]);
  for (const fact of facts) {
    const both = left & fact.codes;
    if (!both) {
      if (known & fact.codes) claims.push({ fact, holds: false });
    } else if (both === left && (known & fact.codes) !== known) claims.push({ fact, holds: true });
  }
  return claims;
}

/**
 * The supposition that is refuted in the fewest steps; the first of them.
 * @param {Position} position
 * @returns {Step | null}
 */
function suppose(position) {
  const { known } = position;
  let most = MOST_INSIDE;
  let found = /** @type {Step | null} */ (null);
  for (const fact of position.sets.facts) {
    const both = known & fact.codes;
    if (!both || both === known) continue;
    const supposed = [{ fact, holds: true }];
    const inside = refuted(after(position, supposed), most);
    if (!inside) continue;
    most = inside.length - 1;
    found = { technique: "suppose", rows: [], learned: [{ fact, holds: false }], supposed, inside };
    if (most === 0) break;
  }
  return found;
}

/**
 * At most so many steps to a row that no code fits; null if they lead to none.
 * @param {Position} position
 * @param {number} most
 * @returns {Step[] | null}
 */
function refuted(position, most) {
  const steps = /** @type {Step[]} */ ([]);
  while (steps.length < most) {
    const broken = position.fitting.findIndex((row) => !(position.known & row.both));
    if (broken >= 0) return [...steps, step("count", [broken], [])];
    const next = easyStep(position, false);
    if (!next) return null;
    steps.push(next);
    position = after(position, next.learned);
  }
  return null;
}

/**
 * @param {Technique} technique
 * @param {number[]} rows
 * @param {Claim[]} learned
 * @returns {Step}
 */
function step(technique, rows, learned) {
  return { technique, rows, learned, supposed: [], inside: [] };
}

/**
 * @param {bigint} codes
 * @param {bigint} others
 */
function without(codes, others) {
  return codes ^ (codes & others);
}
