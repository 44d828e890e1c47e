/** The keyboard focus, which must not get lost when the element that has it disappears. */

/**
 * Keep the focus in a part of the page.
 * @param {HTMLElement} part
 * @param {() => HTMLElement} next what gets the focus if the element in `part` that had it is gone
 * @returns {() => void} to be called after a change
 */
export function focusKeeper(part, next) {
  let isHere = false;
  part.addEventListener("focusin", () => (isHere = true));
  // Whoever clicks beside all controls wants the focus to be nowhere.
  addEventListener("pointerdown", () => (isHere = false), { capture: true });
  return () => {
    if (isHere && isLost()) next().focus({ preventScroll: true });
  };
}

function isLost() {
  const { activeElement, body } = document;
  return !activeElement || activeElement === body || !activeElement.checkVisibility();
}
