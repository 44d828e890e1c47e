/** The seconds since a moment, without those in which the page was hidden. */

export class Stopwatch {
  constructor() {
    this.before = 0;
    /** @type {number | null} */
    this.since = document.hidden ? null : performance.now();
    this.change = () => {
      this.before = this.milliseconds;
      this.since = document.hidden ? null : performance.now();
    };
    document.addEventListener("visibilitychange", this.change);
  }

  get milliseconds() {
    return this.before + (this.since === null ? 0 : performance.now() - this.since);
  }

  /** Stop for good. Returns the seconds. */
  stop() {
    document.removeEventListener("visibilitychange", this.change);
    this.before = this.milliseconds;
    this.since = null;
    return this.before / 1000;
  }
}
