import { describe, expect, it } from 'vitest';
import type { HorizontalPodAutoscaler } from '#platform/kube/kinds/autoscaling';
import { limitScale, remember, type ScaleHistory } from './scale-history.ts';

const NOW = 10_000_000;
type Behavior = HorizontalPodAutoscaler['spec']['behavior'];
const history = (recommended: [number, number][] = [], changed: [number, number][] = []): ScaleHistory => ({
  recommendations: recommended.map(([replicas, seconds]) => ({ replicas, at: NOW - seconds * 1000 })),
  changes: changed.map(([by, seconds]) => ({ by, at: NOW - seconds * 1000 })),
});
const percent = (value: number, periodSeconds = 60) => ({ type: 'Percent', value, periodSeconds });
const count = (value: number, periodSeconds = 60) => ({ type: 'Pods', value, periodSeconds });
const down = (...policies: ReturnType<typeof count>[]): Behavior => ({
  scaleUp: { policies: [percent(100)] },
  scaleDown: { stabilizationWindowSeconds: 0, policies },
});
const up = (...policies: ReturnType<typeof count>[]): Behavior => ({
  scaleUp: { stabilizationWindowSeconds: 0, policies },
  scaleDown: { policies: [percent(100)] },
});

describe('a recommendation', () => {
  it.each<[string, Behavior, number, number, ScaleHistory, number, string, string]>([
    ['is applied', undefined, 4, 6, history(), 6, 'ReadyForNewScale', 'DesiredWithinRange'],
    ['at most doubles the replicas', undefined, 10, 50, history(), 20, 'ReadyForNewScale', 'ScaleUpLimit'],
    ['may always reach four replicas', undefined, 1, 9, history(), 4, 'ReadyForNewScale', 'ScaleUpLimit'],
    ['is limited to the maximum', undefined, 90, 150, history(), 100, 'ReadyForNewScale', 'TooManyReplicas'],
    ['is raised to the minimum', undefined, 5, 0, history(), 1, 'ReadyForNewScale', 'TooFewReplicas'],
    [
      'is delayed by recent higher ones',
      undefined,
      9,
      3,
      history([[7, 200]]),
      7,
      'ScaleDownStabilized',
      'DesiredWithinRange',
    ],
    [
      'is not delayed by higher ones that are too old',
      undefined,
      9,
      3,
      history([[7, 301]]),
      3,
      'ReadyForNewScale',
      'DesiredWithinRange',
    ],
    ['scales down by a percentage', down(percent(10)), 80, 10, history(), 72, 'ReadyForNewScale', 'ScaleDownLimit'],
    ['scales down by a number of pods', down(count(4)), 80, 10, history(), 76, 'ReadyForNewScale', 'ScaleDownLimit'],
    [
      'scales down by the larger change by default',
      down(count(4), percent(10)),
      80,
      10,
      history(),
      72,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
    [
      'counts recent changes of the replicas',
      down(count(4)),
      78,
      10,
      history([], [[-2, 30]]),
      76,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
    ['scales up by a percentage', up(percent(50)), 5, 50, history(), 8, 'ReadyForNewScale', 'ScaleUpLimit'],
    [
      'scales up by the smaller change with selectPolicy Min',
      { ...up(), scaleUp: { selectPolicy: 'Min', policies: [count(4), percent(100)] } },
      10,
      50,
      history(),
      14,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'has no effect with selectPolicy Disabled',
      { ...down(), scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: 'Disabled' } },
      10,
      2,
      history(),
      10,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
    [
      'is delayed by recent lower ones with a stabilization window',
      { ...up(), scaleUp: { stabilizationWindowSeconds: 60, policies: [percent(100)] } },
      10,
      15,
      history([[11, 30]]),
      11,
      'ScaleUpStabilized',
      'DesiredWithinRange',
    ],
  ])('%s', (_what, behavior, current, recommended, before, replicas, able, limited) => {
    const found = limitScale(behavior, recommended, { current, min: 1, max: 100 }, before, NOW);
    expect([found.replicas, found.able.reason, found.limited.reason]).toEqual([replicas, able, limited]);
    expect(found.limited.isLimited).toBe(limited !== 'DesiredWithinRange');
  });
});

it('the history keeps as much as the rules need', () => {
  const before = history(
    [
      [1, 3601],
      [2, 10],
    ],
    [[1, 4000]],
  );
  expect(remember(before, { recommendation: 3, change: -1 }, NOW)).toEqual(
    history(
      [
        [2, 10],
        [3, 0],
      ],
      [[-1, 0]],
    ),
  );
});
