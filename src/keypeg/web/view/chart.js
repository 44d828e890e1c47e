/** A chart of the codes left after each row, on a logarithmic scale. The rows show the same as text. */

import { grouped } from "../game/board.js";
import { draw, label, picture } from "./svg.js";

const WIDTH = 420;
const HEIGHT = 170;
const EDGE = { left: 46, right: 12, top: 14, bottom: 24 };

/**
 * @param {number[]} left the codes possible at the start and after each row
 * @returns {SVGSVGElement}
 */
export function codesLeftChart(left) {
  const svg = picture(WIDTH, HEIGHT, `Codes left: ${left.map(grouped).join(", ")}`);
  const most = Math.log10(Math.max(10, left[0]));
  const x = (/** @type {number} */ at) => EDGE.left + (at * (WIDTH - EDGE.left - EDGE.right)) / Math.max(1, left.length - 1);
  const y = (/** @type {number} */ count) => HEIGHT - EDGE.bottom - (Math.log10(Math.max(1, count)) / most) * (HEIGHT - EDGE.top - EDGE.bottom);
  for (let power = 0; power <= Math.floor(most); power += 1) {
    const height = y(10 ** power);
    svg.append(draw("line", { class: "axis", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: height, y2: height, "stroke-dasharray": power ? "2 4" : "" }));
    svg.append(label(grouped(10 ** power), EDGE.left - 6, height + 4, "end"));
  }
  svg.append(draw("polyline", { class: "line", points: left.map((count, at) => `${x(at)},${y(count)}`).join(" ") }));
  left.forEach((count, at) => {
    svg.append(draw("circle", { class: "dot", cx: x(at), cy: y(count), r: 4 }));
    svg.append(label(at === 0 ? "start" : String(at), x(at), HEIGHT - 6, "middle"));
  });
  return svg;
}
