/** Parts of drawings: shapes, lines and texts as SVG elements. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} attributes
 * @param {...Node} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function draw(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/**
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} anchor
 */
export function label(text, x, y, anchor) {
  const made = draw("text", { x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}

/**
 * An image with a text alternative.
 * @param {number} width
 * @param {number} height
 * @param {string} words
 */
export function picture(width, height, words) {
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": words });
}
