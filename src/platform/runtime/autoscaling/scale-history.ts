import type { HorizontalPodAutoscaler, ScalingRules } from '#platform/kube/kinds/autoscaling';

interface Recommendation {
  readonly replicas: number;
  readonly at: number;
}

interface Change {
  /** Number of replicas that were added; negative if they were deleted. */
  readonly by: number;
  readonly at: number;
}

/** Recent recommendations and changes of an autoscaler, in order of time. */
export interface ScaleHistory {
  readonly recommendations: readonly Recommendation[];
  readonly changes: readonly Change[];
}

/** How fast an autoscaler may scale. */
export type ScalingBehavior = NonNullable<HorizontalPodAutoscaler['spec']['behavior']>;

/** Result of limiting a recommendation, with the conditions that explain it. */
export interface LimitedScale {
  readonly replicas: number;
  /** Recommendation after recent ones were considered, and before its limits. */
  readonly stable: number;
  readonly able: { readonly reason: string; readonly message: string };
  readonly limited: { readonly isLimited: boolean; readonly reason: string; readonly message: string };
}

export interface Bounds {
  readonly current: number;
  readonly min: number;
  readonly max: number;
}

const DOWN_WINDOW_SECONDS = 300;
/** Without rules, the number of replicas may double, and always reach a few. */
const GROWTH = 2;
const MIN_GROWTH_LIMIT = 4;

const READY = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const DOWN_STABILIZED = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const UP_STABILIZED = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const WITHIN = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const TOO_FEW = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const TOO_MANY = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const TOO_FAST_UP = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const TOO_FAST_DOWN = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};

/** Limits a recommendation by recent ones, by the rate of change, and by the bounds of the autoscaler. */
export function limitScale(
  behavior: ScalingBehavior | undefined,
  recommended: number,
  bounds: Bounds,
  history: ScaleHistory,
  now: number,
): LimitedScale {
  if (behavior === undefined) {
    const recent = within(history.recommendations, DOWN_WINDOW_SECONDS, now).map(({ replicas }) => replicas);
    const stable = Math.max(recommended, ...recent);
    return limitedTo(stable, boundedByDefault(stable, bounds), stable === recommended ? READY : DOWN_STABILIZED);
  }
  const stable = stabilizedReplicas(recommended, bounds.current, behavior, history, now);
  const why = recommended >= bounds.current ? UP_STABILIZED : DOWN_STABILIZED;
  const bounded = boundedByRules(stable, bounds, behavior, history, now);
  return limitedTo(stable, bounded, stable === recommended ? READY : why);
}

interface Bounded {
  readonly replicas: number;
  readonly why: { readonly reason: string; readonly message: string };
}

const limitedTo = (stable: number, { replicas, why }: Bounded, able: LimitedScale['able']): LimitedScale => ({
  replicas,
  stable,
  able,
  limited: { isLimited: replicas !== stable, ...why },
});

const within = <T extends { readonly at: number }>(entries: readonly T[], seconds: number, now: number): T[] =>
  entries.filter(({ at }) => at > now - seconds * 1000);

function boundedByDefault(desired: number, { current, min, max }: Bounds): Bounded {
  const growth = Math.max(GROWTH * current, MIN_GROWTH_LIMIT);
  if (desired < min) return { replicas: min, why: TOO_FEW };
  if (desired > Math.min(max, growth)) {
    return { replicas: Math.min(max, growth), why: max > growth ? TOO_FAST_UP : TOO_MANY };
  }
  return { replicas: desired, why: WITHIN };
}

function stabilizedReplicas(
  recommended: number,
  current: number,
  { scaleUp, scaleDown }: ScalingBehavior,
  { recommendations }: ScaleHistory,
  now: number,
): number {
  const recent = (seconds: number) => within(recommendations, seconds, now).map(({ replicas }) => replicas);
  const up = Math.min(recommended, ...recent(scaleUp?.stabilizationWindowSeconds ?? 0));
  const down = Math.max(recommended, ...recent(scaleDown?.stabilizationWindowSeconds ?? DOWN_WINDOW_SECONDS));
  return Math.min(Math.max(current, up), down);
}

function boundedByRules(
  desired: number,
  { current, min, max }: Bounds,
  { scaleUp, scaleDown }: ScalingBehavior,
  { changes }: ScaleHistory,
  now: number,
): Bounded {
  if (desired > current) {
    const limit = Math.max(current, rateLimit(current, scaleUp, changes, now, 1));
    if (desired <= Math.min(max, limit)) return { replicas: desired, why: WITHIN };
    return { replicas: Math.min(max, limit), why: max > limit ? TOO_FAST_UP : TOO_MANY };
  }
  if (desired < current) {
    const limit = Math.min(current, rateLimit(current, scaleDown, changes, now, -1));
    if (desired >= Math.max(min, limit)) return { replicas: desired, why: WITHIN };
    return { replicas: Math.max(min, limit), why: min < limit ? TOO_FAST_DOWN : TOO_FEW };
  }
  return { replicas: desired, why: WITHIN };
}

/** Returns how far the policies of one direction let the number of replicas go. */
function rateLimit(
  current: number,
  rules: ScalingRules | undefined,
  changes: readonly Change[],
  now: number,
  direction: 1 | -1,
): number {
  const { selectPolicy = 'Max', policies = [] } = rules ?? {};
  if (selectPolicy === 'Disabled') return current;
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const start = current - within(changes, periodSeconds, now).reduce((sum, { by }) => sum + by, 0);
    if (type === 'Pods') return start + direction * value;
    const share = start * (1 + (direction * value) / 100);
    return direction > 0 ? Math.ceil(share) : Math.trunc(share);
  });
  // The largest change means the highest number upward, and the lowest downward.
  return (selectPolicy === 'Min') === direction > 0 ? Math.min(...limits) : Math.max(...limits);
}

/** Returns the history with a new entry, and without those that no rule looks at any more. */
export function remember(
  history: ScaleHistory,
  entry: { readonly recommendation?: number; readonly change?: number },
  now: number,
): ScaleHistory {
  const { recommendation, change } = entry;
  const keep = <T extends { readonly at: number }>(entries: readonly T[]) => within(entries, MAX_WINDOW_SECONDS, now);
  return {
    recommendations: [
      ...keep(history.recommendations),
      ...(recommendation === undefined ? [] : [{ replicas: recommendation, at: now }]),
    ],
    changes: [...keep(history.changes), ...(change === undefined ? [] : [{ by: change, at: now }])],
  };
}

/** Longest stabilization window that an autoscaler may have. Periods of policies are shorter. */
const MAX_WINDOW_SECONDS = 3600;
