/**
 * A text divided over several QR codes, and put together again. The text is compressed, written with the
 * characters of the alphanumeric mode (base 45, RFC 9285), and each part says which of how many it is:
 * `KEYPEG1:2/5:1A2B3C4D:data`, with the CRC-32 of the whole.
 */

import { Refusal } from "../game/code.js";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
const FORM = /^KEYPEG1:(\d{1,2})\/(\d{1,2}):([0-9A-F]{8}):([0-9A-Z $%*+\-./:]+)$/;
/** Characters of data in each code, which makes codes that a phone reads from the screen of another. */
const EACH = 575;
/** More codes than these take too long to read. */
export const MOST_FRAMES = 24;
/** A text that is larger was not made here. */
const MOST_BYTES = 2_000_000;

/** Whether this browser can compress, which the codes need. */
export const canCompress = typeof CompressionStream === "function";

/**
 * @param {string} text
 * @returns {Promise<string[] | null>} the texts of the codes, or null if it takes too many
 */
export async function framesOf(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate"));
  const data = base45(bytes);
  const count = Math.ceil(data.length / EACH);
  if (count > MOST_FRAMES) return null;
  const sum = checksum(bytes);
  return Array.from({ length: count }, (_, at) => `KEYPEG1:${at + 1}/${count}:${sum}:${data.slice(at * EACH, (at + 1) * EACH)}`);
}

/** Puts the parts together, in whatever order they are read, and however often. */
export class Collector {
  constructor() {
    this.sum = "";
    this.of = 0;
    /** @type {Map<number, string>} */
    this.parts = new Map();
  }

  /**
   * @param {string} frame what was read from a code
   * @returns {boolean} whether it was a new part; a part of other data begins anew
   */
  add(frame) {
    const [, at, of, sum, data] = FORM.exec(frame) ?? [];
    if (!data || Number(at) < 1 || Number(at) > Number(of)) return false;
    if (sum !== this.sum || Number(of) !== this.of) {
      this.parts.clear();
      [this.sum, this.of] = [sum, Number(of)];
    }
    const isNew = !this.parts.has(Number(at));
    this.parts.set(Number(at), data);
    return isNew;
  }

  get isComplete() {
    return this.of > 0 && this.parts.size === this.of;
  }

  /** The whole text. */
  async text() {
    const data = Array.from({ length: this.of }, (_, at) => this.parts.get(at + 1)).join("");
    const bytes = fromBase45(data);
    if (checksum(bytes) !== this.sum) throw new Refusal("The codes do not fit together. Show them again.");
    return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate")));
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {CompressionStream | DecompressionStream} stream
 */
async function through(bytes, stream) {
  const reader = new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)]).stream().pipeThrough(stream).getReader();
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(/** @type {Uint8Array<ArrayBuffer>} */ (value));
    size += value.length;
    if (size > MOST_BYTES) throw new Refusal("This is too large to be data of keypeg.");
  }
}

/** @param {Uint8Array} bytes */
function base45(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 2) {
    const isPair = at + 1 < bytes.length;
    let value = isPair ? bytes[at] * 256 + bytes[at + 1] : bytes[at];
    for (let digit = 0; digit < (isPair ? 3 : 2); digit += 1) {
      text += ALPHABET[value % 45];
      value = Math.floor(value / 45);
    }
  }
  return text;
}

/** @param {string} text */
function fromBase45(text) {
  const bytes = [];
  for (let at = 0; at < text.length; at += 3) {
    const digits = [...text.slice(at, at + 3)].map((character) => ALPHABET.indexOf(character));
    const value = digits.reduceRight((sum, digit) => sum * 45 + digit, 0);
    if (digits.length === 1 || value > (digits.length === 3 ? 0xffff : 0xff)) throw new Refusal("The codes do not fit together. Show them again.");
    bytes.push(...(digits.length === 3 ? [value >> 8, value & 0xff] : [value]));
  }
  return Uint8Array.from(bytes);
}

/**
 * The CRC-32 of ISO 3309, as eight hexadecimal digits.
 * @param {Uint8Array} bytes
 */
export function checksum(bytes) {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return ((rest ^ 0xffffffff) >>> 0).toString(16).toUpperCase().padStart(8, "0");
}
