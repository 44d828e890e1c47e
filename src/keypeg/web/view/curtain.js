/** The curtain: it covers the page while a shared device is handed to the other player. */

import { element } from "./element.js";

export class Curtain {
  constructor() {
    this.words = element("p", {});
    this.title = element("h2", { id: "curtain-title" });
    this.button = element("button", { type: "button", class: "primary" });
    this.element = element(
      "dialog",
      { class: "curtain", "aria-labelledby": "curtain-title", oncancel: (/** @type {Event} */ event) => event.preventDefault() },
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
    if (this.element.open) return;
    this.title.textContent = `Hand the device to ${name}`;
    this.words.textContent = why;
    this.button.textContent = `I am ${name}`;
    this.button.onclick = () => {
      this.element.close();
      opened();
    };
    this.element.showModal();
  }
}
