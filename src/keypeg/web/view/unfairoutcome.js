/** The end of a game against the unfair maker: the result to share, the codes left after each row, the record. */

import { codeCount, counted } from "../game/board.js";
import { resultWords } from "../game/daily.js";
import { codesLeftWords, fewestRows, isBroken, NO_SEAL, unfairRecord, unfairShareText } from "../game/unfair.js";
import { codesLeftChart } from "./chart.js";
import { element } from "./element.js";
import { strip } from "./reading.js";
import { copyButton, shareButtons } from "./sharebuttons.js";

/** @typedef {import("../game/unfair.js").UnfairGame} UnfairGame */

/**
 * @param {UnfairGame} game which is over
 * @param {string} link
 * @param {() => void} again
 */
export function unfairResult(game, link, again) {
  const { board, rows, left } = game;
  const broken = isBroken(game);
  const fewest = fewestRows(board);
  const figures = [
    ["You", broken ? String(rows.length) : "–"],
    ...(fewest ? [["The fewest", fewest.least === fewest.play.length ? String(fewest.least) : `${fewest.least} or ${fewest.play.length}`]] : []),
  ];
  return element(
    "section",
    { class: "card stack", "aria-label": "The result" },
    element("h2", { tabindex: -1 }, resultWords(broken ? rows.length : 0)),
    !broken && element("p", {}, `${counted(left.length, "code")} still fit all rows. The maker now says that this is its code:`),
    strip("Code", left[0], null, board, "="),
    element("dl", { class: "compared" }, ...figures.map(([who, value]) => element("div", {}, element("dt", {}, who), element("dd", {}, value)))),
    element("div", { class: "buttons" }, ...shareButtons(unfairShareText(game, link), "Copied, without spoilers"), element("button", { type: "button", onclick: again }, "Play again")),
  );
}

/** @param {UnfairGame} game which is over */
export function unfairDetails(game) {
  const { board, rows } = game;
  const record = unfairRecord(game);
  const fewest = fewestRows(board);
  return [
    element(
      "section",
      { class: "stack" },
      element("h2", {}, "Codes left after each row"),
      codesLeftChart([codeCount(board), ...rows.map((row) => row.left)]),
      element("ol", { class: "rated" }, ...codesLeftWords(game).map((words) => element("li", {}, words))),
    ),
    fewest && element("details", {}, element("summary", {}, `How ${counted(fewest.play.length, "row")} can be enough`), element("div", { class: "strips" }, ...fewest.play.map((code, index) => strip(String(index + 1), code, null, board)))),
    element(
      "details",
      {},
      element("summary", {}, "The record of this game"),
      element("div", { class: "stack" }, element("p", {}, NO_SEAL), element("pre", { class: "scroll", tabindex: 0 }, record), element("div", { class: "buttons" }, copyButton("Copy the record", () => record, "Copied"))),
    ),
  ];
}
