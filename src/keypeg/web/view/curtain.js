/**
 * The curtain: it covers the page while a shared device is handed to the other player. Only its button
 * opens it. The page behind it is hidden as well, so that it shows nothing whatever a browser does.
 */

import { element } from "./element.js";

export class Curtain {
  constructor() {
    this.isDrawn = false;
    this.drawnAt = 0;
    this.countedFrom = 0;
    this.words = element("p", {});
    this.title = element("h2", { id: "curtain-title" });
    this.button = element("button", { type: "button", class: "primary" });
    this.element = element(
      "dialog",
      {
        class: "curtain",
        closedby: "none",
        "aria-labelledby": "curtain-title",
        oncancel: (/** @type {Event} */ event) => event.preventDefault(),
        onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && event.preventDefault(),
        onclose: () => this.isDrawn && this.show(),
      },
      this.title,
      this.words,
      this.button,
    );
    document.body.append(this.element);
  }

  /**
   * Show it until the next player confirms.
   * @param {string} name
   * @param {string} why
   * @param {() => void} opened called after that
   */
  draw(name, why, opened) {
    if (this.isDrawn) return;
    this.isDrawn = true;
    this.drawnAt = this.countedFrom = Date.now();
    document.documentElement.dataset.curtain = "drawn";
    this.title.textContent = `Hand the device to ${name}`;
    this.words.textContent = why;
    this.button.textContent = `I am ${name}`;
    this.button.onclick = () => {
      this.open();
      opened();
    };
    this.show();
  }

  /** How long it has been drawn, in milliseconds, without what `count` has counted. */
  uncounted() {
    return Date.now() - this.countedFrom;
  }

  /** The same in whole seconds, which are counted now. */
  count() {
    const seconds = Math.ceil(this.uncounted() / 1000);
    this.countedFrom = Date.now();
    return Math.max(seconds, 1);
  }

  show() {
    if (!this.element.open) this.element.showModal();
  }

  open() {
    this.isDrawn = false;
    delete document.documentElement.dataset.curtain;
    this.element.close();
  }
}
