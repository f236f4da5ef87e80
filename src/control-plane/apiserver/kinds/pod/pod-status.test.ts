import { expect, it } from 'vitest';
import type { Container, Pod, PodSpec } from './pod-spec.ts';
import { podGrace, qosClass } from './pod-status.ts';

const with2 = (resources: Container['resources']): PodSpec => ({
  containers: [{ name: 'a', resources: resources ?? {} }],
});
const full = { cpu: '1', memory: '1Gi' };

it.each<[string, PodSpec, string]>([
  ['asks for nothing', with2({}), 'BestEffort'],
  ['asks for none of it', with2({ requests: { cpu: '0' } }), 'BestEffort'],
  ['asks for something', with2({ requests: { cpu: '1' } }), 'Burstable'],
  ['is held to what it asks for', with2({ requests: full, limits: { cpu: '1000m', memory: '1024Mi' } }), 'Guaranteed'],
  ['limits one resource only', with2({ requests: { cpu: '1' }, limits: { cpu: '1' } }), 'Burstable'],
  ['may use more than it asks for', with2({ requests: full, limits: { ...full, cpu: '2' } }), 'Burstable'],
  [
    'has a container that asks for nothing',
    { containers: [{ resources: { requests: full, limits: full } }, {}] },
    'Burstable',
  ],
  ['asks as a whole', { resources: { requests: full, limits: full }, containers: [{}] }, 'Guaranteed'],
  ['asks for other things', with2({ requests: { 'example.com/gpu': '1' } }), 'BestEffort'],
])('a pod that %s is %s', (_what, spec, quality) => {
  expect(qosClass(spec)).toBe(quality);
});

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
])('a deleted pod %s', (_what, object, asked, seconds) => {
  expect(podGrace(object, asked)).toBe(seconds);
});
