/**
 * Asks the server whose turn it is in this browser's open games: now and then while the page is seen, more seldom
 * while it is in the background, and there only if the player wants notices.
 */

import { inOrder, openTable } from "../game/turns.js";
import { get, Problem } from "./api.js";
import { forgetTable, isOver, keptTables, matchOf } from "./mytables.js";
import { noticesAreOn } from "./notices.js";
import { isShared } from "./seats.js";

/** @typedef {import("../wire.js").Turn} Turn */
/** @typedef {import("../game/turns.js").OpenGame} OpenGame */
/** @typedef {(games: OpenGame[], problem: string | null) => void} Listener */

const SEEN_MS = 20_000;
const HIDDEN_MS = 60_000;
/** After a request that failed, the pause doubles up to this. */
const LONGEST_MS = 300_000;
/** The page that is seen again asks at once, unless it has just asked. */
const JUST_MS = 2_000;

export class TurnWatch {
  constructor() {
    /** @type {Map<string, OpenGame>} */
    this.games = new Map();
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
    return inOrder([...this.games.values()]);
  }

  /** Ask about each table in turn, then wait. */
  async look() {
    if (this.asking) return;
    clearTimeout(this.timer);
    this.asking = true;
    this.asked = performance.now();
    const kept = keptTables();
    for (const key of this.games.keys()) if (!kept.includes(key)) this.games.delete(key);
    try {
      for (const key of kept) await this.ask(key);
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

  /** @param {string} key */
  async ask(key) {
    const match = matchOf(key);
    try {
      const game = await (match === null ? openAt(key) : openIn(match));
      if (game) this.games.set(key, game);
      else this.forget(key);
    } catch (problem) {
      if (!(problem instanceof Problem && problem.status === 404)) throw problem;
      this.forget(key);
    }
  }

  /** @param {string} key */
  forget(key) {
    forgetTable(key);
    this.games.delete(key);
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

/**
 * What is open at a table; null if nothing is left to do there.
 * @param {string} id
 */
async function openAt(id) {
  const turn = /** @type {Turn} */ (await get(`/api/tables/${id}/turn`));
  return turn.seat && !isOver(turn) ? openTable(turn, isShared(id)) : null;
}

/**
 * What is open in a match; null if it is over. Loaded on demand: few have one.
 * @param {string} id
 */
async function openIn(id) {
  const match = /** @type {import("../wire.js").MatchView} */ (await get(`/api/matches/${id}`));
  const words = await import("../game/matchwords.js").catch(() => null);
  if (!words) throw new Problem(0, "unreachable", "The server cannot be reached. Check your network connection.");
  return words.openMatch(match);
}
