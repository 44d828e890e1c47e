/**
 * Verifies seals in the browser. This contains its own SHA-256, because browsers provide theirs only
 * over HTTPS, and keypeg is also played over plain HTTP on a local network.
 */

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../wire.js").Game} Game */

const DOMAIN = "keypeg seal 1";

/** @typedef {Pick<Game, "id" | "seal" | "secret" | "nonce">} Sealed */

/**
 * Whether the revealed code and nonce are those that were sealed for this game (docs/records.md).
 * @param {Board} board
 * @param {Sealed} game
 */
export function sealHolds(board, { id, seal, secret, nonce }) {
  if (!seal || !secret || !nonce) return false;
  return sealOf(board.name, id, secret, nonce) === seal.toLowerCase();
}

/**
 * A text about the seal of a game whose code is known. Empty if the game has no seal.
 * @param {Board} board
 * @param {Sealed} game
 */
export function sealLine(board, game) {
  if (!game.seal || !game.secret) return "";
  return sealHolds(board, game)
    ? "✓ Verified: the code was fixed from the start."
    : "✗ Not verified: this is not the code that was fixed at the start.";
}

/**
 * @param {string} board
 * @param {string} game
 * @param {readonly number[]} code
 * @param {string} nonce in hexadecimal
 */
export function sealOf(board, game, code, nonce) {
  const text = new TextEncoder();
  const parts = [text.encode(DOMAIN), text.encode(board), text.encode(game), Uint8Array.from(code), bytesOf(nonce)];
  const bytes = parts.flatMap((part) => [0, 0, part.length >> 8, part.length & 255, ...part]);
  return sha256(Uint8Array.from(bytes));
}

/** @param {string} hex */
function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/**
 * SHA-256 in hexadecimal (FIPS 180-4).
 * @param {Uint8Array} message
 */
export function sha256(message) {
  const state = fractions(8, 1 / 2);
  for (const block of blocks(message)) compress(state, block);
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** @param {Uint8Array} message */
function blocks(message) {
  const padded = new Uint8Array(64 * Math.ceil((message.length + 9) / 64));
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, message.length * 8);
  return Array.from({ length: padded.length / 64 }, (_, block) =>
    Array.from({ length: 16 }, (_, word) => view.getUint32(64 * block + 4 * word)),
  );
}

/**
 * @param {Uint32Array} state
 * @param {number[]} block
 */
function compress(state, block) {
  const words = Uint32Array.from({ length: 64 }, (_, at) => block[at] ?? 0);
  for (let at = 16; at < 64; at += 1) {
    const [early, late] = [words[at - 15], words[at - 2]];
    const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[at] = words[at - 16] + small + words[at - 7] + large;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let at = 0; at < 64; at += 1) {
    const chosen = (e & f) ^ (~e & g);
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + ROUNDS[at] + words[at]) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => (state[at] += word));
}

/**
 * @param {number} word
 * @param {number} bits
 */
function turned(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

/**
 * The first 32 bits of the fractional parts of the roots of the first primes.
 * @param {number} count
 * @param {number} root
 */
function fractions(count, root) {
  const primes = /** @type {number[]} */ ([]);
  for (let number = 2; primes.length < count; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  return Uint32Array.from(primes, (prime) => Math.floor((prime ** root % 1) * 2 ** 32));
}

const ROUNDS = fractions(64, 1 / 3);
