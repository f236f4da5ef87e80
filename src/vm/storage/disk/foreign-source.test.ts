import { describe, expect, it } from 'vitest';
import type { DiskSource } from '#api/disk/request';
import type { Operation } from '#api/hypersdk/operation-resources';
import type { Snapshot } from '#api/hypersdk/snapshot-resources';
import { type CopyAuthority, mayCopy } from './foreign-source.ts';

const THERE: DiskSource = { claim: 'web-root', namespace: 'a' };

const TARGET = { targetName: 'copy', targetNamespace: 'b' };

const clone = (spec: object = {}, status: object = {}) =>
  ({
    metadata: { name: 'op', namespace: 'a', uid: 'u' },
    spec: { operation: 'clone', vmRef: { name: 'web' }, cloneSpec: TARGET, ...spec },
    status: {
      checkpoint: { copies: JSON.stringify({ 'copy-root': THERE }) },
      result: { targetVM: 'copy', targetNamespace: 'b' },
      phase: 'Running',
      ...status,
    },
  }) as unknown as Operation;

const SAVED: DiskSource = { snapshot: 'before', disk: 'root', namespace: 'a' };
const ofSnapshot = (snapshotRef: string) =>
  clone({ cloneSpec: { ...TARGET, snapshotRef } }, { checkpoint: { copies: JSON.stringify({ 'copy-root': SAVED }) } });
const taken = (name: string, of: string) =>
  ({ metadata: { name, namespace: 'a' }, spec: { vmRef: { name: of } } }) as unknown as Snapshot;

const authority: Omit<CopyAuthority, 'operation'> = {
  objection: async () => undefined,
  claimsOf: () => ['web-root'],
  snapshot: (_namespace, name) => taken(name, 'web'),
};

const MADE = { 'vimana.io/operation': 'a/op', 'vimana.io/operation-uid': 'u' };
const CLAIM = { namespace: 'b', name: 'copy-root', annotations: MADE };

describe('a claim is a copy', () => {
  it.each<[string, boolean, DiskSource, Partial<typeof CLAIM>, Operation | undefined]>([
    [
      'of an object in its own namespace, regardless of its creator',
      true,
      { claim: 'x' },
      { annotations: {} as never },
      undefined,
    ],
    ['of what is in its own namespace, though that is named', true, { claim: 'x', namespace: 'b' }, {}, undefined],
    ['of a disk elsewhere that a clone has written down', true, THERE, {}, clone()],
    ['of none elsewhere where nobody has', false, THERE, {}, undefined],
    ['of no other disk than was written down', false, { claim: 'secret', namespace: 'a' }, {}, clone()],
    ['of none elsewhere by another name', false, THERE, { name: 'copy-data' }, clone()],
    ['of none elsewhere in another namespace', false, THERE, { namespace: 'c' }, clone()],
    [
      'of none elsewhere for an operation of another uid',
      false,
      THERE,
      { annotations: { ...MADE, 'vimana.io/operation-uid': 'v' } },
      clone(),
    ],
    ['of none elsewhere for an operation that is no clone', false, THERE, {}, clone({ operation: 'stop' })],
    ['of none elsewhere for a clone that has succeeded', false, THERE, {}, clone({}, { phase: 'Succeeded' })],
    ['of none elsewhere for a clone that has failed', false, THERE, {}, clone({}, { phase: 'Failed' })],
    ['of none elsewhere for a clone that was called off', false, THERE, {}, clone({}, { phase: 'Cancelled' })],
    ['of none elsewhere before that was written down', false, THERE, {}, clone({}, { checkpoint: {} })],
    ['of none by a name that objects have anyway', false, THERE, { name: 'constructor' }, clone()],
    ['of what a snapshot elsewhere has kept that the clone names', true, SAVED, {}, ofSnapshot('before')],
    ['of no other snapshot elsewhere', false, SAVED, {}, ofSnapshot('after')],
    [
      'of none where the clone puts its machine elsewhere, whatever its status says',
      false,
      THERE,
      {},
      clone({ cloneSpec: { targetName: 'copy', targetNamespace: 'c' } }),
    ],
    [
      'of none beside the machine that the clone names',
      false,
      THERE,
      {},
      clone({ vmRef: { name: 'web', namespace: 'x' } }),
    ],
    [
      'of none where what was written down cannot be read',
      false,
      THERE,
      {},
      clone({}, { checkpoint: { copies: '[' } }),
    ],
  ])('%s', async (_which, expected, source, claim, operation) => {
    const find = (key: string) => (key === 'a/op' ? operation : undefined);
    expect(await mayCopy(source, { ...CLAIM, ...claim }, { ...authority, operation: find })).toBe(expected);
  });
});

describe('a forged status of an operation gives no disk of another namespace', () => {
  it.each<[string, DiskSource, Operation, Partial<CopyAuthority>]>([
    ['that does not allow it', THERE, clone(), { objection: async () => ({ reason: 'Forbidden', message: '' }) }],
    ['that is none of the machine', THERE, clone(), { claimsOf: () => ['web-data'] }],
    ['where there is no such machine', THERE, clone(), { claimsOf: () => undefined }],
    [
      'that a snapshot of another machine holds',
      SAVED,
      ofSnapshot('before'),
      { snapshot: (_, name) => taken(name, 'db') },
    ],
    ['that a snapshot held which is gone', SAVED, ofSnapshot('before'), { snapshot: () => undefined }],
  ])('%s', async (_which, source, operation, given) => {
    expect(await mayCopy(source, CLAIM, { ...authority, operation: () => operation, ...given })).toBe(false);
  });

  it('asks of the namespace of the operation, for both others', async () => {
    const requested: unknown[] = [];
    const objection: CopyAuthority['objection'] = async (...given) => void requested.push(given);
    expect(await mayCopy(THERE, CLAIM, { ...authority, objection, operation: () => clone() })).toBe(true);
    expect(requested).toEqual([['a', ['a', 'b']]]);
  });
});
