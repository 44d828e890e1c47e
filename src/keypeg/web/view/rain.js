/** The celebration of a broken code: pegs of the board rain over the page once. */

import { symbols } from "../game/board.js";
import { element } from "./element.js";
import { pegElement } from "./peg.js";

const PEGS = 36;

/** @param {import("../wire.js").Board} board */
export function rain(board) {
  const colours = symbols(board).filter((peg) => peg !== 0);
  const sky = element("div", { class: "rain", "aria-hidden": "true" });
  for (let drop = 0; drop < PEGS; drop += 1) {
    const peg = pegElement(colours[drop % colours.length], board);
    const styles = { "--from": Math.random(), "--late": Math.random() * 2, "--drift": Math.random() - 0.5, "--peg": `${16 + Math.random() * 18}px` };
    for (const [name, value] of Object.entries(styles)) peg.style.setProperty(name, String(value));
    sky.append(peg);
  }
  document.body.append(sky);
  Promise.allSettled(sky.getAnimations({ subtree: true }).map((fall) => fall.finished)).then(() => sky.remove());
}
