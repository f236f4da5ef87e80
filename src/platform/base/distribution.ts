/** Source of numbers in [0, 1). */
type Next = () => number;

/** Draws from the normal distribution (Box-Muller; the second value is dropped so that each draw stands alone). */
export function normal(next: Next, mean: number, deviation: number): number {
  // 1 - next() is never zero, so its logarithm is finite.
  const radius = Math.sqrt(-2 * Math.log(1 - next()));
  return mean + deviation * radius * Math.cos(2 * Math.PI * next());
}

/** Draws from the exponential distribution by inverting it. */
export function exponential(next: Next, rate: number): number {
  if (!(rate > 0)) throw new RangeError(`a rate must be positive, not ${rate}`);
  return -Math.log(1 - next()) / rate;
}

/** Draws from the Poisson distribution, in constant time for large lambda. */
export function poisson(next: Next, lambda: number): number {
  if (!(lambda >= 0 && lambda < Number.MAX_SAFE_INTEGER)) {
    throw new RangeError(`lambda must be zero or more and finite, not ${lambda}`);
  }
  return lambda < 30 ? poissonByProduct(next, lambda) : poissonByRejection(next, lambda);
}

/** Counts events until the product of their random numbers falls below e^-lambda (Knuth). */
function poissonByProduct(next: Next, lambda: number): number {
  const limit = Math.exp(-lambda);
  let events = 0;
  for (let product = next(); product > limit; product *= next()) events++;
  return events;
}

/** Implements Hoermann's transformed rejection (PTRS, 1993). */
function poissonByRejection(next: Next, lambda: number): number {
  const b = 0.931 + 2.53 * Math.sqrt(lambda);
  const a = -0.059 + 0.02483 * b;
  const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  const likely = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const u = next() - 0.5;
    const v = 1 - next();
    const us = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= likely) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const chance = Math.log(v) + Math.log(inverseAlpha) - Math.log(a / (us * us) + b);
    if (chance <= k * Math.log(lambda) - lambda - logFactorial(k)) return k;
  }
}

/** Computes ln(k!) by Stirling's series, or by direct summation where the series is not yet close. */
function logFactorial(k: number): number {
  if (k < 10) {
    let sum = 0;
    for (let i = 2; i <= k; i++) sum += Math.log(i);
    return sum;
  }
  const inverse = 1 / k;
  const series = inverse / 12 - inverse ** 3 / 360 + inverse ** 5 / 1260;
  return (k + 0.5) * Math.log(k) - k + 0.5 * Math.log(2 * Math.PI) + series;
}
