/** QR codes shown in turn, to be read by the camera of another device. */

import { qrCode } from "../transfer/qr.js";
import { element } from "./element.js";
import { draw } from "./svg.js";

const EACH_MS = 1200;
/** The light edge that readers need, in modules. */
const EDGE = 4;

export class QrCodes {
  /**
   * @param {string[]} frames
   * @param {boolean} calm whether nothing should move by itself
   */
  constructor(frames, calm) {
    this.frames = frames;
    this.at = 0;
    this.place = element("div", { class: "qr-code" });
    this.count = element("p", {});
    this.pause = element("button", { type: "button", onclick: () => this.turn(this.timer === null) });
    const several = frames.length > 1;
    this.element = element(
      "div",
      { class: "stack" },
      this.place,
      this.count,
      several && element("div", { class: "buttons" }, this.button("Previous code", -1), this.button("Next code", 1), this.pause),
    );
    /** @type {number | null} */
    this.timer = null;
    this.show(0);
    this.turn(several && !calm);
  }

  /** @param {number} at */
  show(at) {
    this.at = (at + this.frames.length) % this.frames.length;
    const words = `QR code ${this.at + 1} of ${this.frames.length}`;
    this.place.replaceChildren(drawn(this.frames[this.at], words));
    this.count.textContent = words;
  }

  /**
   * Show one after the other, or stop.
   * @param {boolean} on
   */
  turn(on) {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = on ? setInterval(() => (this.element.isConnected ? this.show(this.at + 1) : this.turn(false)), EACH_MS) : null;
    this.pause.textContent = on ? "Pause" : "Show them in turn";
  }

  /**
   * @param {string} words
   * @param {number} by
   */
  button(words, by) {
    const step = () => {
      this.turn(false);
      this.show(this.at + by);
    };
    return element("button", { type: "button", onclick: step }, words);
  }
}

/**
 * @param {string} text
 * @param {string} words
 */
function drawn(text, words) {
  const { modules } = qrCode(text);
  const size = modules.length + 2 * EDGE;
  const path = modules.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + EDGE} ${y + EDGE}h1v1h-1Z` : ""))).join("");
  return draw("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": words, "shape-rendering": "crispEdges" }, draw("path", { d: path }));
}
