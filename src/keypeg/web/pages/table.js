/** The page of a table: it puts the connection, the row being filled and the view together. */

import { PRESETS, symbols } from "../game/board.js";
import { BLANK } from "../game/colours.js";
import * as drafting from "../game/draft.js";
import { DEFAULT_NAMES } from "../game/names.js";
import { describeRow } from "../game/rowwords.js";
import { claimTerms, headline, nameOf, resignTerms, TASKS } from "../game/sentences.js";
import { actions, situation, timeLeft } from "../game/situation.js";
import { lastGame } from "../game/table.js";
import { askHint, Problem, takeSeat } from "../live/api.js";
import { Chair } from "../live/chair.js";
import { newId } from "../live/connection.js";
import { keepLastTable } from "../live/lasttable.js";
import { patiently } from "../live/patience.js";
import { RowInHand } from "../live/rowinhand.js";
import { isShared } from "../live/seats.js";
import { storageTrouble } from "../live/storage.js";
import { keepPreferences, readPreferences } from "../look/preferences.js";
import { play } from "../look/sound.js";
import { Curtain } from "../view/curtain.js";
import { Desk } from "../view/desk.js";
import { confirmed } from "../view/dialog.js";
import { draggable } from "../view/drag.js";
import { element, find } from "../view/element.js";
import { freeSeat } from "../view/joining.js";
import { listenToKeys } from "../view/keyboard.js";
import { applyPreferences, nextLabels, setUpLook } from "../view/look.js";
import { Narration } from "../view/narration.js";
import { noSuchTable, tellLoading } from "../view/notable.js";
import { notify, recheck, showOver } from "../view/status.js";
import { commandBox } from "../view/typing.js";

/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {import("../wire.js").Command} Command */
/** @typedef {import("../wire.js").TableEvent} TableEvent */
/** @typedef {import("../game/draft.js").Draft} Draft */
/** @typedef {import("../game/situation.js").Action} Action */

const PACE_MS = 700;
const TICK_MS = 250;
/** The most seconds that a player can give the opponent at once. */
const MOST_SECONDS = 3600;
/** A device that nobody has taken for this long is not being handed over. */
const LONGEST_HAND_OVER_MS = 600_000;
const UNREACHABLE = "The server cannot be reached. Check your network connection.";

export class TablePage {
  /** @param {string} id */
  constructor(id) {
    this.id = id;
    this.shared = isShared(id);
    this.curtain = this.shared ? new Curtain() : null;
    /** Whether it is known who is using a shared device. */
    this.isKnown = false;
    const listener = {
      changed: (/** @type {Chair} */ chair, /** @type {TableEvent[]} */ events) => this.changed(chair, events),
      pace: () => (movesCalmly() ? 0 : PACE_MS),
    };
    this.chairs = this.shared
      ? [new Chair(id, "one", listener), new Chair(id, "two", listener)]
      : [new Chair(id, null, listener)];
    /** The chair of the player who is using the screen. */
    this.chair = this.chairs[0];
    /** @type {Desk | null} */
    this.desk = null;
    /** Made with the desk, for its board. */
    this.row = new RowInHand(PRESETS[0]);
    this.narration = new Narration(movesCalmly, this.shared);
    this.asking = false;
    /** Whether a time limit or more time waits for its reply. */
    this.arranging = false;
    this.peeking = false;
    /** Whether the player has been told what is wrong with the storage. */
    this.warned = false;
    /** @type {Promise<HTMLDialogElement> | null} */
    this.helping = null;
    setInterval(() => this.tick(), TICK_MS);
    addEventListener("offline", () => this.chairs.forEach((chair) => chair.connection.drop()));
    for (const event of ["online", "pageshow", "focus"]) {
      addEventListener(event, () => this.chairs.forEach((chair) => chair.connection.wake()));
    }
  }

  get table() {
    const view = this.chair.view;
    if (!view) throw new Error("the table has not been received yet");
    return view.table;
  }

  /**
   * @param {Chair} chair
   * @param {TableEvent[]} events
   */
  changed(chair, events) {
    if (chair.link === "gone") return noSuchTable();
    // Nothing is shown on a shared device until it is known whose turn it is.
    if (!this.chairs.every(({ view }) => view)) return tellLoading(chair);
    if (chair !== this.chair && this.desk) return this.handOver();
    this.desk ??= this.makeDesk();
    this.narration.tell(this.table, events);
    this.row.renew(situation(this.table));
    this.render();
    this.handOver();
    keepLastTable(this.table);
    if (situation(this.table).finished) this.keepSeries();
  }

  /** Store the finished series in this browser. Loaded on demand, to keep the page small. */
  async keepSeries() {
    const { table } = this;
    const { keepSeries } = await import("../live/mygames.js");
    keepSeries(table);
    const trouble = storageTrouble();
    if (trouble && !this.warned) notify(trouble);
    this.warned = true;
  }

  makeDesk() {
    const { board } = this.table;
    this.row = new RowInHand(board);
    const desk = new Desk(board, {
      sit: (name) => this.sit(name),
      place: (peg) => this.put(peg),
      fill: (peg) => this.edit((draft) => drafting.fill(draft, peg), "place"),
      choose: (hole) => this.edit((draft) => drafting.moveTo(draft, hole)),
      perform: (action) => this.perform(action),
      submit: () => this.submit(),
      copy: (row) => this.copy(row),
      answer: ({ black, white }) => this.send({ type: "answer", black, white }),
      act: (action) => this.act(action),
      peek: (on) => {
        this.peeking = on;
        this.render();
      },
    });
    draggable(desk.element, {
      drop: ({ peg, hole, from }) =>
        this.edit((draft) => (from === null ? drafting.place(draft, peg, hole) : drafting.swap(draft, from, hole)), "place"),
      discard: (hole) => this.edit((draft) => drafting.clear(draft, hole)),
    });
    this.setUpPage(desk);
    return desk;
  }

  /** @param {Desk} desk */
  setUpPage(desk) {
    const { board } = this.table;
    find("#table").replaceChildren(desk.element);
    showOver(desk.top);
    setUpLook(board);
    const open = element("button", { type: "button", class: "plain", "aria-label": "Help", onclick: () => this.help() }, "?");
    find(".tools").append(open);
    listenToKeys(board, {
      listens: () => !this.curtain?.isDrawn,
      place: (peg) => {
        this.put(peg);
        desk.hand.takeKeyboard();
      },
      perform: (action) => this.perform(action),
      rove: (step) => desk.hand.rove(step),
    });
    desk.panel.append(commandBox((text) => this.typed(text)));
  }

  render() {
    if (!this.desk || !this.chair.view) return;
    const { table } = this;
    this.desk.update({
      table,
      draft: this.row.draft,
      shared: this.shared,
      masked: this.isMasked(),
      busy: this.chair.busy,
      actions: this.actions(),
    });
    this.desk.hand.followFocus();
    recheck();
    this.tick();
    document.title = `${headline(table)} · keypeg`;
  }

  tick() {
    const { view } = this.chair;
    if (!view || !this.desk) return;
    const left = timeLeft(view, Date.now());
    this.desk.updateClock(left);
    this.desk.updateActions(this.actions());
    this.desk.banner.update(this.chair, this.shared);
    if (left !== null) this.keepTurn(left);
  }

  /** @param {string} name */
  async sit(name) {
    const seat = freeSeat(this.table);
    try {
      await takeSeat(this.id, seat, name || DEFAULT_NAMES[seat]);
      keepPreferences({ name });
      location.reload();
    } catch (problem) {
      notify(/** @type {Problem} */ (problem).message);
    }
  }

  /** Whether the player's own secret must not be shown. */
  isMasked() {
    return this.shared && !this.peeking;
  }

  inHand() {
    const { hand } = situation(this.table);
    return hand === "guess" || hand === "secret";
  }

  /**
   * Place a peg in the hole with the cursor.
   * @param {number} peg
   */
  put(peg) {
    if (peg === BLANK && !this.table.board.blanks) return notify("Blanks are off on this board.");
    this.edit((draft) => drafting.place(draft, peg), "place");
  }

  /**
   * Change the draft, or the next one while a row is being checked.
   * @param {(draft: Draft) => Draft} change
   * @param {"place"} [sound]
   */
  edit(change, sound) {
    if (!this.inHand()) return;
    if (this.chair.busy) return this.row.postpone(change);
    const before = this.row.draft;
    this.row.change(situation(this.table), change);
    const masked = this.isMasked() && situation(this.table).hand === "secret";
    this.narration.filled(before, this.row.draft, this.table, masked, this.desk?.hand.isFocused ?? false);
    if (sound) play(sound);
    this.render();
  }

  /** @param {number} row */
  copy(row) {
    const code = lastGame(this.table).rows[row - 1]?.code;
    if (!code) return notify("There is no row to copy.");
    if (situation(this.table).hand === "guess") this.edit((draft) => drafting.copy(draft, code), "place");
  }

  submit() {
    const { hand } = situation(this.table);
    if (hand !== "guess" && hand !== "secret") return;
    if (this.chair.busy) return this.row.postponeCheck();
    const why = this.whyNotReady(hand);
    if (why) return void notify(`${why}.`, () => this.whyNotReady(hand) === why);
    this.play(hand, drafting.pegs(this.row.draft));
  }

  /** @param {"guess" | "secret"} hand */
  whyNotReady(hand) {
    return drafting.whyNotReady(this.row.draft, this.table.board, hand === "secret" && this.isMasked());
  }

  /**
   * @param {"guess" | "secret"} hand
   * @param {number[]} code
   */
  play(hand, code) {
    play("check");
    this.send(hand === "guess" ? { type: "guess", code } : { type: "set-secret", code });
  }

  /** @param {Command} command */
  async send(command) {
    const { chair } = this;
    if (chair.busy) return;
    chair.busy = true;
    this.render();
    const reply = await chair.send(command);
    chair.busy = false;
    // On a shared device the next player may have started by now, with another row.
    const eager = chair === this.chair && this.row.catchUp(situation(this.table), reply.done);
    if (!reply.done) notify(reply.message);
    this.render();
    if (eager) this.submit();
  }

  /**
   * Send what is about the time, and no move: the row can be filled and checked meanwhile.
   * @param {Command} command
   */
  async arrange(command) {
    if (this.arranging) return;
    this.arranging = true;
    const reply = await this.chair.send(command);
    this.arranging = false;
    if (!reply.done) notify(reply.message);
  }

  /** @param {Action} action */
  async act(action) {
    switch (action) {
      case "hint":
        return void this.hint();
      case "propose-limit":
        return void this.chooseLimit();
      case "offer-time":
        return void this.arrange({ type: action, seconds: 60 });
      case "accept-limit":
        return void this.arrange({ type: action, seconds: this.table.status.proposal?.seconds ?? null });
      case "decline-limit":
      case "withdraw-limit":
        return void this.arrange({ type: action });
    }
    if (!(await this.isMeant(action))) return;
    // On a shared device, one press offers the rematch for both players.
    if (action === "rematch") this.others().forEach((chair) => chair.send({ type: action }));
    this.send({ type: action });
  }

  /**
   * Ask for confirmation of what cannot be undone.
   * @param {Action} action
   * @returns {Promise<boolean>}
   */
  async isMeant(action) {
    if (action === "resign") return confirmed("Give up?", resignTerms(this.table), "Give up");
    if (action === "claim") return confirmed("Claim the series?", claimTerms(this.table), "Claim the series");
    if (action !== "challenge") return true;
    const { challengeTerms } = await import("../game/challenge.js").catch(() => ({ challengeTerms: null }));
    if (challengeTerms) return confirmed("Challenge?", challengeTerms(this.table), "Challenge");
    notify(UNREACHABLE);
    return false;
  }

  /** On a shared device both players agree at once. @param {string} [typed] */
  async chooseLimit(typed) {
    if (document.querySelector("dialog[open]")) return;
    const { limitOf } = await import("../view/limitdialog.js").catch(() => ({ limitOf: null }));
    if (!limitOf) return notify(UNREACHABLE);
    const chosen = await limitOf(typed, this.table, this.shared);
    if (!chosen) return;
    await this.arrange({ type: "propose-limit", ...chosen });
    this.others().forEach((chair) => chair.send({ type: "accept-limit", ...chosen }));
  }

  others() {
    return this.chairs.filter((chair) => chair !== this.chair);
  }

  // Help, hints and the terms of a challenge are loaded on demand, to keep the page small.

  async help() {
    this.helping ??= import("../view/help.js").then(({ helpDialog }) => helpDialog(this.table.board));
    const dialog = await this.helping.catch(() => (this.helping = null));
    if (dialog) dialog.showModal();
    else notify(UNREACHABLE);
  }

  async hint() {
    const { seat, board } = this.table;
    // Not by an event: that a dialog was closed is told only a moment later, when a key may have been pressed.
    if (!seat || this.asking || document.querySelector("dialog[open]")) return;
    this.asking = true;
    const { hintDialog } = await import("../view/hint.js").catch(() => ({ hintDialog: null }));
    this.asking = false;
    if (!hintDialog) return notify(UNREACHABLE);
    const { rows } = lastGame(this.table);
    const ask = (/** @type {import("../wire.js").Grade} */ grade) => {
      const id = newId();
      // All attempts have the same id, so the hint is counted once, when it is given.
      return patiently(() => askHint(this.id, seat, grade, id));
    };
    hintDialog(board, rows, this.row.draft, ask, (code) => this.edit((draft) => drafting.copy(draft, code)));
  }

  /**
   * On a shared device: show the curtain when it is the other player's turn; and after a reload, if there
   * is a secret, since anybody may have reloaded the page.
   */
  handOver() {
    if (!this.curtain) return;
    const { seat, status } = this.table;
    const { seal, revealed } = lastGame(this.table);
    const next = status.turn ?? status.waits_for;
    const isHere = next === seat && (this.isKnown || seal === null || revealed);
    const chair = this.chairs.find((one) => one.view?.table.seat === next);
    this.isKnown ||= isHere || !chair;
    if (isHere || !next || !chair) return;
    const task = TASKS[status.phase ?? "over"];
    this.curtain.draw(nameOf(this.table, next), `It is their turn ${task}.`, () => this.takeOver(chair));
  }

  /**
   * On a shared device: go on with the player of this chair.
   * @param {Chair} chair
   */
  takeOver(chair) {
    this.chair = chair;
    this.isKnown = true;
    this.peeking = false;
    this.changed(chair, []);
    this.desk?.start().focus();
    this.giveTimeBack();
  }

  /**
   * On a shared device: let no turn run out during a hand-over, unless nobody takes the device.
   * @param {number} left the milliseconds left of the turn
   */
  keepTurn(left) {
    if (!this.curtain?.isDrawn || Date.now() - this.curtain.drawnAt > LONGEST_HAND_OVER_MS) return;
    if (this.curtain.uncounted() >= left) this.giveTimeBack();
  }

  /** Give the time of the hand-over back to the player whose turn it is. */
  giveTimeBack() {
    const { due, turn } = this.table.status;
    if (!this.curtain || due === null) return;
    const seconds = Math.min(this.curtain.count(), MOST_SECONDS);
    const opponent = this.chairs.find(({ view }) => view?.table.seat !== turn);
    opponent?.send({ type: "offer-time", seconds });
  }

  /** @param {import("../look/keys.js").KeyAction} action */
  perform(action) {
    const change = drafting.BY_KEY[action];
    if (change) return this.edit((draft) => change(draft, symbols(this.table.board)));
    switch (action) {
      case "copy":
        return this.copy(lastGame(this.table).rows.length);
      case "check":
        return this.submit();
      case "hint":
        return void (this.actions().includes("hint") && this.hint());
      case "read":
        return this.read(lastGame(this.table).rows.length);
      case "labels":
        return notify(`On the pegs: ${nextLabels()}.`);
      case "help":
        return void this.help();
    }
  }

  actions() {
    return this.chair.view ? actions(this.chair.view, Date.now()) : [];
  }

  /** @param {number} row */
  read(row) {
    const { rows } = lastGame(this.table);
    const played = rows[row - 1];
    if (played) notify(describeRow(played, row, this.table.board));
    else notify(rows.length === 0 ? "No row has been played yet." : `There is no row ${row}; the last is row ${rows.length}.`);
  }

  /** @param {string} text */
  async typed(text) {
    const { obey } = await import("./typed.js").catch(() => ({ obey: null }));
    if (obey) obey(text, this);
    else notify(UNREACHABLE);
  }
}

function movesCalmly() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches || !readPreferences().motion;
}

applyPreferences(readPreferences());
new TablePage(location.pathname.split("/")[2]);
