import { expect, it } from 'vitest';
import type { Resources } from '../kinds/pod.ts';
import { type QosSpec, qosClass } from './qos-class.ts';

const with2 = (resources: Resources): QosSpec => ({
  containers: [{ resources }],
});
const full = { cpu: '1', memory: '1Gi' };

it.each<[string, QosSpec, string]>([
  ['requests nothing', with2({}), 'BestEffort'],
  ['requests zero', with2({ requests: { cpu: '0' } }), 'BestEffort'],
  ['has requests without limits', with2({ requests: { cpu: '1' } }), 'Burstable'],
  [
    'has limits equal to its requests',
    with2({ requests: full, limits: { cpu: '1000m', memory: '1024Mi' } }),
    'Guaranteed',
  ],
  ['limits one resource only', with2({ requests: { cpu: '1' }, limits: { cpu: '1' } }), 'Burstable'],
  ['has limits above its requests', with2({ requests: full, limits: { ...full, cpu: '2' } }), 'Burstable'],
  [
    'has a container without requests',
    { containers: [{ resources: { requests: full, limits: full } }, {}] },
    'Burstable',
  ],
  ['has pod-level resources', { resources: { requests: full, limits: full }, containers: [{}] }, 'Guaranteed'],
  ['requests only other resources', with2({ requests: { 'example.com/gpu': '1' } }), 'BestEffort'],
])('a pod that %s is %s', (_what, spec, quality) => {
  expect(qosClass(spec)).toBe(quality);
});
