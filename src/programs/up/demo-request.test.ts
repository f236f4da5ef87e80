import { expect, test } from 'vitest';
import { demoRequest } from './demo-request.ts';

const LEFT_OUT = 'its VMs are of kubevirt.io, which --dialects does not include';

test.each([
  ['a new data directory has one', {}, {}, { demo: true }],
  ['a known data directory has none', {}, { isNew: false }, { demo: false }],
  ['a known data directory has one on request', { demo: true }, { isNew: false }, { demo: true }],
  ['a declined one is not mentioned', { demo: false, dialects: ['novacron'] }, {}, { demo: false }],
  ['a group without one is reported', { dialects: ['simulation'] }, {}, { demo: false, why: LEFT_OUT }],
  ['a cluster without nodes is reported', {}, { nodes: 0 }, { demo: false, why: 'there are no nodes' }],
] as const)('demo fleet: %s', (_what, settings, place, wish) => {
  expect(
    demoRequest({ dialects: ['kubevirt', 'simulation'], ...settings }, { isNew: true, nodes: 5, ...place }),
  ).toEqual(wish);
});
