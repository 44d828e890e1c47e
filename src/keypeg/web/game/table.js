/**
 * A table as one seat sees it, computed from the server's messages. Views are not modified: `receive`
 * makes a new one. The status and options come from the server; only the games are computed here.
 */

/** @typedef {import("../wire.js").Table} Table */
/** @typedef {import("../wire.js").Game} Game */
/** @typedef {import("../wire.js").Entry} Entry */
/** @typedef {import("../wire.js").TableEvent} TableEvent */
/** @typedef {import("../wire.js").ServerMessage} ServerMessage */
/** @typedef {import("../wire.js").Seat} Seat */
/** @typedef {{ one: import("../wire.js").Presence, two: import("../wire.js").Presence }} Present */
/**
 * @typedef {object} View
 * @property {Table} table
 * @property {Present | null} present
 * @property {number} ahead how many milliseconds the server's clock is ahead of the browser's
 */

/**
 * The view after a message that arrived at the time `now`. Null until the first welcome.
 * @param {View | null} view
 * @param {ServerMessage} message
 * @param {number} now
 * @returns {View | null}
 */
export function receive(view, message, now) {
  switch (message.type) {
    case "welcome":
      return welcomed(view, message, now);
    case "snapshot":
      return { table: message.table, present: view?.present ?? null, ahead: message.table.now - now };
    case "refused":
      return view && message.table ? { ...view, table: message.table } : view;
  }
  if (!view) return null;
  switch (message.type) {
    case "missed":
      return { ...view, table: caughtUp(view.table, message) };
    case "update":
      return { ...view, table: updated(view.table, message), ahead: message.now - now };
    case "presence":
      return { ...view, present: { one: message.one, two: message.two }, ahead: message.now - now };
    case "time":
      return { ...view, ahead: message.now - now };
    default:
      return view;
  }
}

/**
 * @param {View | null} view
 * @param {Extract<ServerMessage, { type: "welcome" }>} message
 * @param {number} now
 * @returns {View | null}
 */
function welcomed(view, message, now) {
  const table = message.table ?? view?.table;
  if (!table) return null;
  // The missed entries arrive next. Until then the rows are older than the status.
  return {
    table: { ...table, seat: message.seat, status: { ...message.status, seq: table.status.seq }, options: message.options },
    present: view?.present ?? null,
    ahead: message.now - now,
  };
}

/**
 * @param {Table} table
 * @param {Extract<ServerMessage, { type: "missed" }>} message
 * @returns {Table}
 */
function caughtUp(table, { entries, status, options }) {
  const followed = entries.reduce(follow, table);
  // More entries may follow. Until then the rows are older than the status.
  return { ...followed, status: { ...status, seq: followed.status.seq }, options };
}

/**
 * @param {Table} table
 * @param {Extract<ServerMessage, { type: "update" }>} message
 * @returns {Table}
 */
function updated(table, { entry, status, options }) {
  const followed = follow(table, entry);
  return followed === table ? table : { ...followed, status, options };
}

/**
 * The table after an entry. A repeated entry changes nothing; a missing one is an error.
 * @param {Table} table
 * @param {Entry} entry
 * @returns {Table}
 */
export function follow(table, entry) {
  const { seq } = table.status;
  if (entry.seq <= seq) return table;
  if (entry.seq !== seq + 1) throw new Error(`entry ${entry.seq} does not follow entry ${seq}`);
  const after = entry.events.reduce(happen, table);
  return { ...after, status: { ...after.status, seq: entry.seq } };
}

/**
 * @param {Table} table
 * @param {TableEvent} event
 * @returns {Table}
 */
function happen(table, event) {
  switch (event.type) {
    case "sat":
      return { ...table, [event.seat]: { ...table[event.seat], taken: true, name: event.name } };
    case "hint-used":
      return { ...table, hints_used: table.hints_used + 1 };
    case "closed":
      return { ...table, games: afterClosing(table) };
    case "rematched":
      return { ...table, games: afterRematch(table), hints_used: 0 };
    default:
      return { ...table, games: [...table.games.slice(0, -1), played(lastGame(table), event, table)] };
  }
}

/**
 * The game after an event.
 * @param {Game} game
 * @param {TableEvent} event
 * @param {Table} table
 * @returns {Game}
 */
function played(game, event, table) {
  switch (event.type) {
    case "secret-set":
      return { ...game, seal: event.seal, secret: event.code ?? null, nonce: event.nonce ?? null };
    case "guessed":
      return { ...game, rows: [...game.rows, { code: event.code, black: null, white: null }] };
    case "answered": {
      const row = { ...game.rows[game.rows.length - 1], black: event.black, white: event.white };
      const broken = event.black === table.board.holes;
      const answered = { ...game, rows: [...game.rows.slice(0, -1), row] };
      return broken ? ended(answered, "broken") : endedIfFull(answered, table);
    }
    case "row-expired":
      return endedIfFull({ ...game, rows: [...game.rows, { code: null, black: null, white: null }] }, table);
    case "challenged":
      return event.upheld ? ended(game, "wrong-information") : game;
    case "resigned":
      return ended(game, `${event.role}-resigned`);
    case "abandoned":
      return game.ending ? game : ended(game, `${event.role}-abandoned`);
    case "revealed":
      return { ...game, secret: event.code, nonce: event.nonce, revealed: true };
    default:
      return game;
  }
}

/**
 * @param {Game} game
 * @param {import("../wire.js").Ending} ending
 * @returns {Game}
 */
function ended(game, ending) {
  return { ...game, ending, void: ending === "wrong-information" };
}

/**
 * Whether the maker gets nothing for the game.
 * @param {Pick<Game, "ending">} game
 */
export function isForfeited({ ending }) {
  return ending === "wrong-information" || ending === "maker-resigned" || ending === "maker-abandoned";
}

/**
 * @param {Game} game
 * @param {Table} table
 * @returns {Game}
 */
function endedIfFull(game, table) {
  return game.rows.length === table.board.rows ? ended(game, "unbroken") : game;
}

/**
 * The games after the last one is closed. A new game or a replay is added, unless all are played.
 * @param {Table} table
 * @returns {Game[]}
 */
function afterClosing({ games, games_agreed: agreed }) {
  const counted = games.filter((game) => !game.void).length;
  if (counted === agreed) return games;
  const last = games[games.length - 1];
  let attempt = 1;
  while (attempt <= games.length && games[games.length - attempt].void) attempt += 1;
  const series = last.id.slice(0, last.id.lastIndexOf("/"));
  const replay = attempt > 1 ? `.${attempt}` : "";
  return [...games, freshGame(`${series}/${counted + 1}${replay}`, last.void ? last.maker : other(last.maker))];
}

/**
 * The games of a new series, in which the first roles are swapped.
 * @param {Table} table
 * @returns {Game[]}
 */
function afterRematch({ games }) {
  const [first] = games;
  const series = first.id.slice(0, first.id.lastIndexOf("/"));
  const dash = series.lastIndexOf("-");
  const number = Number(series.slice(dash + 1)) + 1;
  return [freshGame(`${series.slice(0, dash)}-${number}/1`, other(first.maker))];
}

/**
 * @param {string} id
 * @param {Seat} maker
 * @returns {Game}
 */
function freshGame(id, maker) {
  const nothing = { seal: null, secret: null, nonce: null, revealed: false, ending: null, void: false };
  return { id, maker, rows: [], ...nothing };
}

/**
 * @param {Table} table
 * @returns {Game}
 */
export function lastGame(table) {
  return table.games[table.games.length - 1];
}

/**
 * @param {Seat} seat
 * @returns {Seat}
 */
export function other(seat) {
  return seat === "one" ? "two" : "one";
}
