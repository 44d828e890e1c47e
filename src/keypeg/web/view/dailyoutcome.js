/** The outcome of a daily code: the result to share, everybody's rows, loss and luck, the optimum, the seal. */

import { counted } from "../game/board.js";
import { dailyAddress, resultWords, shareText } from "../game/daily.js";
import { LEAST_LOSS, mistakesOf } from "../game/mistake.js";
import { sealLine } from "../game/seal.js";
import { MARKS, rated, reviewSummary } from "../game/verdict.js";
import { keepReview, MISTAKES } from "../live/analysedgames.js";
import { askReview } from "../live/api.js";
import { gameIdOf, timeOf } from "../live/dailyresults.js";
import { setContest } from "../live/handover.js";
import { patiently } from "../live/patience.js";
import { element } from "./element.js";
import { answersFor, asInAGame, Practice } from "./practice.js";
import { strip } from "./reading.js";
import { shareButtons } from "./sharebuttons.js";

/** @typedef {import("../wire.js").DailyView} DailyView */
/** @typedef {import("../wire.js").DailyEnding} DailyEnding */

/**
 * The result in short, to share.
 * @param {DailyView} day which is done
 * @param {Node | null} next what is shown below it
 */
export function dailyResult(day, next) {
  const ending = endingOf(day);
  const text = shareText(day, location.origin + dailyAddress(day.board.name, day.date));
  return element(
    "section",
    { class: "card stack", "aria-label": "The result" },
    element("h2", { tabindex: -1 }, resultWords(ending.broken ? day.rows.length : 0)),
    strip("Code", ending.code, null, day.board, "="),
    compared(day, ending),
    element("div", { class: "buttons" }, ...shareButtons(text, "Copied, without spoilers")),
    next,
  );
}

/**
 * Everybody's rows, loss and luck, the optimum, the seal, and a replay.
 * @param {DailyView} day which is done
 */
export function dailyDetails(day) {
  const ending = endingOf(day);
  const { board, rows } = day;
  const needed = ending.broken ? rows.length : 0;
  return element(
    "div",
    { class: "stack" },
    element("section", { class: "stack" }, element("h2", {}, "Everybody's rows"), ...distribution(ending, day.counts ? needed : null, board.rows)),
    ratings(day),
    optimum(day, ending),
    element("p", { class: "seal" }, sealLine(board, { id: day.game, seal: day.seal, secret: ending.code, nonce: ending.nonce })),
    replay(day, ending),
  );
}

/** @param {DailyView} day */
function endingOf({ ending }) {
  if (!ending) throw new Error("the code is not done");
  return ending;
}

/**
 * This player beside everybody else and the book, in rows.
 * @param {DailyView} day
 * @param {DailyEnding} ending
 */
function compared({ rows }, { broken, distribution: counts, optimum: best }) {
  const average = averageRows(counts);
  const figures = [["You", broken ? String(rows.length) : "–"], ...(average === null ? [] : [["Everybody", average.toFixed(1)]]), ["The book", String(best.length)]];
  return element("dl", { class: "compared" }, ...figures.map(([who, value]) => element("div", {}, element("dt", {}, who), element("dd", {}, value))));
}

/**
 * The rows that those who broke the code needed on average; null if fewer than two did.
 * @param {DailyEnding["distribution"]} counts
 */
function averageRows(counts) {
  const broken = counts.flatMap(({ rows, players }) => (rows === null ? [] : [{ rows, players }]));
  const players = broken.reduce((sum, one) => sum + one.players, 0);
  return players < 2 ? null : broken.reduce((sum, one) => sum + one.rows * one.players, 0) / players;
}

/**
 * @param {DailyEnding} ending
 * @param {number | null} mine the rows that this player needed; null if they do not count
 * @param {number} most the rows of the board
 */
function distribution({ distribution: counts }, mine, most) {
  const players = counts.reduce((sum, one) => sum + one.players, 0);
  if (players === 0) return [element("p", {}, "Nobody played this code on its day.")];
  const tallest = Math.max(...counts.map((one) => one.players));
  const needed = counts.map((one) => one.rows ?? most + 1);
  const from = Math.min(...needed);
  const labels = Array.from({ length: Math.max(...needed) - from + 1 }, (_, index) => from + index);
  const bars = labels.map((rows) => {
    const found = counts.find((one) => (one.rows ?? most + 1) === rows)?.players ?? 0;
    const fill = element("span", { class: "bar-fill" });
    fill.style.setProperty("--part", String(found / tallest));
    const isMine = mine !== null && (mine || most + 1) === rows;
    const label = rows > most ? "not broken" : `${rows} row${rows === 1 ? "" : "s"}`;
    return element("div", { class: isMine ? "mine" : null }, element("span", {}, label), fill, element("span", {}, `${found}${isMine ? (found === 1 ? ": you" : ", you too") : ""}`));
  });
  const average = averageRows(counts);
  const told = average === null ? "" : ` Those who broke it needed ${average.toFixed(1)} rows on average.`;
  return [element("p", {}, `${counted(players, "player")} so far.${told}`), element("div", { class: "bars" }, ...bars)];
}

/**
 * Loss and luck of each row, by the solver. Costly rows are kept to practise, as in any game; a code that
 * counts is part of the player's progress.
 * @param {DailyView} day
 */
function ratings({ board, rows, number, counts }) {
  const summary = element("p", { "aria-live": "polite" }, "The solver is thinking…");
  const list = element("ol", { class: "rated" });
  const costly = element("p", { hidden: true }, `A row that cost ${LEAST_LOSS} guesses or more comes back under `, element("a", { href: "/mistakes" }, "My mistakes"), ".");
  patiently(() => askReview(board.name, rows))
    .then((review) => {
      const id = gameIdOf(number, board.name);
      if (counts) keepReview({ id, rows }, board, review, timeOf(number));
      else MISTAKES.keep(mistakesOf(id, Date.now(), board, rows, review));
      summary.textContent = reviewSummary(review, rows.length);
      costly.hidden = !review.rows.some(({ loss }) => loss >= LEAST_LOSS);
      const all = rated(board, rows, review, []);
      list.replaceChildren(
        ...all.map(({ row, mark, words }) =>
          element("li", { value: row }, element("strong", {}, `${MARKS[mark].sign} ${MARKS[mark].words}`), ` ${words.join(" ")}`),
        ),
      );
    })
    .catch((problem) => (summary.textContent = problem.message));
  return element("section", { class: "stack" }, element("h2", {}, "Your rows: loss and luck"), summary, list, costly);
}

/**
 * @param {DailyView} day
 * @param {DailyEnding} ending
 */
function optimum({ board }, { optimum: rows }) {
  const count = `${rows.length} row${rows.length === 1 ? "" : "s"}`;
  return element(
    "details",
    {},
    element("summary", {}, `The strategy book needs ${count}`),
    element("p", {}, "The book needs the fewest rows on average over all codes; for one code, a lucky player can be faster."),
    element("div", { class: "strips" }, ...rows.map((row, index) => strip(String(index + 1), row.code, row, board))),
  );
}

/**
 * @param {DailyView} day
 * @param {DailyEnding} ending
 */
function replay({ board }, { code }) {
  const place = element("div", {});
  const begin = () => {
    const practice = new Practice(board, answersFor(code), [], asInAGame(board, code));
    place.replaceChildren(practice.element);
    practice.hand.hand.stop.focus();
  };
  const button = element("button", { type: "button", onclick: begin }, "Play it again");
  const send = element("button", { type: "button", onclick: () => setContest({ board: board.name, code }) }, "Set it for others");
  return element("section", { class: "stack", "aria-label": "Replay" }, element("p", {}, "Playing it again is a replay, and does not count."), element("div", { class: "buttons" }, button, send), place);
}
