/** The review of a finished game, from a table, from a match, or from a record that is pasted or opened. */

import { answered, isSmall } from "../game/analysis.js";
import { counted, grouped, PRESETS } from "../game/board.js";
import { describeCode, Refusal } from "../game/code.js";
import { describeKeyPegs } from "../game/keypegs.js";
import { nameOf, recorded } from "../game/match.js";
import { breakerOf, parseRecord } from "../game/record.js";
import { sealLine } from "../game/seal.js";
import { luckAndSkill, MARKS, rated, reviewSummary, verdicts, worst } from "../game/verdict.js";
import { keepReview } from "../live/analysedgames.js";
import { askAdvice, askReview, Problem, readRecord, readTable, sentence } from "../live/api.js";
import { setContest } from "../live/handover.js";
import { readMatch } from "../live/matches.js";
import { keptSeries } from "../live/mygames.js";
import { patiently } from "../live/patience.js";
import { isShared } from "../live/seats.js";
import { codesLeftChart } from "../view/chart.js";
import { element, find } from "../view/element.js";
import { setUpLook } from "../view/look.js";
import { keyCluster } from "../view/peg.js";
import { answersFor, asInAGame, Practice } from "../view/practice.js";
import { codeItem, pegRow, strip } from "../view/reading.js";

/** @typedef {import("../wire.js").Board} Board */
/** @typedef {import("../game/record.js").RecordedGame} RecordedGame */
/** @typedef {import("../game/verdict.js").Verdict} Verdict */
/** @typedef {(game: RecordedGame, review: import("../wire.js").Review) => number} Keep stores the review of a game; returns how many mistakes are new */

const SHOWN_CODES = 60;

class Review {
  /**
   * @param {Board} board
   * @param {RecordedGame} game
   * @param {Keep} keep
   */
  constructor(board, game, keep) {
    this.board = board;
    this.game = game;
    this.keep = keep;
    /** @type {Verdict[]} */
    this.all = [];
    this.words = element("div", { class: "stack", "aria-live": "polite" });
    this.steps = element("div", { class: "buttons" }, this.step("Previous row", -1), this.step("Next row", 1), game.secret && this.again(game.secret), game.secret && this.handOver(game.secret));
    this.detail = element("section", { class: "card stack", "aria-label": "The row" }, this.words, this.steps);
    this.buttons = /** @type {HTMLButtonElement[]} */ ([]);
    this.list = element("ol", { class: "review-rows", "aria-label": "Rows" });
    this.chart = element("div", {});
    this.summary = element("p", { class: "summary" }, "The solver is thinking…");
    this.practice = element("p", {});
    const seal = sealLine(board, game);
    this.element = element(
      "div",
      { class: "review" },
      element(
        "div",
        { class: "stack" },
        game.secret && strip("Code", game.secret, null, board),
        Boolean(seal) && element("p", { class: "seal" }, seal),
        element("p", { class: "reason columns", "aria-hidden": "true" }, element("span", {}, "row"), element("span", {}, "codes left after it")),
        this.list,
      ),
      this.detail,
      element(
        "div",
        { class: "stack" },
        this.chart,
        element("p", { class: "reason" }, "Codes left after each row, on a logarithmic scale."),
        this.summary,
        this.practice,
      ),
    );
    /** The index of the row that is shown, and whether the user chose it. */
    this.at = 0;
    this.chosen = false;
    if (isSmall(board)) this.found(verdicts(board, game.rows), luckAndSkill(board, game.rows));
    this.rate();
  }

  /**
   * @param {Verdict[]} all
   * @param {string} summary
   */
  found(all, summary) {
    this.summary.textContent = summary;
    if (all.length === 0) return;
    this.all = all;
    const focused = this.buttons.findIndex((button) => button === document.activeElement);
    this.buttons = all.map((verdict, at) => this.button(verdict, at));
    this.list.replaceChildren(...this.buttons.map((button) => element("li", {}, button)));
    this.buttons[focused]?.focus();
    this.chart.replaceChildren(codesLeftChart([all[0].review.before, ...all.map(({ review }) => review.after)]));
    this.show(this.chosen ? this.at : all.indexOf(worst(all)));
  }

  /** @param {number} at */
  choose(at) {
    this.chosen = true;
    if (!this.words.isConnected) this.detail.replaceChildren(this.words, this.steps);
    this.show(Math.min(Math.max(at, 0), this.all.length - 1));
  }

  /** Replace the browser's verdicts, which look one guess ahead, by those of the solver. */
  async rate() {
    const { board, game, all } = this;
    try {
      const review = await patiently(() => askReview(board.name, answered(game.rows)));
      this.found(rated(board, game.rows, review, all), reviewSummary(review, answered(game.rows).length));
      const found = this.keep(game, review);
      if (found) this.practice.replaceChildren(`${counted(found, "row")} of this game ${found === 1 ? "is" : "are"} now among `, element("a", { href: "/mistakes" }, "My mistakes"), ", to practise.");
    } catch (problem) {
      if (all.length === 0) this.summary.textContent = /** @type {Error} */ (problem).message;
    }
  }

  /**
   * @param {Verdict} verdict
   * @param {number} at
   */
  button(verdict, at) {
    const { row, code, keys, review, mark } = verdict;
    return element(
      "button",
      {
        type: "button",
        class: "review-row",
        "aria-label": `Row ${row}: ${describeCode(code, this.board)}. ${describeKeyPegs(keys, this.board)}. ${counted(review.after, "code")} left. ${MARKS[mark].words}`,
        onclick: () => {
          this.choose(at);
          // In a small window it may be below.
          this.words.firstElementChild?.scrollIntoView({ block: "nearest" });
        },
      },
      element("span", {}, String(row)),
      pegRow(code, this.board),
      keyCluster(keys, this.board),
      element("span", { class: "left" }, grouped(review.after)),
      element("span", { title: MARKS[mark].words }, MARKS[mark].sign),
    );
  }

  /** @param {number} at */
  show(at) {
    this.at = at;
    const { row, mark, words, left, best } = this.all[at];
    this.buttons.forEach((button, index) => button.setAttribute("aria-current", String(index === at)));
    const parts = [
      element("h2", {}, `Row ${row}: ${MARKS[mark].words}`),
      ...words.map((line) => element("p", {}, line)),
      ...(best && mark !== "best" ? [strip("Better", best, null, this.board), ...(isSmall(this.board) ? [] : [this.reason(at)])] : []),
      ...(left.length ? [this.codes(left)] : []),
    ];
    this.words.replaceChildren(...parts);
  }

  /** @param {number[][]} left */
  codes(left) {
    const codes = left.slice(0, SHOWN_CODES).map((code) => codeItem(code, this.board));
    const more = left.length > SHOWN_CODES ? `, the first ${SHOWN_CODES} of ${grouped(left.length)}` : "";
    return element("details", {}, element("summary", {}, `The codes possible at this point${more}`), element("ul", { class: "code-list" }, ...codes));
  }

  /**
   * The solver's reason for the best guess, for boards where the browser has none.
   * @param {number} at
   */
  reason(at) {
    const words = element("p", {}, "…");
    patiently(() => askAdvice(this.board.name, this.before(at)))
      .then(({ why }) => (words.textContent = sentence(why)))
      .catch(() => words.remove());
    return words;
  }

  /**
   * The answered rows before the row with this index.
   * @param {number} at
   */
  before(at) {
    return answered(this.game.rows).slice(0, at);
  }

  /**
   * @param {string} words
   * @param {number} by
   */
  step(words, by) {
    return element("button", { type: "button", onclick: () => this.choose(this.at + by) }, words);
  }

  /** @param {number[]} secret */
  handOver(secret) {
    return element("button", { type: "button", onclick: () => setContest({ board: this.board.name, code: secret }) }, "Set this code for others");
  }

  /** @param {number[]} secret */
  again(secret) {
    const begin = () => {
      const practice = new Practice(this.board, answersFor(secret), this.before(this.at), asInAGame(this.board, secret));
      this.detail.replaceChildren(element("h2", {}, "Try again"), practice.element);
      practice.hand.hand.stop.focus();
    };
    return element("button", { type: "button", class: "primary", onclick: begin }, "Try again from here");
  }
}

/**
 * @param {Board} board
 * @param {RecordedGame[]} games
 * @param {RecordedGame} [chosen] the game to show first
 * @param {Keep} [keep]
 * @param {string[]} [titles] what the games are called, if not by their numbers
 */
function showGames(board, games, chosen = games[0], keep = () => 0, titles = games.map((_, at) => `Game ${at + 1}`)) {
  const played = games.filter((game) => answered(game.rows).length > 0);
  if (played.length === 0) throw new Refusal("This record has no answered rows, so there is nothing to review.");
  setUpLook(board);
  const content = element("div", {});
  const show = (/** @type {RecordedGame} */ game) => {
    content.replaceChildren(new Review(board, game, keep).element);
    tabs.forEach((tab, index) => tab.setAttribute("aria-pressed", String(played[index] === game)));
  };
  const tabs = played.map((game, index) => element("button", { type: "button", onclick: () => show(game) }, titles[games.indexOf(game)] ?? `Game ${index + 1}`));
  find("#review").replaceChildren(element("div", { class: "stack" }, ways(), played.length > 1 && element("div", { class: "buttons" }, ...tabs), content));
  show(played.includes(chosen) ? chosen : played[0]);
}

/** Where to go from here: back to the table or the match, if the game is from one, or to other games. */
function ways() {
  const id = tableAsked();
  const match = matchPath;
  return element(
    "nav",
    { class: "buttons", "aria-label": "From here" },
    id !== null && element("a", { class: "button", href: `/table/${id}` }, "Back to the table"),
    match !== null && element("a", { class: "button", href: match }, "Back to the match"),
    element("a", { class: "button", href: "/games" }, "My games"),
    element("a", { class: "button", href: "/mistakes" }, "My mistakes"),
    element("a", { class: "button", href: "/review" }, "Review another game"),
  );
}

function tableAsked() {
  return new URLSearchParams(location.search).get("table");
}

/** Where the match is that is reviewed. @type {string | null} */
let matchPath = null;

function matchAsked() {
  return new URLSearchParams(location.search).get("match");
}

/** Ask for a record. Returns the place for what is wrong. */
function askForRecord() {
  const problem = element("p", { class: "wrong", role: "alert" });
  const text = element("textarea", { id: "record", spellcheck: "false", placeholder: "keypeg record 1\nboard: classic\n\nsecret RD WH BU GN\nguess WH YW BU BK\n…" });
  const read = () => attempt(problem, () => {
    const { board, games } = parseRecord(text.value);
    showGames(board, games);
  });
  const file = element("input", {
    type: "file",
    id: "file",
    accept: ".txt,text/plain",
    onchange: async () => {
      text.value = (await file.files?.[0]?.text()) ?? "";
      read();
    },
  });
  find("#review").replaceChildren(
    element(
      "section",
      { class: "stack" },
      element("p", { class: "lead" }, "You can review every finished game from its table. Here you can review a game from a text record."),
      element("label", { for: "record" }, "A record as text"),
      text,
      element("label", { for: "file" }, "or a file"),
      file,
      problem,
      element("div", { class: "buttons" }, element("button", { type: "button", class: "primary", onclick: read }, "Review")),
      element("p", {}, element("a", { href: "/games" }, "My games"), " lists the series you finished here."),
    ),
  );
  return problem;
}

/**
 * @param {HTMLElement} problem
 * @param {() => void} action
 */
function attempt(problem, action) {
  try {
    action();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    problem.textContent = error.message;
  }
}

/**
 * The games of a table: of the series with this number if it is finished, else of the current one. What
 * they cost is kept if they are the player's own.
 * @param {string} id
 * @param {number | null} series
 */
async function gamesOf(id, series) {
  if (series === null) {
    const { board, games, seat } = await readTable(id);
    const own = games.filter(({ maker }) => maker !== seat).map((game) => game.id);
    return { board, games: games.filter((game) => game.revealed), keep: keeper(id, board, seat ? own : [], Date.now()) };
  }
  const { board, games, firstMaker } = parseRecord(await readRecord(id, series));
  const kept = keptSeries().find((one) => one.id === `${id}-${series}`);
  const own = kept?.seat ? games.filter((game) => breakerOf(game, firstMaker) === kept.seat).map((game) => game.id) : [];
  return { board, games, keep: keeper(id, board, own, kept?.at ?? 0) };
}

/**
 * The games of the players of a match that is over. What one's own cost is kept.
 * @param {string} id
 */
async function gamesIn(id) {
  const match = await readMatch(id);
  if (match.stage !== "over") throw new Refusal("This match is not over yet. Once it is, it can be reviewed.");
  matchPath = `/match/${match.id}`;
  const players = match.players.filter((player) => player.rows?.some(({ black }) => black !== null));
  const games = players.map((player) => recorded(match, player));
  const mine = games[players.findIndex(({ you }) => you)];
  /** @type {Keep} */
  const keep = (game, review) => (game === mine ? keepReview(game, match.board, review, match.begun ?? match.created) : 0);
  return { board: match.board, games, keep, titles: players.map(({ number }) => nameOf(match, number)), numbers: players.map(({ number }) => number) };
}

/**
 * @param {string} table
 * @param {Board} board
 * @param {string[]} own the ids of the games in which the player broke the code
 * @param {number} at when they were played
 * @returns {Keep}
 */
function keeper(table, board, own, at) {
  return (game, review) => (own.includes(game.id) && !isShared(table) ? keepReview(game, board, review, at) : 0);
}

async function start() {
  const asked = new URLSearchParams(location.search);
  const id = tableAsked();
  setUpLook(PRESETS[0]);
  const match = matchAsked();
  if (!id && !match) return void askForRecord();
  find("#review").replaceChildren(element("p", { class: "lead" }, "Loading the game…"));
  try {
    if (match) {
      const { board, games, keep, titles, numbers } = await gamesIn(match);
      return showGames(board, games, games[numbers.indexOf(Number(asked.get("player")))], keep, titles);
    }
    const series = asked.get("series");
    const { board, games, keep } = await gamesOf(id ?? "", series === null ? null : Number(series));
    showGames(board, games, games[Number(asked.get("game") ?? 1) - 1], keep);
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof Problem)) throw error;
    askForRecord().textContent = error.message;
  }
}

start();
