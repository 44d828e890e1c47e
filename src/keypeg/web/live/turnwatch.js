/**
 * Asks the server whose turn it is at this browser's tables: now and then while the page is seen, more seldom
 * while it is in the background, and there only if the player wants notices.
 */

import { inOrder } from "../game/turns.js";
import { get, Problem } from "./api.js";
import { forgetTable, isOver, keptTables } from "./mytables.js";
import { noticesAreOn } from "./notices.js";

/** @typedef {import("../wire.js").Turn} Turn */
/** @typedef {(turns: Turn[], problem: string | null) => void} Listener */

const SEEN_MS = 20_000;
const HIDDEN_MS = 60_000;
/** After a request that failed, the pause doubles up to this. */
const LONGEST_MS = 300_000;
/** The page that is seen again asks at once, unless it has just asked. */
const JUST_MS = 2_000;

export class TurnWatch {
  constructor() {
    /** @type {Map<string, Turn>} */
    this.turns = new Map();
    /** @type {string | null} */
    this.problem = null;
    /** @type {Set<Listener>} */
    this.listeners = new Set();
    this.failures = 0;
    this.timer = 0;
    this.asked = -Infinity;
    this.asking = false;
    document.addEventListener("visibilitychange", () => this.seen());
    this.look();
  }

  /** @param {Listener} listener is told at once if something is known, and after each round of questions */
  listen(listener) {
    this.listeners.add(listener);
    if (Number.isFinite(this.asked) && !this.asking) listener(this.all(), this.problem);
  }

  all() {
    return inOrder([...this.turns.values()]);
  }

  /** Ask about each table in turn, then wait. */
  async look() {
    if (this.asking) return;
    clearTimeout(this.timer);
    this.asking = true;
    this.asked = performance.now();
    const kept = keptTables();
    for (const id of this.turns.keys()) if (!kept.includes(id)) this.turns.delete(id);
    try {
      for (const id of kept) await this.ask(id);
      this.failures = 0;
      this.problem = null;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.failures += 1;
      this.problem = problem.message;
    } finally {
      this.asking = false;
    }
    for (const listener of this.listeners) listener(this.all(), this.problem);
    this.wait();
  }

  /** @param {string} id */
  async ask(id) {
    try {
      const turn = /** @type {Turn} */ (await get(`/api/tables/${id}/turn`));
      if (turn.seat && !isOver(turn)) this.turns.set(id, turn);
      else this.forget(id);
    } catch (problem) {
      if (!(problem instanceof Problem && problem.status === 404)) throw problem;
      this.forget(id);
    }
  }

  /** @param {string} id */
  forget(id) {
    forgetTable(id);
    this.turns.delete(id);
  }

  wait() {
    clearTimeout(this.timer);
    if (document.hidden && !noticesAreOn()) return;
    const usual = document.hidden ? HIDDEN_MS : SEEN_MS;
    this.timer = setTimeout(() => this.look(), Math.min(usual * 2 ** this.failures, LONGEST_MS));
  }

  seen() {
    if (!document.hidden && performance.now() - this.asked > JUST_MS) this.look();
    else if (!this.asking) this.wait();
  }
}
