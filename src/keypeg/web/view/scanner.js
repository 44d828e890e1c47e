/** Reads QR codes with the camera, where the browser can. */

import { Collector } from "../transfer/frames.js";
import { element } from "./element.js";

const PAUSE_MS = 150;

/** @typedef {{ detect: (source: HTMLVideoElement) => Promise<{ rawValue: string }[]> }} Detector */

/**
 * Why this browser cannot read codes, or null if it can.
 * @returns {Promise<string | null>}
 */
export async function whyNoScanner() {
  const kind = /** @type {any} */ (globalThis).BarcodeDetector;
  const formats = kind ? await kind.getSupportedFormats().catch(() => []) : [];
  if (!formats.includes("qr_code")) return "This browser cannot read QR codes. Use a file or text instead.";
  if (!navigator.mediaDevices) return "A page may use the camera only over HTTPS. Use a file or text instead.";
  return null;
}

export class Scanner {
  /** @param {(text: string) => void} whole called with the text when all codes are read */
  constructor(whole) {
    this.whole = whole;
    this.collector = new Collector();
    this.video = element("video", { playsinline: true, muted: true, "aria-label": "The picture of the camera" });
    this.words = element("p", { role: "status" }, "Starting the camera…");
    const stop = element("button", { type: "button", onclick: () => this.stop("Stopped.") }, "Stop the camera");
    this.buttons = element("div", { class: "buttons" }, stop);
    this.element = element("div", { class: "stack" }, this.video, this.words, this.buttons);
    /** @type {MediaStream | null} */
    this.stream = null;
  }

  async start() {
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
      this.video.srcObject = this.stream;
      await this.video.play();
      this.words.textContent = "Point the camera at the codes on the other device.";
      await this.read(new /** @type {any} */ (globalThis).BarcodeDetector({ formats: ["qr_code"] }));
    } catch {
      this.stop("The camera cannot be used. It may be off, in use, or not allowed for this page. Use a file or text instead.");
    }
  }

  /** @param {Detector} detector */
  async read(detector) {
    while (this.stream && this.element.isConnected) {
      for (const { rawValue } of await detector.detect(this.video)) {
        if (!this.collector.add(rawValue)) continue;
        this.words.textContent = `${this.collector.parts.size} of ${this.collector.of} codes read.`;
      }
      if (this.collector.isComplete) return this.finish();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    this.stop("Stopped.");
  }

  async finish() {
    this.stop("All codes read.");
    try {
      this.whole(await this.collector.text());
    } catch (problem) {
      this.stop(/** @type {Error} */ (problem).message);
    }
  }

  /** @param {string} words */
  stop(words) {
    if (this.stream) this.stream.getTracks().forEach((track) => track.stop());
    this.stream = null;
    this.video.hidden = true;
    this.buttons.hidden = true;
    this.words.textContent = words;
  }
}
