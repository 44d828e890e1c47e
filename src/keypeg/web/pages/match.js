/** The page of a race or a duel: it puts the connection, the row being filled and the view together. */

import { PRESETS, symbols } from "../game/board.js";
import { BLANK } from "../game/colours.js";
import * as drafting from "../game/draft.js";
import { happenings } from "../game/happenings.js";
import { dueOf, me, rowOf, tasks } from "../game/match.js";
import { aim, CHALLENGING, givingUp, headline, openMatch } from "../game/matchwords.js";
import { changedHoles, describeRow } from "../game/rowwords.js";
import { Problem, sentence } from "../live/api.js";
import { joinMatch } from "../live/matches.js";
import { MatchLine } from "../live/matchline.js";
import { RowInHand } from "../live/rowinhand.js";
import { readPreferences } from "../look/preferences.js";
import { play } from "../look/sound.js";
import { confirmed } from "../view/dialog.js";
import { element, find } from "../view/element.js";
import { Lobby } from "../view/lobby.js";
import { applyPreferences, nextLabels, setUpLook } from "../view/look.js";
import { announce, notify, recheck, showOver } from "../view/status.js";

/** @typedef {import("../wire.js").MatchView} MatchView */
/** @typedef {import("../game/draft.js").Draft} Draft */
/** @typedef {import("../game/match.js").Task} Task */
/** @typedef {import("../live/matches.js").Bare<import("../wire.js").MatchCommand>} Command */
/** @typedef {import("../view/matchdesk.js").Action} Action */
/** @typedef {import("../view/matchdesk.js").MatchDesk} MatchDesk */

const TICK_MS = 250;
/** The seconds left that are announced. */
const WARNINGS = [30, 10];
const UNREACHABLE = "The server cannot be reached. Check your network connection.";
const RECONNECTING = "Reconnecting… your row is safe.";
const STALLED = "The server does not answer at the moment. Your move is kept and sent again.";

class MatchPage {
  /** @param {string} id */
  constructor(id) {
    /** @type {Lobby | null} */
    this.lobby = null;
    /** @type {MatchDesk | null} */
    this.desk = null;
    /** The desk while it is loaded. @type {Promise<void> | null} */
    this.loading = null;
    this.row = new RowInHand(PRESETS[0]);
    /** What the player is doing, of what can be done. @type {Task | null} */
    this.task = null;
    /** Whose rows are shown once nothing is to be filled. @type {number | null} */
    this.chosen = null;
    /** The last time left that was announced, in seconds. */
    this.warned = 0;
    this.wasLost = false;
    this.headline = "";
    /** @type {Promise<HTMLDialogElement> | null} */
    this.helping = null;
    this.line = new MatchLine(id, { changed: (before) => this.changed(before), linked: () => this.linked() });
    setInterval(() => this.tick(), TICK_MS);
    addEventListener("offline", () => this.line.connection.drop());
    for (const event of ["online", "pageshow", "focus"]) addEventListener(event, () => this.line.connection.wake());
  }

  get match() {
    const { match } = this.line;
    if (!match) throw new Error("the match has not been received yet");
    return match;
  }

  /** Where the player is, for the row being filled. */
  moment() {
    const { id, you } = this.match;
    const hand = this.task === "guess" || this.task === "secret" ? this.task : null;
    return { hand, row: rowOf(this.match), game: { id: `match-${id}` }, seat: you };
  }

  /** @param {MatchView | null} before */
  changed(before) {
    const { match } = this;
    if (before === null) {
      setUpLook(match.board);
      this.row = new RowInHand(match.board);
    }
    if (match.stage === "waiting" || match.stage === "cancelled") this.showLobby();
    else this.showDesk(before);
    this.tell(before);
    this.keep(before === null);
    document.title = `${headline(match, this.task)} · keypeg`;
    this.linked();
  }

  showLobby() {
    const { match } = this;
    if (!this.lobby) {
      this.lobby = new Lobby(match, { join: (name) => this.join(name), act: (action) => this.begin(action) });
      find("#match").replaceChildren(this.lobby.element);
    }
    this.lobby.update(match);
    // It is there when the match begins. Whoever only looks at the invitation does not need it.
    if (match.you !== null) import("../view/matchdesk.js").catch(() => {});
  }

  /** Put the match among the open games. Loaded on demand. @param {boolean} isFirst whether the page has just been opened */
  async keep(isFirst) {
    const { match } = this;
    if (match.you === null) return;
    const turns = await import("../view/turns.js").catch(() => null);
    turns?.playsIn(match, openMatch(match), isFirst);
  }

  /** @param {MatchView | null} before */
  showDesk(before) {
    this.chooseTask();
    this.row.renew(this.moment());
    // The result is first shown with one's own rows.
    if (this.match.stage === "over" && before?.stage !== "over") this.chosen = null;
    if (this.desk) this.render();
    else this.loading ??= this.loadDesk();
  }

  /** The desk is loaded when the match is played, to keep the page of an invitation small. */
  async loadDesk() {
    const loaded = await import("../view/matchdesk.js").catch(() => null);
    this.loading = null;
    if (!loaded) return notify(UNREACHABLE);
    this.desk = this.makeDesk(loaded.MatchDesk);
    this.render();
    this.linked();
  }

  /** What to do first if there are two things: somebody waits for an answer, unless a row has been begun. */
  chooseTask() {
    const open = tasks(this.match);
    const isBegun = this.row.draft.holes.some((peg, hole) => peg !== null && !this.row.draft.held[hole]);
    const stays = this.task !== null && open.includes(this.task) && (this.task === "answer" || isBegun);
    if (!stays) this.task = open[0] ?? null;
  }

  /** @param {typeof import("../view/matchdesk.js").MatchDesk} Desk */
  makeDesk(Desk) {
    const { board } = this.match;
    const desk = new Desk(board, {
      place: (peg) => this.put(peg),
      fill: (peg) => this.edit((draft) => drafting.fill(draft, peg), "place"),
      choose: (hole) => this.edit((draft) => drafting.moveTo(draft, hole)),
      perform: (action) => this.perform(action),
      submit: () => this.submit(),
      copy: (row) => this.copy(row),
      answer: (row, { black, white }) => this.send({ type: "answer", row, black, white }),
      act: (action) => this.act(action),
      random: () => this.edit((draft) => drafting.copy(draft, randomCode(board)), "place"),
      turnTo: (task) => {
        this.task = task;
        this.row.renew(this.moment());
        this.render();
        desk.start().focus();
      },
      show: (number) => {
        this.chosen = number;
        this.render();
      },
      drop: ({ peg, hole, from }) => this.edit((draft) => (from === null ? drafting.place(draft, peg, hole) : drafting.swap(draft, from, hole)), "place"),
      discard: (hole) => this.edit((draft) => drafting.clear(draft, hole)),
      key: (action) => this.perform(action),
    });
    const hadFocus = this.lobby?.element.contains(document.activeElement) ?? false;
    find("#match").replaceChildren(desk.element);
    scrollTo({ top: 0 });
    if (hadFocus) desk.headline.focus();
    showOver(desk.top);
    find(".tools").append(element("button", { type: "button", class: "plain", "aria-label": "Help", onclick: () => this.help() }, "?"));
    return desk;
  }

  render() {
    const { desk, line } = this;
    if (!desk || !line.match) return;
    desk.update({ match: line.match, draft: this.row.draft, task: this.task, chosen: this.chosen, busy: line.busy });
    desk.hand.followFocus();
    recheck();
    this.tick();
  }

  tick() {
    const { desk, line } = this;
    if (!desk || !line.match) return;
    const due = dueOf(line.match, this.task);
    desk.updateClock(due, line.now);
    desk.lanes.tick(line.match, line.now);
    if (due !== null && this.task) this.warn(Math.ceil((due - line.now) / 1000));
  }

  /** Announce that little time is left, once for each warning. @param {number} seconds */
  warn(seconds) {
    const reached = WARNINGS.findLast((one) => seconds <= one) ?? 0;
    if (reached && reached !== this.warned && seconds > 0 && this.match.row_seconds > reached) announce(`${reached} seconds left.`);
    this.warned = reached;
  }

  /** Tell what has happened. @param {MatchView | null} before */
  tell(before) {
    const { match } = this;
    const words = headline(match, this.task);
    const isNew = words !== this.headline;
    this.headline = words;
    recheck();
    if (before === null && match.you === null && match.stage === "playing") announce("You are watching.");
    for (const { words: told, shown, sound } of happenings(before, match)) {
      // The result is not covered: what led to it is told beside it.
      if (shown && this.desk && match.stage !== "over") notify(told, () => this.headline === words);
      else announce(told);
      if (sound) play(sound);
      if (sound === "broken") this.celebrate();
    }
    // Whose row is to be answered has been told.
    if (isNew && this.task && this.task !== "answer") announce(`${words}.`);
  }

  celebrate() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || !readPreferences().motion) return;
    // Loaded on demand, to keep the page small; the celebration can be missed.
    import("../view/rain.js").then(({ rain }) => rain(this.match.board)).catch(() => {});
  }

  /** The connection, or what is known of it, has changed. */
  linked() {
    // The line tells its first link while it is being made.
    const { line } = /** @type {{ line?: MatchLine }} */ (this);
    if (!line) return;
    if (line.link === "gone") return noSuchMatch();
    if (!line.match) return;
    const isLost = line.link === "reconnecting";
    if (this.wasLost && line.link === "open") announce("Connected again.");
    if (isLost && !this.wasLost) announce(RECONNECTING);
    if (line.link !== "connecting") this.wasLost = isLost;
    const words = this.wasLost ? RECONNECTING : line.stalled ? STALLED : "";
    this.desk?.tell(words);
    this.lobby?.tell(words);
  }

  /** @param {string | null} name */
  async join(name) {
    try {
      const wasPlayer = this.match.you !== null;
      const match = await joinMatch(this.line.id, name);
      if (!wasPlayer) this.line.reconnect();
      this.line.see(match);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.lobby?.complain(sentence(problem.message));
    }
  }

  /** @param {"start" | "leave"} action */
  async begin(action) {
    const { match } = this;
    if (action === "start" && !match.options.includes("start")) return notify("At least two players are needed. Send the link to somebody.");
    if (action === "leave" && match.you === 1 && match.players.length > 1 && !(await confirmed(`Cancel the ${match.kind}?`, `Then nobody can play it.`, `Cancel the ${match.kind}`))) return;
    this.send({ type: action });
  }

  /** @param {Command} command */
  async send(command) {
    const { line } = this;
    if (line.busy) return;
    line.busy = true;
    this.render();
    try {
      const match = await line.send(command);
      const eager = this.row.catchUp(this.moment(), true);
      this.render();
      if (eager) this.submit();
      return match;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.row.catchUp(this.moment(), false);
      notify(sentence(problem.message));
      this.render();
    }
    return null;
  }

  /**
   * Place a peg in the hole with the cursor.
   * @param {number} peg
   */
  put(peg) {
    if (!this.desk) return;
    if (peg === BLANK && !this.match.board.blanks) return notify("Blanks are off on this board.");
    this.edit((draft) => drafting.place(draft, peg), "place");
  }

  /**
   * Change the draft, or the next one while a row is being checked.
   * @param {(draft: Draft) => Draft} change
   * @param {"place"} [sound]
   */
  edit(change, sound) {
    if (!this.desk || (this.task !== "guess" && this.task !== "secret")) return;
    if (this.line.busy) return this.row.postpone(change);
    const before = this.row.draft;
    this.row.change(this.moment(), change);
    announce(changedHoles(before, this.row.draft, this.match.board, false, this.desk.hand.isFocused));
    if (sound) play(sound);
    this.render();
  }

  /** @param {number} row */
  copy(row) {
    const code = this.ownRows()[row - 1]?.code;
    if (!code) return notify("There is no row to copy.");
    if (this.task === "guess") this.edit((draft) => drafting.copy(draft, code), "place");
  }

  ownRows() {
    return me(this.match)?.rows ?? [];
  }

  submit() {
    const { task, match, row } = this;
    if (task !== "guess" && task !== "secret") return;
    if (this.line.busy) return row.postponeCheck();
    const why = drafting.whyNotReady(row.draft, match.board);
    if (why) return void notify(`${why}.`, () => drafting.whyNotReady(this.row.draft, match.board) === why);
    play("check");
    const code = drafting.pegs(row.draft);
    this.send(task === "guess" ? { type: "guess", row: rowOf(match), code } : { type: "secret", code });
  }

  /** @param {Action} action */
  async act(action) {
    const { match } = this;
    if (action === "give-up" && !(await confirmed("Give up?", givingUp(match), "Give up"))) return;
    if (action === "challenge" && !(await this.isDoubted())) return;
    const after = await this.send({ type: action });
    if (action === "another" && after?.next) location.assign(`/match/${after.next}`);
  }

  /** Ask whether an answer is to be challenged, with what contradicts itself. Loaded on demand. */
  async isDoubted() {
    const proof = await import("../game/contradiction.js").catch(() => null);
    if (!proof) return notify(UNREACHABLE), false;
    const found = proof.contradiction(this.match.board, this.ownRows());
    const words = found ? `${proof.cannotBeRight(found.rows)}: no code fits. ` : "";
    return confirmed("Challenge?", `${words}${CHALLENGING}`, "Challenge");
  }

  /** @param {import("../look/keys.js").KeyAction} action */
  perform(action) {
    const change = drafting.BY_KEY[action];
    if (change) return void this.edit((draft) => change(draft, symbols(this.match.board)));
    switch (action) {
      case "copy":
        return this.copy(this.ownRows().length);
      case "check":
        return this.submit();
      case "hint":
        return notify("There are no hints in a race or a duel.");
      case "read":
        return this.read();
      case "labels":
        return notify(`On the pegs: ${nextLabels()}.`);
      case "help":
        return void this.help();
    }
  }

  read() {
    const rows = this.ownRows();
    const last = rows.at(-1);
    notify(last ? describeRow(last, rows.length, this.match.board) : "No row has been played yet.");
  }

  /** Loaded on demand, to keep the page small. */
  async help() {
    this.helping ??= import("../view/help.js").then(({ helpDialog }) => helpDialog(this.match.board, aim(this.match)));
    const dialog = await this.helping.catch(() => (this.helping = null));
    if (dialog) dialog.showModal();
    else notify(UNREACHABLE);
  }
}

/** A code that the page draws, for who wants no other. @param {import("../wire.js").Board} board */
function randomCode(board) {
  const left = symbols(board);
  return Array.from({ length: board.holes }, () => {
    const at = below(left.length);
    return board.repeats ? left[at] : left.splice(at, 1)[0];
  });
}

/** A random whole number, all equally likely. @param {number} end */
function below(end) {
  const most = Math.floor(2 ** 32 / end) * end;
  for (;;) {
    const [drawn] = crypto.getRandomValues(new Uint32Array(1));
    if (drawn < most) return drawn % end;
  }
}

function noSuchMatch() {
  find("#match").replaceChildren(
    element(
      "section",
      { class: "card lonely" },
      element("h1", {}, "Not found"),
      element("p", {}, "The link may be wrong, or this race or duel may have been deleted."),
      element("a", { href: "/race", class: "button primary" }, "Open a race"),
    ),
  );
}

applyPreferences(readPreferences());
new MatchPage(location.pathname.split("/")[2]);
