/**
 * QR codes (ISO/IEC 18004) of texts in the alphanumeric mode, with error correction level M, up to version
 * 15. They are drawn in the browser, so that nothing of them is sent to the server.
 */

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
/** For versions 1 to 15: codewords for correction in each block, and the number of blocks. */
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10];
const MOST = CORRECTION.length;
/** The bits of level M in the format information. */
const LEVEL = 0;

/** Whether a module is inverted, for each mask. @type {((x: number, y: number) => boolean)[]} */
const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** @typedef {{ version: number, mask: number, modules: boolean[][] }} QrCode its rows, true where dark */

/**
 * The most characters of a code of this version.
 * @param {number} version
 */
export function capacity(version) {
  const bits = dataCodewords(version) * 8 - 4 - lengthBits(version);
  return Math.floor(bits / 11) * 2 + (bits % 11 >= 6 ? 1 : 0);
}

/**
 * @param {string} text of digits, capital letters and ` $%*+-./:`
 * @returns {QrCode}
 */
export function qrCode(text) {
  const version = Array.from({ length: MOST }, (_, at) => at + 1).find((one) => text.length <= capacity(one));
  if (!version || [...text].some((character) => !ALPHABET.includes(character))) throw new RangeError("this text has no QR code");
  const bits = interleaved(codewordsOf(text, version), version).flatMap((byte) => bitsOf(byte, 8));
  const blank = patterns(version);
  const candidates = MASKS.map((_, mask) => filled(blank, bits, mask, version));
  const penalties = candidates.map(penalty);
  const mask = penalties.indexOf(Math.min(...penalties));
  return { version, mask, modules: candidates[mask] };
}

/** @param {number} version */
function sizeOf(version) {
  return 17 + 4 * version;
}

/** @param {number} version */
function lengthBits(version) {
  return version < 10 ? 9 : 11;
}

/** @param {number} version */
function dataCodewords(version) {
  return allCodewords(version) - CORRECTION[version - 1] * BLOCKS[version - 1];
}

/**
 * All codewords: the modules that no pattern takes, in eights.
 * @param {number} version
 */
function allCodewords(version) {
  const free = patterns(version).flat().filter((module) => module === null).length;
  return Math.floor(free / 8);
}

/**
 * @param {string} text
 * @param {number} version
 * @returns {number[]}
 */
function codewordsOf(text, version) {
  const bits = [...bitsOf(0b0010, 4), ...bitsOf(text.length, lengthBits(version))];
  for (let at = 0; at < text.length; at += 2) {
    const [first, second] = [ALPHABET.indexOf(text[at]), ALPHABET.indexOf(text[at + 1])];
    bits.push(...(at + 1 < text.length ? bitsOf(first * 45 + second, 11) : bitsOf(first, 6)));
  }
  const room = dataCodewords(version) * 8;
  bits.push(...bitsOf(0, Math.min(4, room - bits.length)));
  bits.push(...bitsOf(0, -bits.length & 7));
  const bytes = Array.from({ length: bits.length / 8 }, (_, at) => bits.slice(at * 8, at * 8 + 8).reduce((sum, bit) => sum * 2 + bit, 0));
  for (let pad = 0xec; bytes.length < room / 8; pad ^= 0xec ^ 0x11) bytes.push(pad);
  return bytes;
}

/**
 * @param {number} value
 * @param {number} length
 */
function bitsOf(value, length) {
  return Array.from({ length }, (_, at) => (value >> (length - 1 - at)) & 1);
}

/**
 * The codewords in blocks, each with its correction, one of each block in turn.
 * @param {number[]} data
 * @param {number} version
 */
function interleaved(data, version) {
  const [count, length] = [BLOCKS[version - 1], CORRECTION[version - 1]];
  const short = Math.floor(data.length / count);
  const firstLong = count - (data.length % count);
  let from = 0;
  const blocks = Array.from({ length: count }, (_, at) => data.slice(from, (from += short + (at >= firstLong ? 1 : 0))));
  const corrections = blocks.map((block) => remainder(block, length));
  const inTurn = (/** @type {number[][]} */ parts, /** @type {number} */ longest) =>
    Array.from({ length: longest }, (_, at) => parts.flatMap((part) => (at < part.length ? [part[at]] : []))).flat();
  return [...inTurn(blocks, short + 1), ...inTurn(corrections, length)];
}

/**
 * The remainder of a block after division by the generator polynomial of this degree (Reed-Solomon).
 * @param {number[]} block
 * @param {number} degree
 */
function remainder(block, degree) {
  let generator = [1];
  for (let root = 1, at = 0; at < degree; at += 1, root = times(root, 2)) {
    generator = [...generator, 0].map((factor, place) => factor ^ (place ? times(generator[place - 1], root) : 0));
  }
  const rest = [...block, ...Array(degree).fill(0)];
  block.forEach((_, at) => {
    const factor = rest[at];
    generator.forEach((value, place) => (rest[at + place] ^= times(value, factor)));
  });
  return rest.slice(block.length);
}

/**
 * A product in the field of 256 elements, modulo x^8 + x^4 + x^3 + x^2 + 1.
 * @param {number} one
 * @param {number} two
 */
function times(one, two) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (((two >> bit) & 1) * one);
  return product;
}

/**
 * The patterns that every code of a version has; null where data will be.
 * @param {number} version
 * @returns {(boolean | null)[][]}
 */
function patterns(version) {
  const size = sizeOf(version);
  const modules = /** @type {(boolean | null)[][]} */ (Array.from({ length: size }, () => Array(size).fill(null)));
  const set = (/** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ dark) => {
    if (x >= 0 && y >= 0 && x < size && y < size) modules[y][x] = dark;
  };
  for (let at = 0; at < size; at += 1) {
    set(at, 6, at % 2 === 0);
    set(6, at, at % 2 === 0);
  }
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(x, y, 4, (distance) => distance !== 2 && distance !== 4, set);
  const places = alignments(version);
  const last = places.length - 1;
  places.forEach((x, column) => places.forEach((y, line) => {
    const isFinder = (column === 0 && line === 0) || (column === 0 && line === last) || (column === last && line === 0);
    if (!isFinder) square(x, y, 2, (distance) => distance !== 1, set);
  }));
  writeFormat(set, size, 0);
  if (version >= 7) writeVersion(set, size, version);
  return modules;
}

/**
 * Rings around a module: its distance says whether a module is dark.
 * @param {number} x
 * @param {number} y
 * @param {number} reach
 * @param {(distance: number) => boolean} isDark
 * @param {(x: number, y: number, dark: boolean) => void} set
 */
function square(x, y, reach, isDark, set) {
  for (let down = -reach; down <= reach; down += 1) {
    for (let right = -reach; right <= reach; right += 1) set(x + right, y + down, isDark(Math.max(Math.abs(right), Math.abs(down))));
  }
}

/** @param {number} version */
function alignments(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => sizeOf(version) - 7 - step * (count - 2 - at))];
}

/**
 * The level and the mask, twice, protected by a BCH code.
 * @param {(x: number, y: number, dark: boolean) => void} set
 * @param {number} size
 * @param {number} mask
 */
function writeFormat(set, size, mask) {
  const data = (LEVEL << 3) | mask;
  const bits = ((data << 10) | bch(data, 10, 0x537)) ^ 0x5412;
  const bit = (/** @type {number} */ at) => ((bits >> at) & 1) === 1;
  const beside = [0, 1, 2, 3, 4, 5, 7, 8];
  beside.forEach((place, at) => set(8, place, bit(at)));
  [7, 5, 4, 3, 2, 1, 0].forEach((place, at) => set(place, 8, bit(8 + at)));
  for (let at = 0; at < 8; at += 1) set(size - 1 - at, 8, bit(at));
  for (let at = 8; at < 15; at += 1) set(8, size - 15 + at, bit(at));
  set(8, size - 8, true);
}

/**
 * @param {(x: number, y: number, dark: boolean) => void} set
 * @param {number} size
 * @param {number} version
 */
function writeVersion(set, size, version) {
  const bits = (version << 12) | bch(version, 12, 0x1f25);
  for (let at = 0; at < 18; at += 1) {
    const [far, near] = [size - 11 + (at % 3), Math.floor(at / 3)];
    set(far, near, ((bits >> at) & 1) === 1);
    set(near, far, ((bits >> at) & 1) === 1);
  }
}

/**
 * @param {number} data
 * @param {number} degree
 * @param {number} generator
 */
function bch(data, degree, generator) {
  let rest = data;
  for (let at = 0; at < degree; at += 1) rest = (rest << 1) ^ ((rest >> (degree - 1)) * generator);
  return rest;
}

/**
 * The data in pairs of columns, from the right, up and down in turn.
 * @param {(boolean | null)[][]} blank
 * @param {number[]} bits
 * @param {number} mask
 * @param {number} version
 * @returns {boolean[][]}
 */
function filled(blank, bits, mask, version) {
  const size = blank.length;
  const modules = blank.map((row) => [...row]);
  let next = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const isUpward = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (blank[y][x] === null) modules[y][x] = (bits[next++] === 1) !== MASKS[mask](x, y);
      }
    }
  }
  writeFormat((x, y, dark) => (modules[y][x] = dark), sizeOf(version), mask);
  return /** @type {boolean[][]} */ (modules);
}

/**
 * How hard a code is to read: long runs, squares, finder patterns where there are none, too dark or light.
 * @param {boolean[][]} modules
 */
function penalty(modules) {
  const columns = modules.map((_, x) => modules.map((row) => row[x]));
  const lines = [...modules, ...columns].map((line) => line.map((dark) => (dark ? "1" : "0")).join(""));
  let sum = 0;
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
    sum += 40 * [...line.matchAll(/(?=00001011101|10111010000)/g)].length;
  }
  modules.slice(1).forEach((row, above) => row.slice(1).forEach((dark, before) => {
    const [upper, lower] = [modules[above], modules[above + 1]];
    if (upper[before] === dark && upper[before + 1] === dark && lower[before] === dark) sum += 3;
  }));
  const dark = modules.flat().filter(Boolean).length / modules.length ** 2;
  return sum + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}
