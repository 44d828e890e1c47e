/** The messages between the browser and the server: the types of keypeg.messages. */

import type { TableEvent } from "./events.js";

export type { TableEvent };

export type Seat = "one" | "two";
export type Role = "maker" | "breaker";
export type Phase = "secret" | "guess" | "answer" | "over";
export type Stage = "waiting" | "playing" | "over";
export type KeyPegMode = "referee" | "checked" | "by-hand";
export type Scoring = "rows" | "key-pegs";
export type Ending =
  | "broken"
  | "unbroken"
  | "breaker-resigned"
  | "breaker-abandoned"
  | "maker-resigned"
  | "maker-abandoned"
  | "wrong-information";

/** What a seat may do now. Each option except "hint" is the type of a command. */
export type Option =
  | "set-secret"
  | "guess"
  | "answer"
  | "hint"
  | "challenge"
  | "next-game"
  | "rematch"
  | "claim"
  | "offer-time"
  | "accept-limit"
  | "decline-limit"
  | "withdraw-limit"
  | "propose-limit"
  | "resign";

export interface Board {
  name: string;
  holes: number;
  colours: number;
  rows: number;
  blanks: boolean;
  repeats: boolean;
}

export interface Points {
  one: number;
  two: number;
}

export interface Row {
  code: number[] | null;
  black: number | null;
  white: number | null;
}

export interface Game {
  id: string;
  maker: Seat;
  rows: Row[];
  seal: string | null;
  secret: number[] | null;
  nonce: string | null;
  revealed: boolean;
  ending: Ending | null;
  void: boolean;
}

export interface SeatHolder {
  taken: boolean;
  name: string | null;
  level: string | null;
}

export interface Status {
  seq: number;
  stage: Stage;
  number: number;
  maker: Seat;
  phase: Phase | null;
  turn: Seat | null;
  waits_for: Seat | null;
  points: Points;
  score_line: Points;
  totals: Points;
  challengeable: boolean;
  result: { winner: Seat | null; points: Points } | null;
  rematch: Seat | null;
  due: number | null;
  /** The limits of the running turn and of the next ones, in seconds. */
  limit: number | null;
  next_limit: number | null;
  proposal: Proposal | null;
}

/** A turn limit in seconds that a seat proposes; null is no limit. */
export interface Proposal {
  seat: Seat;
  seconds: number | null;
}

export interface Table {
  id: string;
  seat: Seat | null;
  now: number;
  board: Board;
  games_agreed: number;
  key_pegs: KeyPegMode;
  scoring: Scoring;
  turn_seconds: number | null;
  public: boolean;
  hints_allowed: boolean;
  hints_used: number;
  one: SeatHolder;
  two: SeatHolder;
  status: Status;
  options: Option[];
  games: Game[];
}

export interface Entry {
  seq: number;
  at: number;
  by: Seat | null;
  events: TableEvent[];
}

export interface Presence {
  here: boolean;
  away_since: number | null;
  claimable_at: number | null;
}

/** A message from the server. */
export type ServerMessage =
  | { type: "welcome"; seat: Seat | null; seq: number; now: number; status: Status; options: Option[]; table?: Table | null }
  | { type: "missed"; entries: Entry[]; status: Status; options: Option[] }
  | { type: "update"; now: number; entry: Entry; status: Status; options: Option[] }
  | { type: "snapshot"; table: Table }
  | { type: "presence"; now: number; one: Presence; two: Presence }
  | { type: "ack"; id: string; seq: number }
  | { type: "refused"; id: string; code: string; message: string; table?: Table | null }
  | { type: "time"; now: number }
  | { type: "error"; code: string; message: string }
  | { type: "match"; match: MatchView };

/** A command without its id, which the connection adds. */
export type Command =
  | { type: "set-secret"; code: number[] }
  | { type: "guess"; code: number[] }
  | { type: "answer"; black: number; white: number }
  | { type: "challenge" }
  | { type: "next-game" }
  | { type: "resign" }
  | { type: "claim" }
  | { type: "offer-time"; seconds: number }
  | { type: "propose-limit" | "accept-limit"; seconds: number | null }
  | { type: "decline-limit" | "withdraw-limit" }
  | { type: "rematch" };

/** Whose turn it is at a table, in short. */
export interface Turn {
  id: string;
  seat: Seat | null;
  now: number;
  /** When something last happened there. */
  since: number;
  board: string;
  games_agreed: number;
  one: SeatHolder;
  two: SeatHolder;
  status: Status;
}

export interface NewTable {
  board?: string;
  games?: number;
  key_pegs?: KeyPegMode;
  scoring?: Scoring;
  turn_seconds?: number | null;
  opponent?: string | null;
  seat?: Seat | null;
  name?: string;
  first_maker?: Seat;
  public?: boolean;
  hints?: boolean | null;
}

export type Grade = "left" | "may" | "clash" | "good" | "best";

export interface Hint {
  grade: Grade;
  codes_left: number;
  guess: number[] | null;
  why: string;
}

/** The solver's answer: a hint, or the rows that contradict each other. */
export interface Advice extends Hint {
  exact: boolean;
  contradiction: number[];
  repairs: { row: number; black: number; white: number; codes_left: number }[];
}

export interface RatedRow {
  row: number;
  before: number;
  after: number;
  exact: boolean;
  bits: number | null;
  contradicts: number[];
  loss: number;
  luck: number | null;
  best: number[];
  certainty: string;
}

/** The solver's review: loss and luck in expected guesses. */
export interface Review {
  rows: RatedRow[];
  loss: number;
  luck: number;
  start: number;
  certainty: string;
  /** Whether there was time for every row. */
  complete: boolean;
}

/** A day, and the seals of its codes. */
export interface DailyDay {
  /** In UTC, as in 2026-11-18. */
  date: string;
  number: number;
  seals: { game: string; board: string; seal: string; code: number[] | null; nonce: string | null }[];
}

/** Today and tomorrow. */
export interface DailyDays {
  now: number;
  /** When tomorrow begins. */
  next: number;
  /** The day of code number 1. */
  first: string;
  today: DailyDay;
  tomorrow: DailyDay;
}

export interface DailyRow {
  code: number[];
  black: number;
  white: number;
}

/** What is sent only to those who are done. */
export interface DailyEnding {
  code: number[];
  nonce: string;
  broken: boolean;
  /** Null rows stand for a code that was not broken. */
  distribution: { rows: number | null; players: number }[];
  optimum: DailyRow[];
}

/** A day's code as one player sees it. */
export interface DailyView {
  now: number;
  next: number;
  date: string;
  number: number;
  board: Board;
  game: string;
  seal: string;
  counts: boolean;
  rows: DailyRow[];
  ending: DailyEnding | null;
}

/** One code of a contest, and your rows. */
export interface ContestCode {
  number: number;
  game: string;
  seal: string;
  rows: DailyRow[];
  /** Whether you broke it, or have used all rows. */
  done: boolean;
  /** What is sent only to those who may know the code. */
  ending: { code: number[]; nonce: string; broken: boolean } | null;
}

/** A contest as one player sees it. */
export interface ContestView {
  id: string;
  now: number;
  created: number;
  closes: number | null;
  closed: boolean;
  board: Board;
  /** What the setter wants to be called. */
  setter: string | null;
  /** Whether the server has drawn the codes. */
  drawn: boolean;
  /** Whether you have made it. */
  yours: boolean;
  /** Whether you only watch. */
  watching: boolean;
  /** The levels of its computer players. */
  computers: string[];
  entrant: { number: number; name: string | null } | null;
  codes: ContestCode[];
}

/** One entrant in a standing. */
export interface StandingLine {
  place: number;
  entrant: number;
  name: string | null;
  /** Of a computer player. */
  level: string | null;
  you: boolean;
  rows: number;
  seconds: number;
  loss: number | null;
  /** 0 for a code that was not broken, null for one that is not done. */
  codes: (number | null)[];
}

/** How everybody who is done has fared. */
export interface ContestResults {
  codes: number[];
  lines: StandingLine[];
  under_way: number;
  /** Whether losses are still being computed. */
  rating: boolean;
  book: DailyRow[] | null;
}

/** What an entrant has played at a code. */
export interface EntrantRows {
  number: number;
  entrant: number;
  name: string | null;
  rows: DailyRow[];
  broken: boolean;
  seconds: number;
  loss: number | null;
}

/** What may be done at a match. Each option except "join" is the type of a command. */
export type MatchOption =
  | "start"
  | "join"
  | "secret"
  | "guess"
  | "answer"
  | "challenge"
  | "close"
  | "another"
  | "leave"
  | "give-up";

/** A command at a match, with an id that is new for each. */
export type MatchCommand = { id: string } & (
  | { type: "start" | "leave" | "challenge" | "close" | "give-up" | "another" }
  | { type: "secret"; code: number[] }
  | { type: "guess"; row: number; code: number[] }
  | { type: "answer"; row: number; black: number; white: number }
);

export interface NewMatch {
  id: string;
  kind: "race" | "duel";
  board?: string;
  name?: string | null;
  pace?: "own" | "together";
  goal?: "rows" | "time";
  keys_shown?: boolean;
  key_pegs?: "referee" | "by-hand";
  row_seconds?: number;
  /** 2 to 8, with you and the computer; 2 in a duel. */
  places?: number;
  /** The levels of the players that are the computer. */
  computers?: string[];
}

/** A row of a match; null is hidden, or not there yet. */
export interface MatchRow {
  code: number[] | null;
  black: number | null;
  white: number | null;
  /** Whether it stayed empty because time ran out. */
  expired: boolean;
}

export interface MatchPlayer {
  /** Numbers are not always consecutive: players may leave before it begins. */
  number: number;
  name: string | null;
  level: string | null;
  you: boolean;
  here: boolean;
  done: boolean;
  /** Whether they have filled the row that all fill together. */
  filled: boolean;
  gave_up: boolean;
  /** When their time for the row, for setting the code or for closing ends. */
  due: number | null;
  /** The id sealed with the code that this player breaks, in a duel. */
  game: string | null;
  seal: string | null;
  /** Null where others' key pegs are hidden until the end. */
  rows: MatchRow[] | null;
  /** "wrong-information" for whoever lost by that. */
  ending: "broken" | "unbroken" | "gave-up" | "wrong-information" | null;
  /** The last three are there once the match is over; equal players share a place. */
  place: number | null;
  needed: number | null;
  milliseconds: number | null;
  /** In a duel by hand: the row of this player that waits for your key pegs. */
  to_answer: { row: number; code: number[]; due: number | null } | null;
}

/** A race or a duel as one player sees it. */
export interface MatchView {
  id: string;
  /** How often what you see has changed: of two views, the greater is the newer. */
  seq: number;
  now: number;
  created: number;
  kind: "race" | "duel";
  board: Board;
  pace: "own" | "together";
  goal: "rows" | "time";
  keys_shown: boolean;
  key_pegs: "referee" | "by-hand";
  row_seconds: number;
  places: number;
  stage: "waiting" | "setting" | "playing" | "over" | "cancelled";
  begun: number | null;
  /** The row that everybody fills now, if they play together. */
  row: number | null;
  /** Your number; null for a spectator. */
  you: number | null;
  options: MatchOption[];
  /** The id sealed with the code of a race; null in a duel. */
  game: string | null;
  seal: string | null;
  players: MatchPlayer[];
  /** The code that you set in a duel. */
  secret: number[] | null;
  /** All codes, once it is over; player null is the one code of a race. */
  codes: { player: number | null; code: number[]; nonce: string }[] | null;
  challenges: { player: number; upheld: boolean }[];
  /** The id of the match that follows, once somebody has asked for another. */
  next: string | null;
}

/** A command is done, and on disk. */
export interface MatchAnswer {
  seq: number;
  match: MatchView;
}
