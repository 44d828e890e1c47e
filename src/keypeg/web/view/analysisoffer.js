/** The offer to analyse the finished games, with its progress. It can be stopped and continued. */

import { counted } from "../game/board.js";
import { analyse, MOST_AT_ONCE, unanalysed } from "../live/analyser.js";
import { keptSeries } from "../live/mygames.js";
import { element } from "./element.js";
import { announce } from "./status.js";

export class AnalysisOffer {
  /** @param {() => void} changed called when there may be new mistakes */
  constructor(changed) {
    this.changed = changed;
    /** @type {AbortController | null} */
    this.running = null;
    this.words = element("p", { tabindex: -1 });
    this.bar = element("progress", { "aria-label": "Series analysed", hidden: true });
    this.button = element("button", { type: "button", onclick: () => (this.running ? this.stop() : this.run()) });
    this.element = element("section", { class: "card stack" }, element("h2", {}, "Find mistakes in your games"), this.words, this.bar, element("div", { class: "buttons" }, this.button));
    this.show();
  }

  /** @param {string} [before] what came of the last analysis */
  show(before = "") {
    const left = unanalysed().length;
    const none = keptSeries().length ? "All your finished series have been analysed." : "Finish a series, and its games can be analysed here.";
    const offer = left ? `${left} finished series ${left === 1 ? "has" : "have"} not been analysed yet. The solver on the server looks at the games one after the other.` : none;
    this.words.textContent = `${before} ${offer}`.trim();
    this.button.hidden = left === 0;
    this.button.textContent = left > MOST_AT_ONCE ? `Analyse ${MOST_AT_ONCE} of them` : "Analyse";
    this.bar.hidden = true;
    if (this.button.hidden && this.element.contains(document.activeElement)) this.words.focus();
  }

  async run() {
    const series = unanalysed().slice(0, MOST_AT_ONCE);
    this.running = new AbortController();
    this.bar.hidden = false;
    this.bar.max = series.length;
    this.bar.value = 0;
    this.button.textContent = "Stop";
    this.words.textContent = `Analysing ${series.length} series…`;
    announce(this.words.textContent);
    let found = 0;
    let after = "";
    try {
      await analyse(series, this.running.signal, (done, mistakes) => {
        this.bar.value = done;
        found = mistakes;
        this.words.textContent = `${done} of ${series.length} analysed, ${counted(mistakes, "mistake")} found.`;
      });
    } catch (problem) {
      after = /** @type {Error} */ (problem).message;
    }
    this.running = null;
    this.show(`${after} ${counted(found, "new mistake")} found.`.trim());
    announce(this.words.textContent ?? "");
    this.changed();
  }

  stop() {
    this.running?.abort();
    this.words.textContent = "Stopping after this game…";
  }
}
