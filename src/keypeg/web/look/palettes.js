/**
 * The colours of the pegs. They were chosen for the largest CIEDE2000 distance between any two, as
 * seen with normal, protan, deutan and tritan vision. tests/web/test_palette.py recomputes it.
 */

/** @type {Record<string, string>} */
const SIX = {
  red: "#a81905", blue: "#0026be", yellow: "#e6cf00",
  green: "#19a07e", white: "#f7fffe", black: "#080808",
};

/** @type {Record<string, string>} */
const NINE = {
  magenta: "#e183f4", orange: "#e65b0c", blue: "#1d0eff", purple: "#49015c", yellow: "#f9e41b",
  white: "#f6fdfd", green: "#1da387", black: "#060605", red: "#92190f",
};

/** @type {Record<string, string>} */
const TWENTY = {
  magenta: "#db78c3", orange: "#f97822", blue: "#2220ce", purple: "#4d217d", yellow: "#fff959",
  white: "#fcfef8", green: "#46ae85", black: "#121111", red: "#b10f38", amber: "#ffb818",
  brown: "#6e2a0b", cyan: "#73ddfc", denim: "#4a7392", emerald: "#02623b", flame: "#e8380c",
  grey: "#878689", hazel: "#897c57", indigo: "#12114a", jade: "#9acdba", khaki: "#c5ca94",
};

/**
 * The colours, by name, of a board with this number of colours.
 * @param {number} colours
 */
export function safePalette(colours) {
  return colours <= 6 ? SIX : colours <= 9 ? NINE : TWENTY;
}

/**
 * Black or white, whichever is easier to read on a colour.
 * @param {string} hex
 * @returns {"#000000" | "#ffffff"}
 */
export function inkOn(hex) {
  return contrast(hex, "#000000") >= contrast(hex, "#ffffff") ? "#000000" : "#ffffff";
}

/**
 * The contrast ratio of two colours (WCAG 2.2).
 * @param {string} one
 * @param {string} two
 */
export function contrast(one, two) {
  const [dark, light] = [luminance(one), luminance(two)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** @param {string} hex */
function luminance(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
