/** A daily code being played, and its outcome. */

import { guessDaily, readDay } from "../live/daily.js";
import { AttemptGame } from "./attemptgame.js";
import { element } from "./element.js";

/** @typedef {import("../wire.js").DailyView} DailyView */

export class DailyGame {
  /**
   * @param {DailyView} day
   * @param {{ begun: (day: DailyView) => void, done: (day: DailyView) => void, next: Node | null }} more
   *   `begun` is called with each row, `done` once the code is done; `next` is shown below the result
   */
  constructor(day, { begun, done, next }) {
    /** What is shown beside the game once it is done. */
    this.details = element("div", {});
    const { board, date } = day;
    const game = new AttemptGame(day, {
      board,
      place: `daily-${board.name}-${date}`,
      rows: ({ rows }) => rows,
      isDone: ({ ending }) => ending !== null,
      note: ({ counts }, left) => (counts ? `${left}.` : `${left}. This code is from the archive, and does not count.`),
      guess: async (view, code) => {
        const answer = await guessDaily(view, code);
        return { row: answer.row, view: answer.day };
      },
      reread: () => readDay(date, board.name),
      begun,
      done: async (view, result) => {
        done(view);
        // Loaded on demand.
        const { dailyDetails, dailyResult } = await import("./dailyoutcome.js");
        result.replaceChildren(dailyResult(view, next));
        this.details.replaceChildren(dailyDetails(view));
      },
    });
    this.element = game.element;
  }
}
