/** What is stored in this browser: keeping it, exporting it, importing it, deleting it. */

import { Refusal } from "../game/code.js";
import { readPreferences } from "../look/preferences.js";
import { canCompress, framesOf } from "../transfer/frames.js";
import { forgetAll, MOST_CHARACTERS, packed, unpack } from "../transfer/userdata.js";
import { confirmed } from "./dialog.js";
import { element } from "./element.js";
import { copied } from "./invitation.js";
import { QrCodes } from "./qrcodes.js";
import { Scanner, whyNoScanner } from "./scanner.js";
import { announce } from "./status.js";

/** How many of the latest entries of each list go into QR codes: the first number that fits. */
const AMOUNTS = [Infinity, 500, 300, 200, 120, 80, 50, 30, 20, 10];

export class StoredData {
  /** @param {() => void} changed called when something has been added or deleted */
  constructor(changed) {
    this.changed = changed;
    /** The results of an export, and of an import. */
    this.exported = element("p", { class: "answer-text", role: "status" });
    this.imported = element("p", { class: "answer-text", role: "status" });
    this.place = element("div", {});
    this.element = element("section", { class: "card stack" }, element("h2", {}, "Stored in this browser"), keeping(), this.exporting(), this.importing(), this.deleting());
  }

  exporting() {
    return element(
      "div",
      { class: "stack" },
      element("h3", {}, "Export"),
      element("p", {}, "Your games, mistakes, puzzles, daily codes and settings, for another browser or as a backup. Your seats at tables are not included, so nobody can take them with this."),
      element(
        "div",
        { class: "buttons" },
        this.button("Save as a file", () => this.save()),
        this.button("Copy as text", async () => this.copy()),
        this.button("Show as QR codes", () => this.showCodes()),
      ),
      this.exported,
      this.place,
    );
  }

  importing() {
    const text = element("textarea", { id: "import-text", spellcheck: "false" });
    const file = element("input", {
      type: "file",
      id: "import-file",
      accept: ".json,application/json",
      onchange: async () => {
        const [chosen] = file.files ?? [];
        // Of a file that is too large, only enough is read to see that; a character has at most four bytes.
        if (chosen) this.import(await chosen.slice(0, 4 * (MOST_CHARACTERS + 1)).text());
        file.value = "";
      },
    });
    const camera = element("div", { class: "stack" });
    whyNoScanner().then((why) => camera.replaceChildren(why ? element("p", { class: "reason" }, why) : this.cameraButton(camera)));
    return element(
      "div",
      { class: "stack" },
      element("h3", {}, "Import"),
      element("p", {}, "What you import is added to what is here. Entries that are here already count once."),
      element("label", { for: "import-file" }, "From a file"),
      file,
      element(
        "details",
        {},
        element("summary", {}, "From text"),
        element("div", { class: "stack" }, element("label", { for: "import-text" }, "The copied text"), text, element("div", { class: "buttons" }, this.button("Add", () => this.import(text.value)))),
      ),
      camera,
      this.imported,
    );
  }

  /** @param {HTMLElement} place */
  cameraButton(place) {
    const open = () => {
      const scanner = new Scanner((text) => this.import(text));
      place.replaceChildren(scanner.element, button);
      scanner.start();
    };
    const button = this.button("Read QR codes with the camera", open);
    return button;
  }

  deleting() {
    const ask = async () => {
      if (!(await confirmed("Delete everything?", "This deletes your games, mistakes, puzzles, daily codes and rating from this browser. It cannot be undone.", "Delete"))) return;
      forgetAll();
      this.imported.textContent = "Everything is deleted.";
      this.changed();
    };
    return element("div", { class: "buttons" }, this.button("Delete everything", ask));
  }

  async copy() {
    this.exported.textContent = (await copied(packed())) ? "Copied. Paste it on this page in the other browser." : "Could not copy. Save it as a file.";
  }

  save() {
    const address = URL.createObjectURL(new Blob([packed()], { type: "application/json" }));
    element("a", { href: address, download: `keypeg-${new Date().toISOString().slice(0, 10)}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    this.exported.textContent = "Saved.";
  }

  async showCodes() {
    if (!canCompress) {
      this.exported.textContent = "This browser cannot make these codes. Save it as a file.";
      return;
    }
    for (const most of AMOUNTS) {
      const frames = await framesOf(packed({ most }));
      if (!frames) continue;
      const what = most === Infinity ? "Everything" : `The latest ${most} of each list; a file has everything`;
      this.exported.textContent = `${what}. On the other device, open Progress and choose “Read QR codes with the camera”.`;
      const calm = !readPreferences().motion || matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.place.replaceChildren(new QrCodes(frames, calm).element);
      return;
    }
    this.exported.textContent = "There is too much for QR codes. Save it as a file.";
  }

  /** @param {string} text */
  import(text) {
    try {
      this.imported.textContent = unpack(text);
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      this.imported.textContent = problem.message;
      return;
    }
    this.changed();
  }

  /**
   * @param {string} words
   * @param {() => void} onclick
   */
  button(words, onclick) {
    return element("button", { type: "button", onclick }, words);
  }
}

/** Ask the browser to keep the storage, once, by a button. */
function keeping() {
  const words = element("p", {}, "A browser may delete what pages have stored when space runs out or after weeks without a visit; you can ask it not to.");
  const ask = async () => {
    const isKept = await navigator.storage.persist();
    words.textContent = isKept ? KEPT : "The browser did not agree. It may do so later, when you have visited more often, or if you install or bookmark keypeg. A file is safe.";
    button.hidden = isKept;
    if (isKept) words.focus();
    else announce(words.textContent);
  };
  const button = element("button", { type: "button", hidden: true, onclick: ask }, "Ask the browser to keep it");
  words.tabIndex = -1;
  navigator.storage?.persisted?.().then((isKept) => {
    if (isKept) words.textContent = KEPT;
    button.hidden = isKept;
  }).catch(() => {});
  return element("div", { class: "stack" }, words, element("div", { class: "buttons" }, button));
}

const KEPT = "The browser keeps this storage until you delete it.";
