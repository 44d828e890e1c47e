/** A chart of the codes left after each row, on a logarithmic scale. The rows show the same as text. */

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 420;
const HEIGHT = 170;
const EDGE = { left: 46, right: 12, top: 14, bottom: 24 };

/**
 * @param {number[]} left the codes possible at the start and after each row
 * @returns {SVGSVGElement}
 */
export function codesLeftChart(left) {
  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img" });
  svg.setAttribute("aria-label", `Codes left: ${left.map((count) => count.toLocaleString("en")).join(", ")}`);
  const most = Math.log10(Math.max(10, left[0]));
  const x = (/** @type {number} */ at) => EDGE.left + (at * (WIDTH - EDGE.left - EDGE.right)) / Math.max(1, left.length - 1);
  const y = (/** @type {number} */ count) => HEIGHT - EDGE.bottom - (Math.log10(Math.max(1, count)) / most) * (HEIGHT - EDGE.top - EDGE.bottom);
  for (let power = 0; power <= Math.floor(most); power += 1) {
    const height = y(10 ** power);
    svg.append(make("line", { class: "axis", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: height, y2: height, "stroke-dasharray": power ? "2 4" : "" }));
    svg.append(label((10 ** power).toLocaleString("en"), EDGE.left - 6, height + 4, "end"));
  }
  svg.append(make("polyline", { class: "line", points: left.map((count, at) => `${x(at)},${y(count)}`).join(" ") }));
  left.forEach((count, at) => {
    svg.append(make("circle", { class: "dot", cx: x(at), cy: y(count), r: 4 }));
    svg.append(label(at === 0 ? "start" : String(at), x(at), HEIGHT - 6, "middle"));
  });
  return svg;
}

/**
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} anchor
 */
function label(text, x, y, anchor) {
  const made = make("text", { x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} attributes
 * @returns {SVGElementTagNameMap[Tag]}
 */
function make(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
