/** Creates elements without HTML in strings, which the content security policy forbids. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {string | number | boolean | null | undefined | ((event: any) => void)} Attribute */
/** @typedef {Node | string | null | false} Child */

/**
 * An element with attributes, listeners (`onclick`) and children. Children that are false or null are left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else attribute(made, name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== false));
  return made;
}

/**
 * Set an attribute. True sets it to the empty string; false, null and undefined remove it.
 * @param {Element} on
 * @param {string} name
 * @param {string | number | boolean | null | undefined} value
 */
export function attribute(on, name, value) {
  if (value === null || value === undefined || value === false) on.removeAttribute(name);
  else on.setAttribute(name, value === true ? "" : String(value));
}

/**
 * A decorative drawing in a box of 24 by 24. Screen readers ignore it.
 * @param {string} path
 * @param {string} name its class
 * @returns {SVGSVGElement}
 */
export function drawing(path, name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", name);
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  shape.setAttribute("fill-rule", "evenodd");
  svg.append(shape);
  return svg;
}

/**
 * An element that must be on the page.
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function find(selector) {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`this page has no ${selector}`);
  return found;
}
