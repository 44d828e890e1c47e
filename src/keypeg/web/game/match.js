/** Races and duels without page or network: who plays, what is asked of a player, and how far each has come. */

/** @typedef {import("../wire.js").MatchView} MatchView */
/** @typedef {import("../wire.js").MatchPlayer} MatchPlayer */
/** @typedef {import("../wire.js").MatchOption} MatchOption */

/** What a player fills or places: the code for the other, a row, or key pegs for the other's row. */
/** @typedef {"secret" | "guess" | "answer"} Task */

const LIST = new Intl.ListFormat("en-GB", { type: "conjunction" });

/**
 * Some names in a sentence: "Ann, Bob and Cleo".
 * @param {string[]} all
 */
export function inWords(all) {
  return LIST.format(all);
}

/** @param {MatchView} match */
export function me({ players, you }) {
  return players.find(({ number }) => number === you) ?? null;
}

/** The other players, or all of them for a spectator. @param {MatchView} match */
export function others({ players, you }) {
  return players.filter(({ number }) => number !== you);
}

/**
 * What a player is called. Those with the same name are numbered.
 * @param {MatchView} match
 * @param {number} number
 */
export function nameOf({ players }, number) {
  const player = players.find((one) => one.number === number);
  const bare = (/** @type {MatchPlayer} */ one) => one.name ?? (one.level ? "Computer" : `Player ${one.number}`);
  if (!player) return `Player ${number}`;
  const namesakes = players.filter((one) => bare(one) === bare(player));
  return namesakes.length === 1 ? bare(player) : `${bare(player)} ${namesakes.indexOf(player) + 1}`;
}

/**
 * @param {MatchView} match
 * @param {readonly MatchPlayer[]} players
 */
export function names(match, players) {
  return inWords(players.map(({ number }) => nameOf(match, number)));
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

/** Whether a player has set the code for the other. @param {MatchView} match @param {MatchPlayer} player */
export function isSet(match, player) {
  return rivalOf(match, player.number)?.seal !== null;
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
 * The code that a player breaks, once all codes may be known.
 * @param {MatchView} match
 * @param {MatchPlayer | null} player
 */
export function codeFor({ codes }, player) {
  return codes?.find((one) => one.player === null || one.player === player?.number) ?? null;
}

/**
 * A player's game as in a record, to be reviewed and its seal to be verified.
 * @param {MatchView} match
 * @param {MatchPlayer} player
 * @returns {import("./record.js").RecordedGame}
 */
export function recorded(match, player) {
  const code = codeFor(match, player);
  const { game, seal } = match.kind === "race" ? match : player;
  return { id: game ?? "", rows: player.rows ?? [], secret: code?.code ?? null, seal, nonce: code?.nonce ?? null, void: false };
}

/**
 * When the running clocks of this player end; null if none runs.
 * @param {MatchView} match
 * @param {Task | null} task the one that is shown
 */
export function dueOf(match, task) {
  return task === "answer" ? toAnswer(match)?.due ?? null : me(match)?.due ?? null;
}
