import { type Load, largest, METRICS, mean } from './load.ts';
import { paretoFront } from './pareto-front.ts';

/** Scores how loaded each node is. Nodes with higher scores should give VMs away first. */
export type Score = (load: Load) => Float64Array;

export interface Algorithm {
  /** Id for command lines and rule names. */
  readonly id: string;
  readonly name: string;
  readonly score: Score;
}

/** Formula over the four metrics of one node: usage and pressure of CPU, then of memory. */
type Formula = (cu: number, cp: number, mu: number, mp: number) => number;

/** Scores a node by its metrics. */
const plain =
  (formula: Formula): Score =>
  (load) =>
    scoreNodes(load, 0, 0, 0, 0, formula);

/** Scores a node by the deviation of its metrics from the mean of the nodes. */
const aroundMean =
  (formula: Formula): Score =>
  (load) =>
    scoreNodes(
      load,
      mean(load.cpuUsage),
      mean(load.cpuPressure),
      mean(load.memoryUsage),
      mean(load.memoryPressure),
      formula,
    );

/** Scores a node by how far its metrics lie above the mean of the nodes. Values below it count as 0. */
const above = (formula: Formula): Score =>
  aroundMean((cu, cp, mu, mp) => formula(Math.max(0, cu), Math.max(0, cp), Math.max(0, mu), Math.max(0, mp)));

/** Threshold below which a difference between nodes is rounding, which a ratio would amplify. */
export const NOTHING = 1e-9;

/** Scores a node by the ratio of its score to the highest one. */
const relative =
  (score: Score): Score =>
  (load) => {
    const scores = score(load);
    const max = largest(scores);
    return max > NOTHING ? scores.map((each) => each / max) : scores.fill(0);
  };

function scoreNodes(load: Load, cu: number, cp: number, mu: number, mp: number, formula: Formula): Float64Array {
  const { cpuUsage, cpuPressure, memoryUsage, memoryPressure } = load;
  const scores = new Float64Array(load.size);
  for (let i = 0; i < scores.length; i++) {
    scores[i] = formula(
      (cpuUsage[i] as number) - cu,
      (cpuPressure[i] as number) - cp,
      (memoryUsage[i] as number) - mu,
      (memoryPressure[i] as number) - mp,
    );
  }
  return scores;
}

const norm: Formula = (cu, cp, mu, mp) => Math.sqrt(cu * cu + cp * cp + mu * mu + mp * mp);
const amplify = (k: number): Score => above((cu, cp, mu, mp) => Math.min(1, k * norm(cu, cp, mu, mp)));

/** Weights of the positive deviations, which add up to 1. */
const USAGE = 0.15;
const PRESSURE = 0.35;
const meanSquare: Formula = (cu, cp, mu, mp) => USAGE * (cu * cu + mu * mu) + PRESSURE * (cp * cp + mp * mp);

/** Scores nodes by the one metric in which they exceed the mean the most. */
const criticalDimension: Score = (load) => {
  let [worst, max] = [new Float64Array(load.size), -1];
  for (const metric of METRICS) {
    const middle = mean(load[metric]);
    const above = load[metric].map((each) => Math.max(0, each - middle));
    const average = mean(above);
    if (average > max) [worst, max] = [above, average];
  }
  return worst;
};

/** Nineteen scoring algorithms, in the order of their numbers. */
export const ALGORITHMS: readonly Algorithm[] = [
  { id: 'weighted-average', name: 'Weighted Average', score: plain((cu, cp, mu, mp) => (cu + cp + mu + mp) / 4) },
  { id: 'max-metric', name: 'Max Metric', score: plain(Math.max) },
  {
    id: 'euclidean-distance',
    name: 'Euclidean Distance',
    score: plain((cu, cp, mu, mp) => norm(cu, cp, mu, mp) / 2),
  },
  {
    id: 'pressure-focused',
    name: 'Pressure Focused',
    score: plain((cu, cp, mu, mp) => Math.min(1, (cp + mp + (cu + mu) / 2) / 3)),
  },
  {
    id: 'weighted-rms-positive-deviation',
    name: 'Weighted RMS Positive Deviation',
    score: above((cu, cp, mu, mp) => Math.sqrt(meanSquare(cu, cp, mu, mp))),
  },
  {
    id: 'weighted-mean-square-positive-deviation',
    name: 'Weighted Mean Square Positive Deviation',
    score: above(meanSquare),
  },
  {
    id: 'linear-weighted-positive-deviation',
    name: 'Linear Weighted Positive Deviation',
    score: above((cu, cp, mu, mp) => USAGE * (cu + mu) + PRESSURE * (cp + mp)),
  },
  { id: 'pareto-front', name: 'Pareto Front (NSGA-II)', score: paretoFront },
  { id: 'centroid-distance', name: 'Centroid Distance', score: relative(aroundMean(norm)) },
  {
    id: 'directional-centroid-distance',
    name: 'Directional Centroid Distance',
    score: relative(above(norm)),
  },
  {
    id: 'variance-minimization',
    name: 'Variance Minimization',
    score: relative(aroundMean((cu, cp, mu, mp) => Math.sqrt(cu * cu + 2 * cp * cp + mu * mu + 2 * mp * mp))),
  },
  {
    id: 'directional-variance-minimization',
    name: 'Directional Variance Minimization',
    score: relative(above((cu, cp, mu, mp) => cu + 2 * cp + mu + 2 * mp)),
  },
  { id: 'critical-dimension-focus', name: 'Critical Dimension Focus', score: relative(criticalDimension) },
  { id: 'ideal-point-positive-distance', name: 'Ideal Point Positive Distance', score: amplify(1) },
  { id: 'linear-amplified-ideal-point-k1', name: 'Linear Amplified Ideal Point (k=1)', score: amplify(1) },
  { id: 'linear-amplified-ideal-point-k3', name: 'Linear Amplified Ideal Point (k=3)', score: amplify(3) },
  { id: 'linear-amplified-ideal-point-k5', name: 'Linear Amplified Ideal Point (k=5)', score: amplify(5) },
  { id: 'cpu-focused', name: 'CPU Focused', score: plain((cu, cp) => 0.7 * cu + 0.3 * cp) },
  { id: 'memory-focused', name: 'Memory Focused', score: plain((_cu, _cp, mu, mp) => 0.7 * mu + 0.3 * mp) },
];

export const DEFAULT_ALGORITHM = 'ideal-point-positive-distance';
