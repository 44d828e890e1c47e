/** The sizes of a board and its tray, from which the style computes the others. */

/** The most colours in one line on a phone, and in each of several lines with Check beside them. */
const MOST_IN_A_LINE = 7;
const BESIDE_CHECK = 5;
/** The most holes, as wide as a finger, in one line on a phone and on a wide screen. */
const MOST_HOLES_IN_A_LINE = 5;
const MOST_HOLES_WIDE = 10;
/** The most holes whose key pegs are in one line on a low screen; the second needs a wider one. */
const FEW_HOLES = 4;
const SOME_HOLES = 6;
/** The most rows that are shown without scrolling. */
export const MOST_IN_VIEW = 14;

/**
 * @param {HTMLElement} on
 * @param {import("../wire.js").Board} board
 * @param {number} colours how many are in the tray, with the blank
 */
export function measure(on, board, colours) {
  const sizes = {
    "--holes": board.holes,
    "--rows": board.rows,
    "--hand-lines": Math.ceil(board.holes / MOST_HOLES_IN_A_LINE),
    "--wide-lines": Math.ceil(board.holes / MOST_HOLES_WIDE),
    "--colours": colours,
    "--tray-lines": Math.ceil(colours / BESIDE_CHECK),
  };
  for (const [name, size] of Object.entries(sizes)) on.style.setProperty(name, String(size));
  on.classList.toggle("tall", board.rows > MOST_IN_VIEW);
  on.dataset.holes = board.holes <= FEW_HOLES ? "few" : board.holes <= SOME_HOLES ? "some" : "many";
  on.dataset.tray = colours > MOST_IN_A_LINE ? "many-lines" : "one-line";
}
