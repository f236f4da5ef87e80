/** Returns the value that a Student's t variable exceeds in absolute terms with the given probability. */
export function criticalT(probability: number, freedom: number): number {
  let [low, high] = [0, 1];
  while (tailsBeyond(high, freedom) > probability) high *= 2;
  // Bisection halves the interval, so that 100 steps reach the precision of numbers.
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (tailsBeyond(middle, freedom) > probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Returns the probability of both tails beyond a value. */
function tailsBeyond(t: number, freedom: number): number {
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/** Regularized incomplete beta function. The continued fraction converges quickly on one side of the mean. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const front = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

const TINY = 1e-300;

/** Continued fraction of the incomplete beta function by Lentz's method. */
function betaFraction(x: number, a: number, b: number): number {
  const away = (value: number) => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

/** Logarithm of the gamma function for multiples of one half, which are all that is needed. */
function lnGamma(value: number): number {
  let sum = 0;
  let rest = value;
  for (; rest > 1; rest--) sum += Math.log(rest - 1);
  return sum + (rest === 0.5 ? Math.log(Math.PI) / 2 : 0);
}
