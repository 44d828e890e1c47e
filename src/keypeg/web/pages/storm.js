/** The page of puzzle storms: three minutes, then a look at what was missed or slow. */

import { counted } from "../game/board.js";
import { GRADE_TITLES, seedIn } from "../game/puzzles/address.js";
import { anySeed } from "../game/puzzles/puzzle.js";
import { ANNOUNCED, SECONDS, stormPuzzle, stormText, toLookAt } from "../game/puzzles/storm.js";
import { clock } from "../game/rowwords.js";
import { puzzleFinished } from "../live/puzzles.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { PuzzleView } from "../view/puzzle.js";
import { shareButtons } from "../view/sharebuttons.js";
import { announce } from "../view/status.js";

/** @typedef {import("../game/puzzles/puzzle.js").Puzzle} Puzzle */
/** @typedef {import("../game/puzzles/storm.js").StormResult} StormResult */
/** @typedef {import("../view/puzzle.js").Played} Played */

const TICK_MS = 250;

class StormPage {
  constructor() {
    this.place = find("#storm");
    this.seed = seedIn(location.search) ?? anySeed();
    this.timed = true;
    this.view = new PuzzleView({ finished: (puzzle, played) => this.played(puzzle, played), helps: false });
    this.again = new PuzzleView({ finished: () => this.looked() });
    this.left = element("p", { class: "storm-time", role: "timer", "aria-live": "off" });
    this.title = element("h2", { tabindex: -1 });
    /** @type {StormResult[]} */
    this.results = [];
    this.timer = 0;
    this.began = 0;
    this.seconds = 0;
    /** The seconds left when the time was last announced. @type {number} */
    this.announced = SECONDS;
    /** What is looked at again. @type {ReturnType<typeof toLookAt>} */
    this.queue = [];
    this.at = 0;
    this.onward = element("button", { type: "button", onclick: () => this.lookOn() });
    this.showStart();
  }

  showStart() {
    history.replaceState(null, "", `/storm?seed=${this.seed}`);
    const untimed = element("input", { type: "checkbox", id: "untimed" });
    untimed.checked = !this.timed;
    const start = element("button", { type: "button", class: "primary", onclick: () => this.start(!untimed.checked) }, "Start");
    this.place.replaceChildren(
      element("p", {}, "The puzzles get harder. A wrong code costs only its time; a puzzle can be skipped. Whoever opens this address gets the same puzzles."),
      element("label", { class: "option" }, untimed, "No time limit"),
      element("div", { class: "buttons" }, start),
    );
  }

  /** @param {boolean} timed */
  start(timed) {
    this.timed = timed;
    this.results = [];
    this.began = performance.now();
    this.announced = SECONDS;
    const skip = element("button", { type: "button", onclick: () => this.skip() }, "Skip");
    const finish = element("button", { type: "button", onclick: () => this.end() }, "Finish");
    this.place.replaceChildren(element("div", { class: "storm-head" }, this.title, this.left), this.view.element, element("div", { class: "buttons" }, skip, finish));
    this.next();
    // While the time runs, the puzzle needs all of a small window.
    this.place.scrollIntoView();
    this.tick();
    this.timer = setInterval(() => this.tick(), TICK_MS);
  }

  next() {
    const puzzle = stormPuzzle(this.seed, this.results.length);
    setUpLook(puzzle.board);
    this.view.show(puzzle);
    this.title.textContent = `Puzzle ${this.results.length + 1}`;
    announce(`Puzzle ${this.results.length + 1}, ${counted(puzzle.rows.length, "row")}.`);
    this.view.focusHand();
  }

  tick() {
    const seconds = (performance.now() - this.began) / 1000;
    if (!this.timed) {
      this.left.textContent = clock(1000 * Math.floor(seconds));
      return;
    }
    const left = Math.max(SECONDS - seconds, 0);
    this.left.textContent = clock(1000 * left);
    const passed = ANNOUNCED.filter((mark) => left <= mark && mark < this.announced);
    if (passed.length) {
      this.announced = Math.min(...passed);
      announce(`${counted(this.announced, "second")} left.`);
    }
    if (left === 0) this.end();
  }

  skip() {
    this.view.giveUp();
  }

  /**
   * @param {Puzzle} puzzle
   * @param {Played} played
   */
  played(puzzle, played) {
    puzzleFinished({ board: puzzle.board.name, grade: puzzle.grade, seed: puzzle.seed, ...played });
    this.results.push({ puzzle, played });
    this.next();
  }

  end() {
    clearInterval(this.timer);
    this.seconds = Math.min(Math.floor((performance.now() - this.began) / 1000), SECONDS);
    const { puzzle } = this.view;
    if (puzzle) this.results.push({ puzzle, played: null });
    this.view.stop();
    this.showEnd();
    announce(`It is over: ${this.title.textContent}.`);
  }

  showEnd() {
    const solved = this.results.filter(({ played }) => played?.solved).length;
    this.queue = toLookAt(this.results);
    this.title.textContent = `${counted(solved, "puzzle")} solved`;
    const list = this.queue.map(({ puzzle, why }, index) =>
      element("li", {}, element("button", { type: "button", onclick: () => this.look(index) }, `Grade ${GRADE_TITLES[puzzle.grade]}`), ` ${why}`),
    );
    const over = this.timed ? `in ${clock(1000 * this.seconds)}` : "without a time limit";
    const address = `/storm?seed=${this.seed}`;
    const other = () => {
      this.seed = anySeed();
      this.showStart();
    };
    this.place.replaceChildren(
      this.title,
      element("p", {}, `You solved ${counted(solved, "puzzle")} ${over}. A friend can try the same storm: `, element("a", { href: address }, `storm ${this.seed}`), "."),
      element("div", { class: "buttons" }, ...shareButtons(stormText(solved, over, location.origin + address), "Copied")),
      element("h3", {}, "To look at again"),
      element("ol", { class: "storm-list" }, ...list),
      element("div", { class: "buttons" }, element("button", { type: "button", class: "primary", onclick: other }, "Another storm"), element("button", { type: "button", onclick: () => this.showStart() }, "The same again")),
    );
    this.title.focus();
  }

  /** @param {number} index in the puzzles to look at again */
  look(index) {
    this.at = index;
    const { puzzle, why } = this.queue[index];
    setUpLook(puzzle.board);
    this.again.show(puzzle);
    this.title.textContent = `${index + 1} of ${this.queue.length}: ${why}`;
    this.onward.textContent = index + 1 < this.queue.length ? "Next" : "Back to the list";
    this.onward.classList.remove("primary");
    this.place.replaceChildren(this.title, this.again.element, element("div", { class: "buttons" }, this.onward));
    this.title.focus();
  }

  looked() {
    this.onward.classList.add("primary");
  }

  lookOn() {
    const next = this.at + 1;
    if (next < this.queue.length) this.look(next);
    else this.showEnd();
  }
}

new StormPage();
