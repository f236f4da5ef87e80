import { expect, it } from 'vitest';
import { podGrace } from './pod-grace.ts';
import type { Pod, PodSpec } from './pod-spec.ts';

const pod = (spec: PodSpec, phase = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {},
  spec,
  status: { phase },
});

it.each([
  ['gets the grace period of its spec', pod({ nodeName: 'n', terminationGracePeriodSeconds: 30 }), undefined, 30],
  ['gets the requested grace period', pod({ nodeName: 'n', terminationGracePeriodSeconds: 30 }), 5, 5],
  [
    'is removed at once if the requested grace period is 0',
    pod({ nodeName: 'n', terminationGracePeriodSeconds: 30 }),
    0,
    0,
  ],
  ['gets one second if the requested grace period is negative', pod({ nodeName: 'n' }), -3, 1],
  [
    'gets one second if the grace period of its spec is negative',
    pod({ nodeName: 'n', terminationGracePeriodSeconds: -1 }),
    undefined,
    1,
  ],
  [
    'is removed at once if it is not bound to a node',
    pod({ terminationGracePeriodSeconds: 30 }, 'Pending'),
    undefined,
    0,
  ],
  ['is removed at once if it has failed', pod({ nodeName: 'n', terminationGracePeriodSeconds: 30 }, 'Failed'), 20, 0],
  [
    'is removed at once if it has succeeded',
    pod({ nodeName: 'n', terminationGracePeriodSeconds: 30 }, 'Succeeded'),
    undefined,
    0,
  ],
])('a deleted pod %s', (_what, object, requested, seconds) => {
  expect(podGrace(object, requested)).toBe(seconds);
});
