/** Carries out the commands that are typed at a table. Loaded on demand, to keep the page small. */

import { Refusal } from "../game/code.js";
import { parseCommand } from "../game/command.js";
import { headline, whereabouts } from "../game/sentences.js";
import { situation } from "../game/situation.js";
import { lastGame } from "../game/table.js";
import { notify } from "../view/status.js";

/** @typedef {import("./table.js").TablePage} TablePage */

/**
 * @param {string} text
 * @param {TablePage} page
 */
export function obey(text, page) {
  try {
    carryOut(parseCommand(text, page.table.board), page);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    notify(error.message);
  }
}

/**
 * @param {import("../game/command.js").Typed} command
 * @param {TablePage} page
 */
function carryOut(command, page) {
  const { table } = page;
  const { hand } = situation(table);
  switch (command.do) {
    case "guess":
    case "secret":
      if (hand !== command.do) return notify(`${headline(table)}.`);
      return page.play(command.do, command.code);
    case "answer":
      return void page.send({ type: "answer", black: command.black, white: command.white });
    case "row":
      return page.read(command.row);
    case "copy":
      if (hand !== "guess") return notify(`${headline(table)}.`);
      return page.copy(command.row);
    case "check":
      if (hand !== "guess" && hand !== "secret") return notify(`${headline(table)}.`);
      return page.submit();
    case "last":
      return page.read(lastGame(table).rows.length);
    case "where":
      return notify(whereabouts(table));
    case "help":
      return void page.help();
    case "next":
      return void page.act("next-game");
    case "limit":
      return void page.chooseLimit(command.text);
    default:
      return void page.act(command.do);
  }
}
