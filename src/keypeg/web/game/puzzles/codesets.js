/** Sets of codes as integers with a bit for each code of a board, as in keypeg.puzzles.codesets. */

/** @typedef {import("../../wire.js").Board} Board */
/** @typedef {{ guess: number[], black: number, white: number }} PuzzleRow */
/**
 * @typedef {object} Fact a peg in a hole, or at least a number of pegs of a colour
 * @property {number | null} hole
 * @property {number} peg
 * @property {number} times
 * @property {bigint} codes the codes of which it is true
 */
/**
 * @typedef {object} RowSets the codes that fit a row
 * @property {bigint} total the sum of its key pegs
 * @property {bigint} black its black key pegs
 * @property {bigint} both
 * @property {Fact[]} facts what its readings differ by: its pegs in their holes, and how many of each colour
 */
/**
 * @typedef {object} CodeSets
 * @property {Board} board
 * @property {number[]} pegs in order, a blank first
 * @property {number[][]} codes
 * @property {bigint} every
 * @property {Fact[][]} places for each hole, by peg
 * @property {Fact[][]} counts for each peg, by number
 * @property {Fact[]} placeFacts
 * @property {Fact[]} countFacts counts up to half of the holes, rounded up
 * @property {Fact[]} facts
 */

/** The sets of the board that was used last. @type {CodeSets | null} */
let latest = null;

/**
 * @param {Board} board
 * @returns {CodeSets}
 */
export function codeSets(board) {
  if (latest?.board.name === board.name) return latest;
  latest = setsOf(board, everyCode(board));
  return latest;
}

/**
 * All codes of a board, in order, a blank first.
 * @param {Board} board
 */
export function everyCode(board) {
  const pegs = pegsOf(board);
  let codes = /** @type {number[][]} */ ([[]]);
  for (let hole = 0; hole < board.holes; hole += 1) {
    codes = codes.flatMap((code) => pegs.filter((peg) => board.repeats || !code.includes(peg)).map((peg) => [...code, peg]));
  }
  return codes;
}

/** @param {Board} board */
export function pegsOf(board) {
  const first = board.blanks ? 0 : 1;
  return Array.from({ length: board.colours + 1 - first }, (_, index) => first + index);
}

/**
 * The sets of these codes of a board.
 * @param {Board} board
 * @param {number[][]} codes
 * @returns {CodeSets}
 */
export function setsOf(board, codes) {
  const pegs = pegsOf(board);
  const holes = Array.from({ length: board.holes }, (_, hole) => hole);
  const every = (1n << BigInt(codes.length)) - 1n;
  const places = holes.map((hole) => pegs.map((peg) => ({ hole, peg, times: 1, codes: setOf(codes, hole, peg) })));
  const counts = pegs.map((peg, index) => {
    const inHoles = places.map((row) => row[index].codes);
    return holes.map((hole) => ({ hole: null, peg, times: hole + 1, codes: atLeast(hole + 1, inHoles, every) }));
  });
  const worthNoting = Math.floor((board.holes + 1) / 2);
  const placeFacts = places.flat();
  const countFacts = counts.flat().filter(({ times }) => times <= worthNoting);
  return { board, pegs, codes, every, places, counts, placeFacts, countFacts, facts: [...placeFacts, ...countFacts] };
}

/**
 * The codes that fit a row.
 * @param {CodeSets} sets
 * @param {PuzzleRow} row
 * @returns {RowSets}
 */
export function rowSets({ pegs, places, counts, every }, { guess, black, white }) {
  const matched = guess.map((peg, hole) => places[hole][peg - pegs[0]]);
  const shared = guess.map((peg, hole) => counts[peg - pegs[0]][guess.slice(0, hole).filter((other) => other === peg).length]);
  const blacks = exactly(black, matched.map(({ codes }) => codes), every);
  const total = exactly(black + white, shared.map(({ codes }) => codes), every);
  return { total, black: blacks, both: total & blacks, facts: [...matched, ...shared] };
}

/**
 * One bit for each code, the first code in the lowest.
 * @param {number[][]} codes
 * @param {number} hole
 * @param {number} peg
 */
function setOf(codes, hole, peg) {
  let digits = "";
  for (let start = 16 * Math.floor((codes.length - 1) / 16); start >= 0; start -= 16) {
    let word = 0;
    for (let at = start + 15; at >= start; at -= 1) word = 2 * word + (codes[at]?.[hole] === peg ? 1 : 0);
    digits += word.toString(16).padStart(4, "0");
  }
  return BigInt(`0x${digits || 0}`);
}

/**
 * @param {number} times
 * @param {bigint[]} sets
 * @param {bigint} every
 */
function atLeast(times, sets, every) {
  let found = every;
  for (let fewer = 0; fewer < times; fewer += 1) found ^= found & exactly(fewer, sets, every);
  return found;
}

/**
 * The codes that are in exactly `times` of the sets.
 * @param {number} times
 * @param {bigint[]} sets
 * @param {bigint} every
 */
function exactly(times, sets, every) {
  const found = [every, .../** @type {bigint[]} */ (Array(times).fill(0n))];
  for (const one of sets) {
    for (let count = times; count > 0; count -= 1) found[count] = (found[count] ^ (found[count] & one)) | (found[count - 1] & one);
    found[0] ^= found[0] & one;
  }
  return found[times];
}
