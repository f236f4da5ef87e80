import { expect, test } from 'vitest';
import { demoRequest } from './demo-request.ts';

const LEFT_OUT = 'its machines are of kubevirt.io, which --dialects leaves out';

test.each([
  ['a new folder has one', {}, {}, { demo: true }],
  ['a known folder has none', {}, { isNew: false }, { demo: false }],
  ['a known folder has one that is asked for', { demo: true }, { isNew: false }, { demo: true }],
  ['nobody is told of one that was declined', { demo: false, dialects: ['novacron'] }, {}, { demo: false }],
  ['a group without one is told of', { dialects: ['simulation'] }, {}, { demo: false, why: LEFT_OUT }],
  ['a cluster without nodes is told of', {}, { nodes: 0 }, { demo: false, why: 'there are no nodes' }],
] as const)('of demo fleets, %s', (_what, settings, place, wish) => {
  expect(
    demoRequest({ dialects: ['kubevirt', 'simulation'], ...settings }, { isNew: true, nodes: 5, ...place }),
  ).toEqual(wish);
});
