/** Numbers from a seed, as in keypeg.puzzles.random_numbers: Mulberry32, begun with the FNV-1a hash of a text. */

export class Numbers {
  /** @param {string} text ASCII */
  constructor(text) {
    this.state = 0x811c9dc5;
    for (const character of text) this.state = Math.imul(this.state ^ character.charCodeAt(0), 0x01000193);
  }

  /**
   * The next number from 0 to `limit - 1`.
   * @param {number} limit
   */
  below(limit) {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) * limit) / 0x100000000);
  }
}
