/** The curtain: covers everything while one device changes hands. */

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
   * Draw it until the next player says that the device is theirs now.
   * @param {string} name
   * @param {string} why
   * @param {() => void} opened
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
