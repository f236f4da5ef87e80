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
  ['has what it says', pod({ nodeName: 'n', terminationGracePeriodSeconds: 30 }), undefined, 30],
  ['has what is asked', pod({ nodeName: 'n', terminationGracePeriodSeconds: 30 }), 5, 5],
  ['goes at once when asked to', pod({ nodeName: 'n', terminationGracePeriodSeconds: 30 }), 0, 0],
  ['has a second where less than none is asked', pod({ nodeName: 'n' }), -3, 1],
  [
    'has a second where it says less than none',
    pod({ nodeName: 'n', terminationGracePeriodSeconds: -1 }),
    undefined,
    1,
  ],
  ['goes at once when it runs nowhere', pod({ terminationGracePeriodSeconds: 30 }, 'Pending'), undefined, 0],
  ['goes at once when it has failed', pod({ nodeName: 'n', terminationGracePeriodSeconds: 30 }, 'Failed'), 20, 0],
  [
    'goes at once when it is done',
    pod({ nodeName: 'n', terminationGracePeriodSeconds: 30 }, 'Succeeded'),
    undefined,
    0,
  ],
])('a deleted pod %s', (_what, object, requested, seconds) => {
  expect(podGrace(object, requested)).toBe(seconds);
});
