/** All texts about a race or a duel, as pure functions. The page only shows them. */

import { counted, describeBoard } from "./board.js";
import { awaited, brokenIn, inWords, isMine, isOver, isSet, me, nameOf, names, others, rivalOf, rowOf, tasks, toAnswer } from "./match.js";
import { clock } from "./rowwords.js";
import { duration } from "./terms.js";

/** @typedef {import("../wire.js").MatchView} MatchView */
/** @typedef {import("../wire.js").MatchPlayer} MatchPlayer */

const PLACES = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

/**
 * How far a player has come, in few words.
 * @param {MatchView} match
 * @param {MatchPlayer} player
 */
export function progress(match, player) {
  const rows = player.rows?.length ?? null;
  if (match.stage === "setting") return isSet(match, player) ? "code set" : "choosing a code";
  if (player.ending === "broken") return `broken in ${counted(brokenIn(player) ?? 0, "row")}`;
  if (player.ending === "wrong-information") return "wrong information";
  if (player.ending === "gave-up") return "gave up";
  if (player.ending === "unbroken") return "not broken";
  if (player.done) return "done";
  if (player.filled) return `row ${match.row} filled`;
  if (rows !== null && rows > 0 && player.rows?.[rows - 1].black === null && !player.rows[rows - 1].expired && match.key_pegs === "by-hand") return `row ${rows} waits for key pegs`;
  if (match.row !== null) return `on row ${match.row}`;
  return rows === null ? "playing" : `on row ${rows + 1}`;
}

/**
 * How somebody who is done has fared, as short as it can be: in the line above the board on a phone.
 * @param {MatchView} match
 * @param {MatchPlayer} player
 */
export function shortProgress(match, player) {
  if (match.stage === "setting") return isSet(match, player) ? "✓" : "…";
  if (player.ending === "broken") return `✓ ${brokenIn(player) ?? ""}`;
  if (player.ending !== null || player.gave_up) return "✗";
  if (player.done) return "done";
  if (player.filled) return "✓";
  return player.rows === null ? "playing" : String(match.row ?? player.rows.length + 1);
}

/**
 * What the match is at, in one line.
 * @param {MatchView} match
 * @param {import("./match.js").Task | null} [task] what the player is doing, of what can be done
 * @returns {string}
 */
export function headline(match, task = tasks(match)[0] ?? null) {
  const { stage, kind, you, options, players } = match;
  if (stage === "cancelled") return `This ${kind} was cancelled`;
  if (stage === "over") return result(match);
  if (stage === "waiting") return waiting(match);
  if (task === "secret") return `Choose a code for ${nameOf(match, rivalOf(match, you ?? 0)?.number ?? 0)}`;
  if (stage === "setting") return settingWords(match);
  const row = toAnswer(match);
  if (task === "answer" && row) return `Answer ${nameOf(match, row.player)}'s row ${row.row}`;
  if (task === "guess") return `Your turn: row ${rowOf(match)}`;
  const mine = me(match);
  if (mine?.done) return ending(match, mine);
  const slow = awaited(match);
  if (slow.length) return `Row ${match.row}: waiting for ${briefly(match, slow)}`;
  if (mine && options.length && match.key_pegs === "by-hand") return `${nameOf(match, rivalOf(match, mine.number)?.number ?? 0)} is answering row ${rowOf(match)}`;
  return `${briefly(match, players.filter(({ done }) => !done))} ${players.filter(({ done }) => !done).length === 1 ? "is" : "are"} playing`;
}

/**
 * Names if there are few of them; otherwise how many there are.
 * @param {MatchView} match
 * @param {MatchPlayer[]} some
 */
function briefly(match, some) {
  return some.length > 2 ? `${some.length} players` : names(match, some);
}

/** @param {MatchView} match */
function settingWords(match) {
  const slow = match.players.filter((player) => !isSet(match, player));
  return `${names(match, slow)} ${slow.length === 1 ? "is choosing a code" : "are choosing codes"}`;
}

/** @param {MatchView} match */
function waiting(match) {
  const { kind, options, players, you } = match;
  if (options.includes("join")) return `${nameOf(match, 1)} invites you to a ${kind}`;
  if (you === null) return `The ${kind} has not begun yet`;
  if (options.includes("start")) return "Start when everybody is here";
  return players.length < 2 || you === 1 ? "Waiting for others" : `Waiting for ${nameOf(match, 1)} to start`;
}

/**
 * How it ended for one player.
 * @param {MatchView} match
 * @param {MatchPlayer} player
 */
export function ending(match, player) {
  const isMe = player.number === match.you;
  const who = isMe ? "You" : nameOf(match, player.number);
  const rows = brokenIn(player);
  switch (player.ending) {
    case "broken":
      return `${who} broke the code${rows === null ? "" : ` in ${counted(rows, "row")}`}${isMe ? "!" : ""}`;
    case "gave-up":
      return `${who} gave up`;
    case "unbroken":
      return `${who} did not break the code`;
    case "wrong-information":
      return `${who} gave a wrong answer`;
    default:
      return `${who} ${isMe ? "are" : "is"} done`;
  }
}

/**
 * How the match ended, in a sentence without a full stop.
 * @param {MatchView} match
 * @returns {string}
 */
export function result(match) {
  const { kind, players } = match;
  const winners = players.filter(({ place }) => place === 1);
  const liar = players.find((player) => player.ending === "wrong-information");
  const who = naming(match, winners);
  const isYou = winners.length === 1 && winners[0].number === match.you;
  if (liar) return `${who} ${isYou ? "win" : "wins"} the ${kind}: ${liar.number === match.you ? "you" : nameOf(match, liar.number)} gave a wrong answer`;
  if (players.every(({ needed }) => needed === null)) return kind === "duel" ? "A draw: neither code was broken" : "Nobody broke the code";
  if (kind === "duel") return duelResult(match, winners);
  const score = winners[0] ? scoreWords(match, winners[0]) : "";
  if (winners.length > 1) return `${who} share first place${score}`;
  return `${who} ${isYou ? "win" : "wins"}${score}`;
}

/**
 * @param {MatchView} match
 * @param {MatchPlayer[]} winners
 */
function duelResult(match, winners) {
  const [winner] = winners;
  if (winners.length !== 1) return `A draw: both codes were broken in ${counted(winner?.needed ?? 0, "row")}`;
  const loser = rivalOf(match, winner.number);
  const isYou = winner.number === match.you;
  const against = loser?.needed === null ? "" : ` against ${loser?.needed}`;
  return `${isYou ? "You win" : `${nameOf(match, winner.number)} wins`} the duel with ${counted(winner.needed ?? 0, "row")}${against}`;
}

/**
 * What was needed, as the end of a sentence: " with 4 rows", " in 1:23.456".
 * @param {MatchView} match
 * @param {MatchPlayer} player
 */
function scoreWords(match, { needed, milliseconds }) {
  if (match.goal === "time" && milliseconds !== null) return ` in ${exactTime(milliseconds)}`;
  return needed === null ? "" : ` with ${counted(needed, "row")}`;
}

/** "Ann", "You and Bob": you come first. @param {MatchView} match @param {MatchPlayer[]} players */
function naming(match, players) {
  const others = players.filter(({ number }) => number !== match.you).map(({ number }) => nameOf(match, number));
  return inWords(others.length < players.length ? ["You", ...others] : others);
}

/**
 * One's own place, if it is not the first: "You are third of 5." Empty otherwise.
 * @param {MatchView} match
 */
export function ownPlace(match) {
  const place = me(match)?.place ?? 1;
  const equal = match.players.filter((player) => player.place === place && player.number !== match.you);
  if (match.kind === "duel" || place === 1) return "";
  const shared = equal.length ? `, together with ${names(match, equal)}` : "";
  return `You are ${PLACES[place - 1] ?? `number ${place}`} of ${match.players.length}${shared}.`;
}

/**
 * A time to the millisecond, which decides: "1:23.456".
 * @param {number} milliseconds
 */
export function exactTime(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}.${String(milliseconds % 1000).padStart(3, "0")}`;
}

/**
 * What decides, for the help.
 * @param {MatchView} match
 */
export function aim({ kind, goal }) {
  if (kind === "duel") return "Each of you breaks the other's code. Whoever needs fewer rows wins; equal rows are a draw.";
  return goal === "time" ? "All break the same code. Whoever breaks it first wins." : "All break the same code. Whoever needs the fewest rows wins; equal rows are a tie.";
}

/**
 * What is agreed, each with its name.
 * @param {MatchView} match
 * @returns {[string, string][]}
 */
export function termsOf({ kind, board, pace, goal, keys_shown: shown, key_pegs: keyPegs, row_seconds: seconds, places }) {
  const isRace = kind === "race";
  /** @type {[string, string | false][]} */
  const all = [
    ["Code", isRace ? "The server has drawn it. Everybody breaks the same one" : "Each of you sets a code for the other"],
    ["Board", describeBoard(board)],
    ["Pace", pace === "own" ? "Everybody at their own pace" : "Row by row: the answers are shown together"],
    ["Winner", isRace && goal === "time" ? "Whoever breaks the code first" : "Whoever needs the fewest rows; equal rows are a tie"],
    ["Key pegs", !isRace && (keyPegs === "by-hand" ? "You place them for each other; a wrong answer that is challenged loses the duel" : "Placed automatically, always right")],
    ["Others see", shown ? "Your key pegs, never your pegs" : "Only whether you are done"],
    ["Time", `${timeFor(seconds)} for each row`],
    ["Places", isRace && `${places}`],
  ];
  return /** @type {[string, string][]} */ (all.filter(([, words]) => words !== false));
}

/** How long there may be for a row, in seconds. */
export const ROW_SECONDS = [30, 60, 120, 180, 300, 600, 3600, 86_400];
export const USUAL_SECONDS = 180;

/** @param {number} seconds */
export function timeFor(seconds) {
  if (seconds >= 86_400 && seconds % 86_400 === 0) return counted(seconds / 86_400, "day");
  return seconds >= 3600 && seconds % 3600 === 0 ? counted(seconds / 3600, "hour") : duration(seconds);
}

/**
 * What giving up means, for the confirmation dialog.
 * @param {MatchView} match
 */
export function givingUp({ kind, key_pegs: keyPegs }) {
  if (kind === "race") return "You play no more rows, and your code counts as not broken. The others go on.";
  const lie = keyPegs === "by-hand" ? " If you gave a wrong answer, you lose the duel." : "";
  return `You play no more rows, and the code counts as not broken.${lie}`;
}

/**
 * What is shown of a match in the list of My tables; null if there is nothing left to do.
 * @param {MatchView} match
 * @returns {import("./turns.js").OpenGame | null}
 */
export function openMatch(match) {
  if (match.you === null || isOver(match)) return null;
  const row = toAnswer(match);
  const mine = isMine(match);
  const playing = match.stage === "playing" && !me(match)?.done;
  const [task] = tasks(match);
  const whose =
    task === "guess" ? `You may fill row ${rowOf(match)}` : row ? `${nameOf(match, row.player)} waits for your key pegs` : mine || !playing ? headline(match) : `Waiting: ${headline(match)}`;
  const rest = others(match);
  return {
    key: `match/${match.id}`,
    path: `/match/${match.id}`,
    mine,
    whose,
    about: `${match.kind}, ${match.board.name}${rest.length ? `, with ${names(match, rest)}` : ""}`,
    since: match.begun ?? match.created,
    now: match.now,
    moment: [match.stage, rowOf(match), row?.row ?? "", mine].join(" "),
  };
}

/**
 * The time left to a player, in words; empty if no clock runs.
 * @param {number | null} due
 * @param {number} now as the server counts
 */
export function clockWords(due, now) {
  return due === null ? "" : clock(Math.max(0, due - now));
}

/** What a challenge means, before what contradicts itself. */
export const CHALLENGING = "If an answer is wrong, you win the duel. If all are right so far, nothing happens.";
