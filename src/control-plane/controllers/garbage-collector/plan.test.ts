import { describe, expect, it } from 'vitest';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { memberOf } from './owner-graph.ts';
import { affectedMembers, decide, type GcDecision, type OwnerState } from './plan.ts';

const CONFIG_MAPS = resourceType('v1', 'ConfigMap', 'configmaps');
const ref = (uid: string, blockOwnerDeletion = false) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  blockOwnerDeletion,
});
const member = (uid: string, more: object = {}) =>
  memberOf(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: uid, namespace: 'n', uid, ...more } });
const dying = (...finalizers: string[]) => ({ deletionTimestamp: '2030-01-01T00:00:00Z', finalizers });

const background: GcDecision = { do: 'delete', policy: 'Background', unblock: false };
const drop = (...uids: string[]): GcDecision => ({ do: 'drop references', uids: new Set(uids) });

describe('an object', () => {
  it.each<[string, OwnerState[], string[], ReturnType<typeof member>[], GcDecision]>([
    ['without owners is kept', [], [], [], { do: 'keep' }],
    ['whose owner exists is kept', ['solid'], [], [], { do: 'keep' }],
    ['whose owner was deleted is deleted', ['absent'], [], [], background],
    ['whose owners were all deleted is deleted', ['absent', 'absent'], [], [], background],
    [
      'with one remaining owner loses the references to the others',
      ['absent', 'solid', 'waiting'],
      [],
      [],
      drop('o0', 'o2'),
    ],
    ['whose owner waits for it is deleted', ['waiting'], [], [], background],
    [
      'whose owner waits for it is deleted in the foreground if it has dependents',
      ['waiting', 'absent'],
      [],
      [member('d')],
      { do: 'delete', policy: 'Foreground', unblock: false },
    ],
    [
      'in a cycle of owners that wait for each other stops blocking',
      ['waiting'],
      [],
      [member('d', dying('foregroundDeletion'))],
      { do: 'delete', policy: 'Foreground', unblock: true },
    ],
    [
      'with the finalizer orphan orphans its dependents',
      ['absent'],
      ['orphan'],
      [],
      { ...background, policy: 'Orphan' },
    ],
    [
      'with the finalizer foregroundDeletion waits for its dependents',
      ['absent'],
      ['foregroundDeletion'],
      [],
      { ...background, policy: 'Foreground' },
    ],
  ])('%s', (_what, standings, finalizers, dependents, decision) => {
    const owners = standings.map((state, i) => ({ ref: ref(`o${i}`), state }));
    expect(decide(owners, finalizers, dependents)).toEqual(decision);
  });
});

describe('a change', () => {
  it.each([
    ['of an object without owners enqueues nothing', undefined, member('a'), []],
    ['that creates an object with owners enqueues it', undefined, member('a', { ownerReferences: [ref('o')] }), ['a']],
    [
      'that keeps the owners enqueues nothing',
      member('a', { ownerReferences: [ref('o', true)] }),
      member('a', { ownerReferences: [ref('o', true)], finalizers: ['x'] }),
      [],
    ],
    ['that adds foregroundDeletion enqueues the object', member('a'), member('a', dying('foregroundDeletion')), ['a']],
    ['that adds orphan enqueues the object', member('a'), member('a', dying('orphan')), ['a']],
    [
      'that deletes an object enqueues its owners',
      member('a', { ownerReferences: [ref('o', true), ref('p')] }),
      undefined,
      ['o', 'p'],
    ],
    [
      'that stops blocking an owner enqueues both',
      member('a', { ownerReferences: [ref('o', true)] }),
      member('a', { ownerReferences: [ref('o', false)] }),
      ['a', 'o'],
    ],
  ])('%s', (_what, before, after, uids) => {
    expect(affectedMembers(before, after)).toEqual(uids);
  });
});
