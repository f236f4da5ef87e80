import { ALGORITHMS } from './algorithms.ts';
import { paretoRules } from './pareto-rules.ts';
import { type Columns, type Rule, ratioOfMax } from './rule.ts';

export interface RuleSettings {
  /** Window over which the metrics are averaged, as a Prometheus duration. */
  readonly window: string;
  /** Maximum number of nodes for the rules of the Pareto front. With more nodes they yield nothing. */
  readonly paretoNodes: number;
}

/** Metrics of the exporter, in the order in which formulas name them. */
export const SOURCES = {
  cpu_usage: 'node_cpu_usage_ratio',
  cpu_pressure: 'node_cpu_pressure_psi',
  memory_usage: 'node_memory_usage_ratio',
  memory_pressure: 'node_memory_pressure_psi',
} as const;

interface Names {
  readonly plain: Columns;
  readonly above: Columns;
  readonly around: Columns;
  /** Selects all four columns of deviations above the mean. */
  readonly allAbove: string;
  readonly allPlain: string;
}

/** Expression of an algorithm: its score, or a value to divide by the highest of all nodes. */
interface Formula {
  readonly expr: string;
  readonly relative?: true;
}

/** Returns the rules that record the scores of all algorithms. Later ones read earlier ones, so their order matters. */
export function recordingRules({ window, paretoNodes }: RuleSettings): Rule[] {
  const names = namesOf(window);
  return [
    ...inputs(window),
    ...ALGORITHMS.flatMap(({ id }): Rule[] => {
      const record = ruleName(id, window);
      if (id === 'pareto-front') return paretoRules(record, names.plain, window, paretoNodes);
      const { expr, relative } = FORMULAS[id]?.(names) ?? missing(id);
      if (relative === undefined) return [{ record, expr }];
      const absolute = ruleName(`${id}-absolute`, window);
      return [
        { record: absolute, expr },
        { record, expr: ratioOfMax(absolute) },
      ];
    }),
  ];
}

/** Returns the name under which the score of an algorithm is recorded. */
export function ruleName(id: string, window: string): string {
  return `descheduler:node:${id.replaceAll('-', '_')}:avg${window}`;
}

function missing(id: string): never {
  throw new Error(`no recording rule for ${id}`);
}

const column = (prefix: string, suffix: string, window: string) => `descheduler:node:${prefix}${suffix}:avg${window}`;

function namesOf(window: string): Names {
  const columns = (suffix: string): Columns => ({
    cu: column('cpu_usage', suffix, window),
    cp: column('cpu_pressure', suffix, window),
    mu: column('memory_usage', suffix, window),
    mp: column('memory_pressure', suffix, window),
  });
  const all = (suffix: string) => `{__name__=~"${column('(cpu|memory)_(usage|pressure)', suffix, window)}"}`;
  return {
    plain: columns(''),
    above: columns('_above_mean'),
    around: columns('_from_mean'),
    allPlain: all(''),
    allAbove: all('_above_mean'),
  };
}

/**
 * Returns the input rules. A descheduler finds nodes by the label instance, which a scrape sets to the exporter; two
 * exporters count once.
 */
function inputs(window: string): Rule[] {
  return Object.entries(SOURCES).flatMap(([name, metric]) => {
    const recorded = column(name, '', window);
    const from = column(name, '_from_mean', window);
    return [
      {
        record: recorded,
        expr: `max by (instance) (label_replace(avg_over_time(${metric}[${window}]), "instance", "$1", "node", "(.+)"))`,
      },
      { record: from, expr: `${recorded} - on () group_left () avg(${recorded})` },
      { record: column(name, '_above_mean', window), expr: `clamp_min(${from}, 0)` },
    ];
  });
}

const norm = ({ cu, cp, mu, mp }: Columns) => `sqrt(${cu} ^ 2 + ${cp} ^ 2 + ${mu} ^ 2 + ${mp} ^ 2)`;
const meanSquare = ({ cu, cp, mu, mp }: Columns) => `0.15 * (${cu} ^ 2 + ${mu} ^ 2) + 0.35 * (${cp} ^ 2 + ${mp} ^ 2)`;
const amplify =
  (k: number) =>
  ({ above }: Names): Formula => ({ expr: `clamp_max(${k} * ${norm(above)}, 1)` });

/** Selects the first metric whose deviations above the mean are the largest on average. */
function criticalDimension({ above, allAbove }: Names): string {
  const worst = `max(avg by (__name__) (${allAbove}))`;
  return Object.values(above)
    .map((each) => `(${each} and on () (avg(${each}) >= ${worst}))`)
    .join(' or ');
}

const FORMULAS: Readonly<Record<string, (names: Names) => Formula>> = {
  'weighted-average': ({ plain: { cu, cp, mu, mp } }) => ({ expr: `(${cu} + ${cp} + ${mu} + ${mp}) / 4` }),
  'max-metric': ({ allPlain }) => ({ expr: `max by (instance) (${allPlain})` }),
  'euclidean-distance': ({ plain }) => ({ expr: `${norm(plain)} / 2` }),
  'pressure-focused': ({ plain: { cu, cp, mu, mp } }) => ({
    expr: `clamp_max((${cp} + ${mp} + (${cu} + ${mu}) / 2) / 3, 1)`,
  }),
  'weighted-rms-positive-deviation': ({ above }) => ({ expr: `sqrt(${meanSquare(above)})` }),
  'weighted-mean-square-positive-deviation': ({ above }) => ({ expr: meanSquare(above) }),
  'linear-weighted-positive-deviation': ({ above: { cu, cp, mu, mp } }) => ({
    expr: `0.15 * (${cu} + ${mu}) + 0.35 * (${cp} + ${mp})`,
  }),
  'centroid-distance': ({ around }) => ({ expr: norm(around), relative: true }),
  'directional-centroid-distance': ({ above }) => ({ expr: norm(above), relative: true }),
  'variance-minimization': ({ around: { cu, cp, mu, mp } }) => ({
    expr: `sqrt(${cu} ^ 2 + 2 * ${cp} ^ 2 + ${mu} ^ 2 + 2 * ${mp} ^ 2)`,
    relative: true,
  }),
  'directional-variance-minimization': ({ above: { cu, cp, mu, mp } }) => ({
    expr: `${cu} + 2 * ${cp} + ${mu} + 2 * ${mp}`,
    relative: true,
  }),
  'critical-dimension-focus': (names) => ({ expr: criticalDimension(names), relative: true }),
  'ideal-point-positive-distance': amplify(1),
  'linear-amplified-ideal-point-k1': amplify(1),
  'linear-amplified-ideal-point-k3': amplify(3),
  'linear-amplified-ideal-point-k5': amplify(5),
  'cpu-focused': ({ plain: { cu, cp } }) => ({ expr: `0.7 * ${cu} + 0.3 * ${cp}` }),
  'memory-focused': ({ plain: { mu, mp } }) => ({ expr: `0.7 * ${mu} + 0.3 * ${mp}` }),
};
