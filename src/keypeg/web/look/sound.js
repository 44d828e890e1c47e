/** Quiet sounds, generated without sound files. They are off by default. */

import { readPreferences } from "./preferences.js";

/** Frequency in hertz, length in seconds. */
const SOUNDS = { place: [520, 0.05], check: [390, 0.09], dark: [660, 0.07], broken: [880, 0.4] };

/** @type {AudioContext | null} */
let audio = null;

/** @param {keyof typeof SOUNDS} name */
export function play(name) {
  if (!readPreferences().sound) return;
  audio ??= new AudioContext();
  const [frequency, seconds] = SOUNDS[name];
  const tone = new OscillatorNode(audio, { frequency, type: "sine" });
  const volume = new GainNode(audio, { gain: 0.06 });
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + seconds);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + seconds);
}
