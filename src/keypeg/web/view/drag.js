/**
 * Dragging pegs with mouse, finger or pen: from the tray, from a hole or from a played row, into a
 * hole of the row being filled. Dropping a peg never checks the row.
 */

const SLACK_PX = 7;

/**
 * @typedef {object} Drop
 * @property {number} peg
 * @property {number} hole where it was dropped
 * @property {number | null} from the hole it came from, if it came from the row being filled
 */

/**
 * @param {HTMLElement} root
 * @param {{ drop: (drop: Drop) => void, discard: (hole: number) => void }} handlers
 */
export function draggable(root, handlers) {
  /** @type {{ source: HTMLElement, x: number, y: number, ghost: HTMLElement | null, id: number } | null} */
  let drag = null;

  root.addEventListener("pointerdown", (event) => {
    const peg = pegAt(event);
    if (!peg || event.button !== 0) return;
    drag = { source: peg, x: event.clientX, y: event.clientY, ghost: null, id: event.pointerId };
  });

  root.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    if (!drag.ghost && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > SLACK_PX) {
      drag.ghost = lift(drag.source);
      root.setPointerCapture(event.pointerId);
      drag.source.dispatchEvent(new Event("dragstarted", { bubbles: true }));
    }
    if (drag.ghost) {
      drag.ghost.style.translate = `${event.clientX}px ${event.clientY}px`;
      highlight(root, holeAt(event));
    }
  });

  root.addEventListener("pointerup", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const { ghost, source } = drag;
    drag = null;
    if (!ghost) return;
    settle(root, ghost);
    root.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => root.removeEventListener("click", swallow, { capture: true }));
    finish(source, holeAt(event));
  });

  root.addEventListener("pointercancel", () => {
    if (drag?.ghost) settle(root, drag.ghost);
    drag = null;
  });

  /**
   * @param {HTMLElement} source
   * @param {HTMLElement | null} target
   */
  function finish(source, target) {
    const from = holeOf(source);
    if (target) handlers.drop({ peg: Number(source.dataset.peg), hole: Number(target.dataset.hole), from });
    else if (from !== null) handlers.discard(from);
  }
}

/** @param {PointerEvent} event */
function pegAt(event) {
  const target = /** @type {Element} */ (event.target);
  const holder = target.closest(".swatch, .hand .hole, .row.played .hole");
  return /** @type {HTMLElement | null} */ (holder?.querySelector(".peg:not(.mask)") ?? null);
}

/**
 * The hole under the pointer or very near to it, since fingers are imprecise.
 * @param {PointerEvent} event
 * @returns {HTMLElement | null}
 */
function holeAt({ clientX, clientY }) {
  let nearest = null;
  let least = Infinity;
  for (const hole of document.querySelectorAll(".hand .hole")) {
    const box = hole.getBoundingClientRect();
    const distance = Math.hypot(clientX - box.x - box.width / 2, clientY - box.y - box.height / 2);
    if (distance < Math.max(box.width, 44) && distance < least) {
      nearest = /** @type {HTMLElement} */ (hole);
      least = distance;
    }
  }
  return nearest;
}

/** @param {HTMLElement} peg */
function holeOf(peg) {
  const hole = /** @type {HTMLElement | null} */ (peg.closest(".hand .hole"));
  return hole ? Number(hole.dataset.hole) : null;
}

/** @param {HTMLElement} peg */
function lift(peg) {
  const ghost = /** @type {HTMLElement} */ (peg.cloneNode(true));
  const box = peg.getBoundingClientRect();
  ghost.classList.add("ghost");
  ghost.style.setProperty("--peg", `${Math.max(box.width, 40)}px`);
  document.body.append(ghost);
  return ghost;
}

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} ghost
 */
function settle(root, ghost) {
  ghost.remove();
  highlight(root, null);
}

/**
 * @param {HTMLElement} root
 * @param {HTMLElement | null} hole
 */
function highlight(root, hole) {
  for (const lit of root.querySelectorAll(".hole.target")) lit.classList.remove("target");
  hole?.classList.add("target");
}

/** @param {Event} event */
function swallow(event) {
  event.stopPropagation();
  event.preventDefault();
}
