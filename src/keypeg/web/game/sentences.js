/** All texts about a table, as pure functions. The page only shows them. */

import { darkKeyPeg } from "./board.js";
import { describeCode } from "./code.js";
import { describeKeyPegs, score } from "./keypegs.js";
import { cannotBeRight, contradiction } from "./contradiction.js";
import { DEFAULT_NAMES } from "./names.js";
import { awayFor, situation } from "./situation.js";
import { isForfeited, lastGame, other } from "./table.js";

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {import("../wire.js").Game} Game */
/** @typedef {import("../wire.js").Row} Row */
/** @typedef {import("../wire.js").Board} Board */
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
 * A row as a screen reader reads it: "Row 3: red, red, blue, green. 2 black, 1 white."
 * @param {Row} row
 * @param {number} number
 * @param {Board} board
 */
export function describeRow(row, number, board) {
  if (row.code === null) return `Row ${number}: time ran out, no pegs.`;
  const pegs = `Row ${number}: ${describeCode(row.code, board)}.`;
  if (row.black === null || row.white === null) return `${pegs} Not answered yet.`;
  return `${pegs} ${describeKeyPegs({ black: row.black, white: row.white }, board)}.`;
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
  if (hand) return { secret: "Set your secret code", guess: `Your turn: row ${row}`, answer: `Answer row ${row} with key pegs` }[hand];
  const turn = status.turn;
  if (!turn) return "One moment…";
  const name = nameOf(table, turn);
  if (status.phase === "secret") return `${name} is setting the secret code`;
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
  const rows = `${game.rows.length} row${game.rows.length === 1 ? "" : "s"}`;
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
  if (!winner) return `A tie: ${points.one} points each`;
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
  const points = makerPoints(table, game);
  const unbroken = game.ending === "broken" ? "" : ", 1 of them for the unbroken code";
  const unit = table.scoring === "rows" ? "row" : "key peg";
  return `${scorer} ${points}: a point for each ${unit}${unbroken}.`;
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
 * The wrong answers of a game whose secret is known, each with the right answer.
 * @param {Game} game
 * @param {Board} board
 * @returns {{ row: number, text: string }[]}
 */
export function wrongAnswers(game, board) {
  const { secret } = game;
  if (!secret) return [];
  return game.rows.flatMap(({ code, black, white }, index) => {
    if (!code || black === null || white === null) return [];
    const right = score(secret, code);
    if (right.black === black && right.white === white) return [];
    const given = describeKeyPegs({ black, white }, board);
    const text = `Row ${index + 1}: ${given} was given; ${describeKeyPegs(right, board)} is right.`;
    return [{ row: index + 1, text }];
  });
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
      return event.expired ? "Time ran out: the referee chose a secret." : "The secret is set.";
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
      return `The turn is extended by ${event.seconds} seconds.`;
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
 * @param {Board} board
 */
export function keyPegMeaning(board) {
  const dark = darkKeyPeg(board);
  return `${dark}: right colour, right hole. White: right colour, wrong hole.`;
}

/**
 * Minutes and seconds.
 * @param {number} milliseconds
 */
export function clock(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * A text about an absent opponent, or null if the opponent is connected.
 * @param {View} view
 * @param {number} now
 * @returns {string | null}
 */
export function absence(view, now) {
  const { table } = view;
  const wait = awayFor(view, now);
  if (wait === null || !table.seat) return null;
  const opponent = other(table.seat);
  const left = wait > 0 ? ` in ${clock(wait)}` : ", or wait";
  const claim = table.options.includes("claim") ? ` You can claim the series${left}.` : "";
  return `${nameOf(table, opponent)} is away.${claim}`;
}

/**
 * The consequences of giving up, for the confirmation dialog.
 * @param {Table} table
 */
export function resignTerms(table) {
  return situation(table).role === "breaker"
    ? "The maker then scores as if the code was never broken."
    : "You then score nothing for this game, and it counts as played.";
}

/**
 * The consequences of a challenge; and proof that it is justified, if the answers contradict each other.
 * @param {Table} table
 */
export function challengeTerms(table) {
  const terms = "If an answer is wrong, the game is void and replayed, and you get 3 points. If all are right, nothing happens.";
  const proof = contradiction(table.board, lastGame(table).rows);
  return proof ? `${cannotBeRight(proof.rows)}: no code fits. ${terms}` : terms;
}

/**
 * The answer to the typed command "where": whose turn it is, and the score.
 * @param {Table} table
 */
export function whereabouts(table) {
  const { one, two } = table.status.score_line;
  return `${headline(table)}. ${nameOf(table, "one")} ${one}, ${nameOf(table, "two")} ${two} points.`;
}

/** What the next player does with the device. @type {Record<import("../wire.js").Phase, string>} */
export const TASKS = {
  secret: "to set a secret code",
  guess: "to break the code",
  answer: "to place the key pegs",
  over: "to look at the result",
};
