/** A shape for each colour, for players who distinguish shapes more easily than colours or letters. */

/** Paths in a box of 24 by 24, by the colour's name. @type {Record<string, string>} */
export const SHAPES = {
  red: "M12 4 21 20H3Z",
  blue: "M5 5h14v14H5Z",
  yellow: "M12 3l2.7 6 6.3.6-4.8 4.3 1.4 6.3L12 17l-5.6 3.2 1.4-6.3L3 9.6 9.3 9Z",
  green: "M12 3 21 12 12 21 3 12Z",
  white: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16Zm0 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z",
  black: "M9 4h6v5h5v6h-5v5H9v-5H4V9h5Z",
  magenta: "M12 20C4 14 3 11 3 9a4.5 4.5 0 0 1 9-1 4.5 4.5 0 0 1 9 1c0 2-1 5-9 11Z",
  orange: "M7 4h10l5 8-5 8H7l-5-8Z",
  purple: "M16 3a9 9 0 1 0 0 18 4 9 0 0 1 0-18Z",
  amber: "M3 5h18L12 21Z",
  brown: "M3 9h18v6H3Z",
  cyan: "M12 3C16 9 18 12 18 15a6 6 0 0 1-12 0c0-3 2-6 6-12Z",
  denim: "M9 3h6v18H9Z",
  emerald: "M12 3l9 7-3.5 11h-11L3 10Z",
  flame: "M5 4l14 8L5 20Z",
  grey: "M4 4h16v16H4Zm4 4v8h8V8Z",
  hazel: "M2 12C6 5 18 5 22 12 18 19 6 19 2 12Z",
  indigo: "M19 4 5 12l14 8Z",
  jade: "M5 3l7 6 7-6v18l-7-6-7 6Z",
  khaki: "M4 14a8 8 0 0 1 16 0v5H4Z",
};
