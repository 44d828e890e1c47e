/** Whether data from the browser's storage, or from a file, is valid: functions that check one value. */

/** @typedef {(value: unknown) => boolean} Check */

/** Names of fields that every object has or inherits, which must not be entries. */
const FORBIDDEN = ["__proto__", "constructor", "prototype"];

/**
 * A text of at most this many characters.
 * @param {number} most
 * @returns {Check}
 */
export const text = (most) => (value) => typeof value === "string" && value.length <= most;

/**
 * @param {number} least
 * @param {number} most
 * @returns {Check}
 */
export const number = (least, most) => (value) => typeof value === "number" && value >= least && value <= most;

/**
 * @param {number} least
 * @param {number} most
 * @returns {Check}
 */
export const whole = (least, most) => (value) => Number.isInteger(value) && number(least, most)(value);

/** Milliseconds since 1970, up to the year 2286. */
export const time = number(0, 1e13);

/** A day as in 2026-11-18. @type {Check} */
export const day = (value) => typeof value === "string" && /^\d{4}-[01]\d-[0-3]\d$/.test(value);

/** @type {Check} */
export const flag = (value) => typeof value === "boolean";

/**
 * @param {...unknown} values
 * @returns {Check}
 */
export const oneOf = (...values) => (value) => values.includes(value);

/**
 * @param {Check} check
 * @returns {Check}
 */
export const maybe = (check) => (value) => value === null || check(value);

/**
 * @param {Check} check
 * @param {number} most
 * @returns {Check}
 */
export const list = (check, most) => (value) => Array.isArray(value) && value.length <= most && value.every(check);

/**
 * An object with these fields, perhaps some of the optional ones, and no others.
 * @param {Record<string, Check>} fields
 * @param {Record<string, Check>} [optional]
 * @returns {Check}
 */
export const record = (fields, optional = {}) => (value) =>
  isObject(value) &&
  Object.keys(fields).every((name) => Object.hasOwn(value, name) && fields[name](value[name])) &&
  Object.keys(value).every((name) => Object.hasOwn(fields, name) || (Object.hasOwn(optional, name) && optional[name](value[name])));

/**
 * An object with any names, all values alike.
 * @param {Check} check
 * @param {number} most
 * @returns {Check}
 */
export const dictionary = (check, most) => (value) =>
  isObject(value) && Object.keys(value).length <= most && Object.entries(value).every(([name, one]) => name.length <= 40 && !FORBIDDEN.includes(name) && check(one));

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
