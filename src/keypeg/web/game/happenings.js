/** What has happened in a race or a duel between two views of it, in words. */

import { describeCode } from "./code.js";
import { describeKeyPegs } from "./keypegs.js";
import { awaited, nameOf, toAnswer } from "./match.js";
import { ending, headline, ownPlace } from "./matchwords.js";
import { describeRow } from "./rowwords.js";

/** @typedef {import("../wire.js").MatchView} MatchView */
/** @typedef {import("../wire.js").MatchPlayer} MatchPlayer */
/** @typedef {import("../wire.js").MatchRow} MatchRow */

/**
 * Something that happened: for screen readers, and `shown` if the board does not show it.
 * @typedef {{ words: string, shown?: boolean, sound?: "dark" | "broken" }} Happening
 */

/**
 * What has happened between two views.
 * @param {MatchView | null} before
 * @param {MatchView} after
 * @returns {Happening[]}
 */
export function happenings(before, after) {
  if (!before || before.id !== after.id) return [];
  return [
    ...comings(before, after),
    ...after.players.flatMap((player) => {
      const past = before.players.find(({ number }) => number === player.number);
      if (!past || before.stage === "over") return [];
      return player.number === after.you ? own(past, player, after) : theirs(past, player, before, after);
    }),
    ...asked(before, after),
    ...after.challenges.slice(before.challenges.length).map((one) => challenged(after, one)),
    ...turned(before, after),
  ];
}

/**
 * Who has come and gone before the beginning.
 * @param {MatchView} before
 * @param {MatchView} after
 * @returns {Happening[]}
 */
function comings(before, after) {
  if (before.stage !== "waiting") return [];
  const isIn = (/** @type {MatchView} */ match, /** @type {number} */ number) => match.players.some((one) => one.number === number);
  const come = after.players.filter(({ number }) => number !== after.you && !isIn(before, number)).map(({ number }) => `${nameOf(after, number)} has joined.`);
  const gone = before.players.filter(({ number }) => !isIn(after, number)).map(({ number }) => `${nameOf(before, number)} has left.`);
  return [...come, ...gone].map((words) => ({ words }));
}

/**
 * @param {MatchPlayer} past
 * @param {MatchPlayer} player
 * @param {MatchView} match
 * @returns {Happening[]}
 */
function own(past, player, match) {
  const done = player.done && !past.done && match.stage !== "over";
  return [
    ...newRows(past, player).map(({ row, number }) => ({
      words: row.expired ? `Time ran out: row ${number} stays empty.` : describeRow(row, number, match.board),
      shown: row.expired,
      sound: row.black ? /** @type {const} */ ("dark") : undefined,
    })),
    ...(done ? [{ words: `${ending(match, player).replace(/!$/, "")}.`, sound: player.ending === "broken" ? /** @type {const} */ ("broken") : undefined }] : []),
  ];
}

/**
 * @param {MatchPlayer} past
 * @param {MatchPlayer} player
 * @param {MatchView} before
 * @param {MatchView} after
 * @returns {Happening[]}
 */
function theirs(past, player, before, after) {
  const name = nameOf(after, player.number);
  const answers = newRows(past, player).map(({ row, number }) => ({
    words: row.expired ? `${name}, row ${number}: time ran out.` : `${name}, row ${number}: ${describeKeyPegs({ black: row.black ?? 0, white: row.white ?? 0 }, after.board)}.`,
  }));
  const done = player.done && !past.done && after.stage !== "over" ? [{ words: `${ending(after, player)}.`, shown: true }] : [];
  // With many players it would be too much to hear each time that somebody has filled a row.
  const isLast = player.filled && !past.filled && after.pace === "together" && after.options.includes("guess") && awaited(after).length === 1 && awaited(before).length > 1;
  return [...answers, ...done, ...(isLast ? [{ words: "Everybody waits for you.", shown: true }] : [])];
}

/**
 * The rows that are answered, or have stayed empty, since a view.
 * @param {MatchPlayer} past
 * @param {MatchPlayer} player
 */
function newRows(past, player) {
  const isComplete = (/** @type {MatchRow | undefined} */ row) => row !== undefined && (row.black !== null || row.expired);
  return (player.rows ?? []).flatMap((row, at) => (isComplete(row) && !isComplete(past.rows?.[at]) ? [{ row, number: at + 1 }] : []));
}

/**
 * What is asked of the player by hand.
 * @param {MatchView} before
 * @param {MatchView} after
 * @returns {Happening[]}
 */
function asked(before, after) {
  const row = toAnswer(after);
  const past = toAnswer(before);
  if (!row || (past?.row === row.row && past.player === row.player)) return [];
  return [{ words: `${nameOf(after, row.player)} waits for your answer to row ${row.row}: ${describeCode(row.code, after.board)}.` }];
}

/**
 * @param {MatchView} match
 * @param {{ player: number, upheld: boolean }} challenge
 * @returns {Happening}
 */
function challenged(match, { player, upheld }) {
  const who = player === match.you ? "Your challenge" : `The challenge of ${nameOf(match, player)}`;
  return { words: upheld ? `${who} is upheld.` : `${who} is rejected: every answer so far is right.`, shown: true };
}

/**
 * What has changed for everybody.
 * @param {MatchView} before
 * @param {MatchView} after
 * @returns {Happening[]}
 */
function turned(before, after) {
  const { stage, kind, next } = after;
  const followed = next && !before.next ? [{ words: `There is another ${kind}.` }] : [];
  if (stage === before.stage) return followed;
  const [first] = after.codes ?? [];
  const code = kind === "race" && first ? ` The code was ${describeCode(first.code, after.board)}.` : "";
  const place = ownPlace(after);
  if (stage === "over") return [{ words: `${headline(after)}.${place && ` ${place}`}${code}` }, ...followed];
  if (stage === "cancelled") return [{ words: `${headline(after)}.` }];
  if (stage === "setting") return [{ words: "The duel begins." }];
  return [{ words: before.stage === "setting" ? "Both codes are set." : `The ${kind} begins.` }];
}
