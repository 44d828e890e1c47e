/**
 * The Glicko-2 rating system, after Mark Glickman, "Example of the Glicko-2 system" (2013), whose steps
 * are numbered here and whose example is a test.
 */

/** @typedef {{ rating: number, deviation: number, volatility: number }} Standing */
/** @typedef {{ rating: number, deviation: number, score: number }} Result against an opponent: 1 won, 0 lost */

/** @type {Standing} */
export const UNRATED = { rating: 1500, deviation: 350, volatility: 0.06 };

/** How much the volatility may change (step 1). */
const TAU = 0.5;
const SCALE = 173.7178;
const PRECISION = 1e-6;

/**
 * The standing after a rating period with these results, which may be none.
 * @param {Standing} before
 * @param {readonly Result[]} results
 * @returns {Standing}
 */
export function afterPeriod({ rating, deviation, volatility }, results) {
  const mu = (rating - UNRATED.rating) / SCALE;
  const phi = deviation / SCALE;
  if (results.length === 0) return { rating, deviation: capped(Math.hypot(phi, volatility)), volatility };
  const games = results.map((result) => {
    const weight = g(result.deviation / SCALE);
    return { weight, expected: expected(mu, (result.rating - UNRATED.rating) / SCALE, weight), score: result.score };
  });
  const variance = 1 / games.reduce((sum, { weight, expected: e }) => sum + weight ** 2 * e * (1 - e), 0); // step 3
  const gained = games.reduce((sum, { weight, expected: e, score }) => sum + weight * (score - e), 0);
  const sigma = newVolatility(phi, volatility, variance, variance * gained); // steps 4 and 5
  const widened = Math.hypot(phi, sigma); // step 6
  const phiAfter = 1 / Math.sqrt(1 / widened ** 2 + 1 / variance); // step 7
  return { rating: SCALE * (mu + phiAfter ** 2 * gained) + UNRATED.rating, deviation: capped(phiAfter), volatility: sigma };
}

/**
 * The score that somebody with this rating can expect against an opponent with a known one.
 * @param {number} rating
 * @param {number} opponent
 */
export function expectedScore(rating, opponent) {
  return expected(rating / SCALE, opponent / SCALE, 1);
}

/** @param {number} phi */
function capped(phi) {
  return Math.min(phi * SCALE, UNRATED.deviation);
}

/** @param {number} phi */
function g(phi) {
  return 1 / Math.sqrt(1 + (3 * phi ** 2) / Math.PI ** 2);
}

/**
 * @param {number} mu
 * @param {number} opponent
 * @param {number} weight
 */
function expected(mu, opponent, weight) {
  return 1 / (1 + Math.exp(-weight * (mu - opponent)));
}

/**
 * Step 5: the volatility that explains the results best, by the Illinois algorithm.
 * @param {number} phi
 * @param {number} sigma
 * @param {number} variance
 * @param {number} delta
 */
function newVolatility(phi, sigma, variance, delta) {
  const a = Math.log(sigma ** 2);
  const f = (/** @type {number} */ x) => {
    const spread = phi ** 2 + variance + Math.exp(x);
    return (Math.exp(x) * (delta ** 2 - spread)) / (2 * spread ** 2) - (x - a) / TAU ** 2;
  };
  let low = a;
  let high = Math.log(delta ** 2 - phi ** 2 - variance);
  if (!(delta ** 2 > phi ** 2 + variance)) {
    for (high = a - TAU; f(high) < 0; high -= TAU);
  }
  let [atLow, atHigh] = [f(low), f(high)];
  while (Math.abs(high - low) > PRECISION) {
    const next = low + ((low - high) * atLow) / (atHigh - atLow);
    const atNext = f(next);
    if (atNext * atHigh <= 0) [low, atLow] = [high, atHigh];
    else atLow /= 2;
    [high, atHigh] = [next, atNext];
  }
  return Math.exp(low / 2);
}
