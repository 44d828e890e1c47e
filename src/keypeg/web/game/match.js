/** Races and duels without page or network: what is asked of a player, and all that is shown in words. */

import { counted, describeBoard } from "./board.js";
import { describeCode } from "./code.js";
import { describeKeyPegs } from "./keypegs.js";
import { clock, describeRow } from "./sentences.js";
import { duration } from "./terms.js";

/** @typedef {import("../wire.js").MatchView} MatchView */
/** @typedef {import("../wire.js").MatchPlayer} MatchPlayer */
/** @typedef {import("../wire.js").MatchRow} MatchRow */
/** @typedef {import("../wire.js").MatchOption} MatchOption */

/** What a player fills or places: the code for the other, a row, or key pegs for the other's row. */
/** @typedef {"secret" | "guess" | "answer"} Task */

const PLACES = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];
const LIST = new Intl.ListFormat("en", { type: "conjunction" });

/** @param {MatchView} match */
export function me({ players, you }) {
  return players.find(({ number }) => number === you) ?? null;
}

/** The other players, or all of them for a spectator. @param {MatchView} match */
export function others({ players, you }) {
  return players.filter(({ number }) => number !== you);
}

/**
 * What a player is called. Two with the same name are told apart by their numbers.
 * @param {MatchView} match
 * @param {number} number
 */
export function nameOf({ players }, number) {
  const player = players.find((one) => one.number === number);
  const bare = (/** @type {MatchPlayer} */ one) => one.name ?? (one.level ? "Computer" : `Player ${one.number}`);
  if (!player) return `Player ${number}`;
  const isAlone = players.every((one) => one === player || bare(one) !== bare(player));
  return isAlone ? bare(player) : `${bare(player)} ${number}`;
}

/**
 * @param {MatchView} match
 * @param {readonly MatchPlayer[]} players
 */
export function names(match, players) {
  return LIST.format(players.map(({ number }) => nameOf(match, number)));
}

/** The one who plays against `number` in a duel. @param {MatchView} match @param {number} number */
export function rivalOf({ players }, number) {
  return players.find((one) => one.number !== number) ?? null;
}

/**
 * What this player can do now, the more urgent first: somebody waits for key pegs.
 * @param {MatchView} match
 * @returns {Task[]}
 */
export function tasks({ options }) {
  return /** @type {Task[]} */ (["secret", "answer", "guess"]).filter((task) => options.includes(task));
}

/** The number of the row that this player fills, or filled last. @param {MatchView} match */
export function rowOf(match) {
  const rows = me(match)?.rows ?? [];
  return match.options.includes("guess") ? rows.length + 1 : rows.length;
}

/** The row of the other player that waits for this one's key pegs. @param {MatchView} match */
export function toAnswer({ players }) {
  const player = players.find(({ to_answer: row }) => row !== null);
  return player?.to_answer ? { player: player.number, ...player.to_answer } : null;
}

/**
 * Whether a match waits for this player.
 * @param {MatchView} match
 */
export function isMine({ options }) {
  return ["secret", "guess", "answer", "close"].some((option) => options.includes(/** @type {MatchOption} */ (option)));
}

/** Whether nothing more can happen. @param {MatchView} match */
export function isOver({ stage }) {
  return stage === "over" || stage === "cancelled";
}

/** For whom the others wait before the answers to a row are shown. @param {MatchView} match */
export function awaited({ pace, players, stage }) {
  return pace === "together" && stage === "playing" ? players.filter(({ done, filled }) => !done && !filled) : [];
}

/** The answered rows of a player. @param {MatchPlayer} player */
function answeredRows({ rows }) {
  return (rows ?? []).filter(({ black }) => black !== null);
}

/** How many rows somebody has behind them who broke the code; null for others. @param {MatchPlayer} player */
export function brokenIn({ ending, rows, needed }) {
  return ending === "broken" ? needed ?? rows?.length ?? null : null;
}

/**
 * Who is ahead, as far as one can see: those who broke the code, in the fewest rows or first; before that,
 * those with the best answer. It decides nothing.
 * @param {MatchView} match
 * @returns {number[]} the numbers of the players; none if all are level
 */
export function ahead({ players, stage, goal, keys_shown: shown }) {
  const first = (/** @type {(player: MatchPlayer) => number} */ worth) => {
    const best = Math.max(...players.map(worth));
    const leaders = players.filter((player) => worth(player) === best);
    return best > 0 && leaders.length < players.length ? leaders.map(({ number }) => number) : [];
  };
  if (stage === "over") return players.filter(({ place }) => place === 1).map(({ number }) => number);
  if (stage !== "playing" || !shown) return [];
  const broken = players.filter(({ ending }) => ending === "broken");
  if (broken.length > 1 && goal === "time") return [];
  if (broken.length) return first((player) => (player.ending === "broken" ? 1000 - (brokenIn(player) ?? 0) : 0));
  return first((player) => (player.done ? 0 : Math.max(0, ...answeredRows(player).map(({ black, white }) => 100 * (black ?? 0) + (white ?? 0)))));
}

/**
 * The players as they are listed: by place once it is over, else in the order in which they came.
 * @param {MatchView} match
 */
export function listed({ players }) {
  return [...players].sort((one, two) => (one.place ?? 0) - (two.place ?? 0) || one.number - two.number);
}

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

/** Whether a player has set the code for the other. @param {MatchView} match @param {MatchPlayer} player */
function isSet(match, player) {
  return rivalOf(match, player.number)?.seal !== null;
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
  return player.rows === null ? "…" : String(match.row ?? player.rows.length + 1);
}

/** What is played: "race" or "duel". @param {MatchView} match */
export function title(match) {
  const opener = match.players.find(({ number }) => number === 1);
  return match.you === 1 || !opener ? `Your ${match.kind}` : `${nameOf(match, 1)}'s ${match.kind}`;
}

/**
 * What the match is at, in one line.
 * @param {MatchView} match
 * @returns {string}
 */
export function headline(match) {
  const { stage, kind, you, options, players } = match;
  if (stage === "cancelled") return `This ${kind} was cancelled`;
  if (stage === "over") return result(match);
  if (stage === "waiting") return waiting(match);
  const [task] = tasks(match);
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
 * What was needed, as the end of a sentence: " with 4 rows", " in 1:23.4".
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
  return LIST.format(others.length < players.length ? ["You", ...others] : others);
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
 * A time with tenths of a second, or all that decides: "1:23.4".
 * @param {number} milliseconds
 */
export function exactTime(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}.${String(milliseconds % 1000).padStart(3, "0")}`;
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

/** What a challenge means, before what contradicts itself. */
export const CHALLENGING = "If an answer is wrong, you win the duel. If all are right so far, nothing happens.";

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
  return [...come, ...gone].map((words) => ({ words, shown: true }));
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

/**
 * When the running clocks of this player end; null if none runs.
 * @param {MatchView} match
 * @param {Task | null} task the one that is shown
 */
export function dueOf(match, task) {
  return task === "answer" ? toAnswer(match)?.due ?? null : me(match)?.due ?? null;
}

/**
 * The time left to a player, in words; empty if no clock runs.
 * @param {number | null} due
 * @param {number} now as the server counts
 */
export function clockWords(due, now) {
  return due === null ? "" : clock(Math.max(0, due - now));
}

/**
 * What is shown of a match in the list of My tables.
 * @param {MatchView} match
 * @returns {import("./turns.js").OpenGame}
 */
export function openMatch(match) {
  const row = toAnswer(match);
  const mine = isMine(match);
  const playing = match.stage === "playing" && !me(match)?.done;
  const [task] = tasks(match);
  const whose =
    task === "guess" ? `You may fill row ${rowOf(match)}` : row ? `${nameOf(match, row.player)} waits for your key pegs` : mine || !playing ? headline(match) : `Waiting: ${headline(match)}`;
  const rest = others(match);
  return {
    key: `match/${match.id}`,
    path: `/${match.kind}/${match.id}`,
    mine,
    whose,
    about: `${match.kind}, ${match.board.name}${rest.length ? `, with ${names(match, rest)}` : ""}`,
    since: match.begun ?? match.created,
    now: match.now,
    moment: [match.stage, rowOf(match), row?.row ?? "", mine].join(" "),
  };
}
