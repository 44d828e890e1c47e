/** The keyboard focus, which must not get lost when the element that has it disappears. */

/** How often somebody has clicked or tapped. Whoever clicks beside all controls wants no focus. */
let presses = 0;
addEventListener("pointerdown", () => (presses += 1), { capture: true });

/**
 * Keep the focus in a part of the page.
 * @param {HTMLElement} part
 * @param {() => HTMLElement} next what gets the focus if the element in `part` that had it is gone
 * @returns {() => void} to be called after a change
 */
export function focusKeeper(part, next) {
  /** The number of presses when the focus last came here. */
  let since = -1;
  part.addEventListener("focusin", () => (since = presses));
  return () => {
    if (since === presses && isLost()) next().focus({ preventScroll: true });
  };
}

function isLost() {
  const { activeElement, body } = document;
  return !activeElement || activeElement === body || !activeElement.checkVisibility();
}
