/** The colours of code pegs and their names: the same tables as in keypeg.rules.colours. */

/** @typedef {{ name: string, short: string, letter: string }} Colour */

/** The value of an empty hole; colours are numbered from 1. */
export const BLANK = 0;

const CLASSIC = named("red RD R, blue BU B, yellow YW Y, green GN G, white WH W, black BK K");

const ADVANCED = named(
  "magenta MA M, orange OR O, blue BU B, purple PU P, yellow YW Y, white WH W, green GN G, black BK K",
);

const NINE = [...ADVANCED, ...named("red RD R")];

const LARGEST = named(
  "magenta MA M, orange OR O, blue BU U, purple PU P, yellow YW Y, white WH W, green GN N, " +
    "black BK L, red RD R, amber AM A, brown BN B, cyan CY C, denim DN D, emerald EM E, " +
    "flame FL F, grey GY G, hazel HZ H, indigo IN I, jade JD J, khaki KH K",
);

export const BOXES = [CLASSIC, ADVANCED, NINE, LARGEST];

/**
 * The colours of a board with this number of colours: the classic ones for up to six.
 * @param {number} colours
 * @returns {Colour[]}
 */
export function coloursOf(colours) {
  const box = BOXES.find((box) => colours <= box.length) ?? LARGEST;
  return box.slice(0, colours);
}

/**
 * The one-character name of a peg: 1 to 9, then letters.
 * @param {number} peg
 * @param {Colour[]} colours
 */
export function digit(peg, colours) {
  return peg <= 9 ? String(peg) : colours[peg - 1].letter;
}

/**
 * @param {string} table
 * @returns {Colour[]}
 */
function named(table) {
  return table.split(", ").map((entry) => {
    const [name, short, letter] = entry.split(" ");
    return { name, short, letter };
  });
}
