/** All texts about a table, as pure functions. The page only shows them. */

import { counted, darkKeyPeg } from "./board.js";
import { describeCode } from "./code.js";
import { DEFAULT_NAMES } from "./names.js";
import { clock, describeRow } from "./rowwords.js";
import { awayFor, isAway, situation } from "./situation.js";
import { isForfeited, lastGame, other } from "./table.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {import("../wire.js").Game} Game */
/** @typedef {import("../wire.js").TableEvent} TableEvent */
/** @typedef {import("./table.js").View} View */

/**
 * @param {Table} table
 * @param {Seat} seat
 */
export function nameOf(table, seat) {
  const place = table[seat];
  if (place.level) return "Computer";
  return place.name ?? DEFAULT_NAMES[seat];
}

/**
 * The current state of the table, in one line.
 * @param {Table} table
 * @returns {string}
 */
export function headline(table) {
  const { seat, hand, over, finished, row } = situation(table);
  const { status } = table;
  if (status.stage === "waiting") return waiting(table);
  if (finished) return result(table);
  if (over) return ending(table, lastGame(table));
  if (hand) return { secret: "Choose your secret code", guess: `Your turn: row ${row}`, answer: `Answer row ${row} with key pegs` }[hand];
  const turn = status.turn;
  if (!turn) return "One moment…";
  const name = nameOf(table, turn);
  if (status.phase === "secret") return `${name} is choosing the secret code`;
  if (status.phase === "answer") return `${name} is answering row ${row}`;
  return seat ? `${name} is breaking your code` : `${name} is on row ${row}`;
}

/** @param {Table} table */
function waiting(table) {
  if (table.seat) return "Waiting for a friend";
  const host = table.one.taken ? "one" : table.two.taken ? "two" : null;
  return host ? `${nameOf(table, host)} invites you to a game` : "Nobody has sat down yet";
}

/**
 * How a game ended.
 * @param {Table} table
 * @param {Game} game
 * @returns {string}
 */
export function ending(table, game) {
  const breaker = other(game.maker);
  const iBroke = table.seat === breaker;
  const iMade = table.seat === game.maker;
  const whose = iMade ? "your code" : "the code";
  const they = nameOf(table, breaker);
  const maker = nameOf(table, game.maker);
  const rows = counted(game.rows.length, "row");
  switch (game.ending) {
    case "broken":
      return iBroke ? `You broke the code in ${rows}!` : `${they} broke ${whose} in ${rows}`;
    case "unbroken":
      return iBroke ? "All rows used: the code was not broken" : `${iMade ? "Your" : "The"} code was not broken`;
    case "breaker-resigned":
      return iBroke ? "You gave up this game" : `${they} gave up: ${whose} was not broken`;
    case "maker-resigned":
      return `${iMade ? "You" : maker} gave up this game`;
    case "wrong-information":
      return `Wrong information: 3 points to ${iBroke ? "you" : they}, and the game is replayed`;
    case "breaker-abandoned":
      return `${iBroke ? "You" : they} left the table`;
    case "maker-abandoned":
      return `${iMade ? "You" : maker} left the table`;
    default:
      return "";
  }
}

/**
 * How the series ended.
 * @param {Table} table
 * @returns {string}
 */
export function result(table) {
  const outcome = table.status.result;
  if (!outcome) return "";
  const { winner, points } = outcome;
  if (!winner) return `A tie: ${counted(points.one, "point")} each`;
  const line = `${points[winner]} to ${points[other(winner)]}`;
  if (winner === table.seat) return `You win the series, ${line}`;
  return `${nameOf(table, winner)} wins the series, ${line}`;
}

/**
 * Explains the points of a finished game.
 * @param {Table} table
 * @param {Game} game
 */
export function pointsLine(table, game) {
  if (game.void) return "";
  const scorer = game.maker === table.seat ? "You score" : `${nameOf(table, game.maker)} scores`;
  if (isForfeited(game)) return `${scorer} nothing for this game.`;
  const points = counted(makerPoints(table, game), "point");
  const unit = table.scoring === "rows" ? "row" : "key peg";
  if (game.ending === "broken") return `${scorer} ${points}: 1 for each ${unit}.`;
  const rest = table.scoring === "rows" ? `${table.board.rows} for the rows of the board` : "1 for each key peg";
  return `${scorer} ${points}: ${rest}, and 1 because the code was not broken.`;
}

/**
 * The maker's points for a finished game, as in keypeg.rules.series.
 * @param {Table} table
 * @param {Game} game
 */
export function makerPoints(table, game) {
  if (isForfeited(game)) return 0;
  const keys = game.rows.reduce((sum, row) => sum + (row.black ?? 0) + (row.white ?? 0), 0);
  if (game.ending === "broken") return table.scoring === "rows" ? game.rows.length : keys;
  return (table.scoring === "rows" ? table.board.rows : keys) + 1;
}

/**
 * What a screen reader announces for an event. Empty if nothing.
 * @param {Table} table the table after the event
 * @param {TableEvent} event
 * @returns {string}
 */
export function announcement(table, event) {
  const game = lastGame(table);
  switch (event.type) {
    case "sat":
      return `${event.name} sat down.`;
    case "secret-set":
      return event.expired ? "Time ran out: the referee chose a secret." : "The secret code is hidden.";
    case "answered":
      return describeRow(game.rows[game.rows.length - 1], game.rows.length, table.board);
    case "guessed":
      return table.key_pegs === "referee" ? "" : describeRow(game.rows[game.rows.length - 1], game.rows.length, table.board);
    case "row-expired":
      return `Time ran out: row ${game.rows.length} stays empty.`;
    case "challenged":
      return event.upheld ? "The challenge is upheld." : "The challenge is rejected: every answer so far is right.";
    case "revealed":
      return `The code was ${describeCode(event.code, table.board)}.`;
    case "time-offered":
      return `The turn is extended by ${counted(event.seconds, "second")}.`;
    case "time-credited":
      return "The server was not available. The lost time is given back.";
    case "rematch-offered":
      return rematchOffer(table, event.seat);
    case "rematched":
      return "A new series begins.";
    default:
      return "";
  }
}

/**
 * @param {Table} table
 * @param {Seat} by the seat that offers it
 */
export function rematchOffer(table, by) {
  return by === table.seat ? `You offer ${nameOf(table, other(by))} a rematch.` : `${nameOf(table, by)} offers a rematch.`;
}

/**
 * What the two kinds of key pegs mean.
 * @param {import("../wire.js").Board} board
 */
export function keyPegMeaning(board) {
  const dark = darkKeyPeg(board);
  return `${dark[0].toUpperCase()}${dark.slice(1)}: right colour, right hole. White: right colour, wrong hole.`;
}

/**
 * A text about an absent opponent, and what of it is announced: not every second of a countdown. Null if
 * the opponent is connected.
 * @param {View} view
 * @param {number} now
 * @returns {{ words: string, spoken: string } | null}
 */
export function absence(view, now) {
  const { table } = view;
  const wait = awayFor(view, now);
  if (wait === null || !table.seat || !isAway(view, now)) return null;
  const away = `${nameOf(table, other(table.seat))} is away.`;
  if (!table.options.includes("claim")) return { words: away, spoken: away };
  if (wait > 0) return { words: `${away} You can claim the series in ${clock(wait)}.`, spoken: away };
  const claim = `${away} You can claim the series, or wait.`;
  return { words: claim, spoken: claim };
}

/**
 * The consequences of giving up, for the confirmation dialog.
 * @param {Table} table
 */
export function resignTerms(table) {
  return situation(table).role === "breaker"
    ? "The maker then scores as if the code had never been broken."
    : "You then score nothing for this game, and it counts as played.";
}

/**
 * The consequences of claiming the series.
 * @param {Table} table
 */
export function claimTerms(table) {
  const { seat, over, role, game } = situation(table);
  const opponent = seat ? nameOf(table, other(seat)) : "";
  if (over && game.ending && table.status.number === table.games_agreed) return `${opponent} is away. The result of the last game then stands, and the series ends.`;
  const points = over ? "" : role === "maker" ? ` You score ${counted(makerPoints(table, game), "point")} for this game, as if your code had never been broken.` : ` ${opponent} scores nothing for this game.`;
  return `${opponent} is away. The series then ends, and you win it.${points}`;
}

/**
 * What the button that ends a finished game leads to.
 * @param {Table} table
 */
export function nextStep(table) {
  const game = lastGame(table);
  if (game.void) return "Replay this game";
  if (table.status.number === table.games_agreed) return "See the result";
  const maker = other(game.maker);
  if (!table.seat) return `Next: ${nameOf(table, maker)} hides the code`;
  return table.seat === maker ? "Next: you hide the code" : "Next: you guess";
}

/**
 * What a finished game still waits for, if answers can be challenged. Empty if nothing.
 * @param {Table} table
 */
export function awaited(table) {
  const { over, finished, game, seat } = situation(table);
  if (!over || finished || !table.status.challengeable) return "";
  const breaker = other(game.maker);
  if (seat === breaker) return "Is an answer wrong? Challenge it now, or go on.";
  // Against the computer, the maker may go on.
  if (seat && table.options.includes("next-game")) return "";
  return `${nameOf(table, breaker)} can now challenge an answer, or go on.`;
}

/**
 * The answer to the typed command "where": whose turn it is, and the score.
 * @param {Table} table
 */
export function whereabouts(table) {
  const { one, two } = table.status.score_line;
  return `${headline(table)}. Points: ${nameOf(table, "one")} ${one}, ${nameOf(table, "two")} ${two}.`;
}

/** What the next player does with the device. @type {Record<import("../wire.js").Phase, string>} */
export const TASKS = {
  secret: "to choose a secret code",
  guess: "to break the code",
  answer: "to place the key pegs",
  over: "to look at the result",
};
