/** The seals of a match, which fix its codes without telling them. */

import { nameOf } from "../game/match.js";
import { element } from "./element.js";

/** @typedef {import("../wire.js").MatchView} MatchView */
/** @typedef {{ words: string, seal: string | null }} Seal */

/**
 * The seals that were made so far, each with what it fixes.
 * @param {MatchView} match
 * @returns {Seal[]}
 */
export function sealed(match) {
  const duel = match.players.map((player) => ({ words: `the code that ${player.you ? "you break" : `${nameOf(match, player.number)} breaks`}`, seal: player.seal }));
  const all = match.kind === "race" ? [{ words: "the code", seal: match.seal }] : duel;
  return all.filter(({ seal }) => seal !== null);
}

/**
 * What is inside the details about seals.
 * @param {Seal[]} seals
 */
export function sealParts(seals) {
  return [
    element("summary", {}, seals.length > 1 ? "The seals" : "The seal"),
    element("p", {}, "A seal fixes a code without telling it. At the end this page verifies that no code was changed."),
    ...seals.flatMap(({ words, seal }) => [element("p", {}, `Of ${words}:`), element("p", {}, element("code", { class: "digest" }, seal ?? ""))]),
  ];
}
