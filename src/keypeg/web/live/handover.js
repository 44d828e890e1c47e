/** A code handed over from one page to another of this tab: never in an address, which others could read. */

const KEY = "keypeg.contest-code";

/** @typedef {{ board: string, code: number[] }} Handover */

/**
 * Keep a code for the page that makes contests, and go there.
 * @param {Handover} handover
 */
export function setContest(handover) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(handover));
  } catch {
    // Without storage, the code is typed in there.
  }
  location.assign("/contest");
}

/**
 * The code that was handed over, once.
 * @returns {Handover | null}
 */
export function handedOver() {
  try {
    const text = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
