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

describe('a claim may be a copy', () => {
  it.each<[string, boolean, DiskSource, Partial<typeof CLAIM>, Operation | undefined]>([
    [
      'of an object in its own namespace, regardless of its creator',
      true,
      { claim: 'x' },
      { annotations: {} as never },
      undefined,
    ],
    ['of an object in its own namespace, even if that is named', true, { claim: 'x', namespace: 'b' }, {}, undefined],
    ['of a disk in another namespace that a clone has recorded', true, THERE, {}, clone()],
    ['of none in another namespace without a clone', false, THERE, {}, undefined],
    ['of no other disk than the recorded one', false, { claim: 'secret', namespace: 'a' }, {}, clone()],
    ['of none in another namespace with another claim name', false, THERE, { name: 'copy-data' }, clone()],
    ['of none in another namespace than the recorded one', false, THERE, { namespace: 'c' }, clone()],
    [
      'of none in another namespace for an operation with another uid',
      false,
      THERE,
      { annotations: { ...MADE, 'vimana.io/operation-uid': 'v' } },
      clone(),
    ],
    [
      'of none in another namespace for an operation that is not a clone',
      false,
      THERE,
      {},
      clone({ operation: 'stop' }),
    ],
    [
      'of none in another namespace for a clone that has succeeded',
      false,
      THERE,
      {},
      clone({}, { phase: 'Succeeded' }),
    ],
    ['of none in another namespace for a clone that has failed', false, THERE, {}, clone({}, { phase: 'Failed' })],
    ['of none in another namespace for a clone that was canceled', false, THERE, {}, clone({}, { phase: 'Cancelled' })],
    ['of none in another namespace before that was recorded', false, THERE, {}, clone({}, { checkpoint: {} })],
    ['of none with the name of an inherited property', false, THERE, { name: 'constructor' }, clone()],
    ['of a snapshot in another namespace that the clone names', true, SAVED, {}, ofSnapshot('before')],
    ['of no other snapshot in another namespace', false, SAVED, {}, ofSnapshot('after')],
    [
      'of none if the clone creates its VM elsewhere, whatever its status claims',
      false,
      THERE,
      {},
      clone({ cloneSpec: { targetName: 'copy', targetNamespace: 'c' } }),
    ],
    [
      'of none of another VM than the one that the clone names',
      false,
      THERE,
      {},
      clone({ vmRef: { name: 'web', namespace: 'x' } }),
    ],
    ['of none if the record cannot be parsed', false, THERE, {}, clone({}, { checkpoint: { copies: '[' } })],
  ])('%s', async (_which, expected, source, claim, operation) => {
    const find = (key: string) => (key === 'a/op' ? operation : undefined);
    expect(await mayCopy(source, { ...CLAIM, ...claim }, { ...authority, operation: find })).toBe(expected);
  });
});

describe('a forged status of an operation gives no access to a disk of another namespace', () => {
  it.each<[string, DiskSource, Operation, Partial<CopyAuthority>]>([
    ['that does not allow it', THERE, clone(), { objection: async () => ({ reason: 'Forbidden', message: '' }) }],
    ['that does not belong to the VM', THERE, clone(), { claimsOf: () => ['web-data'] }],
    ['without such a VM', THERE, clone(), { claimsOf: () => undefined }],
    ['in a snapshot of another VM', SAVED, ofSnapshot('before'), { snapshot: (_, name) => taken(name, 'db') }],
    ['in a deleted snapshot', SAVED, ofSnapshot('before'), { snapshot: () => undefined }],
  ])('%s', async (_which, source, operation, given) => {
    expect(await mayCopy(source, CLAIM, { ...authority, operation: () => operation, ...given })).toBe(false);
  });

  it('the permissions in both other namespaces are checked for that of the operation', async () => {
    const requested: unknown[] = [];
    const objection: CopyAuthority['objection'] = async (...given) => void requested.push(given);
    expect(await mayCopy(THERE, CLAIM, { ...authority, objection, operation: () => clone() })).toBe(true);
    expect(requested).toEqual([['a', ['a', 'b']]]);
  });
});
