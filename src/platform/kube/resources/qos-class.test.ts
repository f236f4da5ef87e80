import { expect, it } from 'vitest';
import type { Resources } from '../kinds/pod.ts';
import { type QosSpec, qosClass } from './qos-class.ts';

const with2 = (resources: Resources): QosSpec => ({
  containers: [{ resources }],
});
const full = { cpu: '1', memory: '1Gi' };

it.each<[string, QosSpec, string]>([
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
