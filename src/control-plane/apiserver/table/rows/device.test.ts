import { describe, expect, it } from 'vitest';
import { resourceClaimRow, resourceSliceRow } from './device.ts';

const NOW = Date.parse('2030-01-01T01:00:00Z');
const metadata = { name: 'gpu', creationTimestamp: '2030-01-01T00:00:00Z' };
const deleted = { ...metadata, deletionTimestamp: '2030-01-01T00:30:00Z' };

describe('the row of a ResourceClaim', () => {
  it.each([
    ['pending', metadata, undefined],
    ['pending', metadata, {}],
    ['pending', metadata, { reservedFor: [{ resource: 'pods' }] }],
    ['allocated', metadata, { allocation: {} }],
    ['allocated', metadata, { allocation: {}, reservedFor: [] }],
    ['allocated,reserved', metadata, { allocation: {}, reservedFor: [{ resource: 'pods' }] }],
    ['deleted', deleted, {}],
    ['deleted,allocated', deleted, { allocation: {} }],
    ['deleted,allocated,reserved', deleted, { allocation: {}, reservedFor: [{ resource: 'pods' }] }],
  ])('shows the state %s', (state, metadata, status) => {
    const claim = { metadata, ...(status === undefined ? {} : { status }) };
    expect(resourceClaimRow(claim, NOW)).toEqual(['gpu', state, '60m']);
  });
});

describe('the row of a ResourceSlice', () => {
  it.each([
    ['all fields', { nodeName: 'n1', driver: 'd', pool: { name: 'p' } }, ['n1', 'd', 'p']],
    ['no node', { driver: 'd', pool: { name: 'p' } }, ['', 'd', 'p']],
    ['a pool without a name', { driver: 'd', pool: {} }, ['', 'd', '']],
    ['nothing', undefined, ['', '', '']],
  ])('shows node, driver and pool of a slice with %s', (_what, spec, cells) => {
    const slice = { metadata, ...(spec === undefined ? {} : { spec }) };
    expect(resourceSliceRow(slice, NOW)).toEqual(['gpu', ...cells, '60m']);
  });
});
