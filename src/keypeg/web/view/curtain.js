/**
 * The curtain: it covers the page while a shared device is handed to the other player. Only its button
 * opens it. The page behind it is hidden as well, so that it shows nothing whatever a browser does.
 */

import { element } from "./element.js";

export class Curtain {
  constructor() {
    this.isDrawn = false;
    this.drawnAt = 0;
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
   * @param {(seconds: number) => void} opened called after that, with how long it took
   */
  draw(name, why, opened) {
    if (this.isDrawn) return;
    this.isDrawn = true;
    this.drawnAt = Date.now();
    document.documentElement.dataset.curtain = "drawn";
    this.title.textContent = `Hand the device to ${name}`;
    this.words.textContent = why;
    this.button.textContent = `I am ${name}`;
    this.button.onclick = () => {
      this.open();
      opened(Math.ceil((Date.now() - this.drawnAt) / 1000));
    };
    this.show();
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
