/** The invitation of a friend: the link, a QR code from the server, and the device's share button. */

import { element } from "./element.js";
import { announce } from "./status.js";

const ONLY_HERE = "Only this device can open this link. To play with somebody on another device, start the server with: keypeg serve --host 0.0.0.0";

/** @param {string} table */
export function invitation(table) {
  return linkCard(`/table/${table}`, "Invite a friend", "The first person to sit down with this link takes the other seat; everybody else watches.");
}

/**
 * A link for others: to copy, to share, and as a QR code.
 * @param {string} path
 * @param {string} title
 * @param {string} words
 */
export function linkCard(path, title, words) {
  const link = `${base()}${path}`;
  const field = element("input", { readonly: true, value: link, id: "invite-link", onfocus: () => field.select() });
  const copy = element(
    "button",
    {
      type: "button",
      onclick: async () => {
        field.select();
        copy.textContent = (await copied(link)) ? "Copied" : "Press Ctrl+C";
        announce(`${copy.textContent}.`);
      },
    },
    "Copy link",
  );
  const share = element(
    "button",
    { type: "button", class: "primary", onclick: () => navigator.share({ title: "keypeg", text: "Break my code!", url: link }).catch(() => {}) },
    "Share…",
  );
  return element(
    "section",
    { class: "invitation card", "aria-label": title },
    element("h2", {}, title),
    element("p", {}, words),
    element("label", { for: "invite-link" }, "Link"),
    field,
    element("div", { class: "buttons" }, copy, typeof navigator.share === "function" && share),
    isOnThisDevice(link)
      ? element("p", { class: "reason" }, ONLY_HERE)
      : element("img", { src: `${path}/qr.svg`, alt: "QR code of the link", class: "qr", width: 180, height: 180 }),
  );
}

/** @param {string} link */
function isOnThisDevice(link) {
  return /^(localhost|127\..*|\[::1\])$/.test(new URL(link).hostname);
}

/** Where others find this server; at localhost they would find their own device. */
function base() {
  return document.querySelector('meta[name="invitation-base"]')?.getAttribute("content") ?? location.origin;
}

/**
 * Copy a text to the clipboard. Browsers may not allow that without HTTPS.
 * @param {string} text
 */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}
