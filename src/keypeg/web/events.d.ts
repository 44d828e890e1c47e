/** The events of a table, as they are sent. Generated from the event classes by `make event-types`. */

import type { Grade, Role, Seat } from "./wire.js";

export type TableEvent =
  | { type: "secret-set"; seal: string | null; expired: boolean; code?: number[]; nonce?: string }
  | { type: "guessed"; code: number[] }
  | { type: "answered"; black: number; white: number; expired: boolean }
  | { type: "row-expired" }
  | { type: "challenged"; upheld: boolean }
  | { type: "resigned"; role: Role }
  | { type: "abandoned"; role: Role }
  | { type: "revealed"; code: number[]; nonce: string | null }
  | { type: "closed" }
  | { type: "limit-proposed"; role: Role; seconds: number | null }
  | { type: "limit-accepted"; seconds: number | null }
  | { type: "limit-declined" }
  | { type: "limit-withdrawn" }
  | { type: "opened" }
  | { type: "sat"; seat: Seat; name: string }
  | { type: "hint-used"; row: number; grade: Grade | null }
  | { type: "time-offered"; seconds: number }
  | { type: "time-credited"; milliseconds: number }
  | { type: "rematch-offered"; seat: Seat }
  | { type: "rematched" };
