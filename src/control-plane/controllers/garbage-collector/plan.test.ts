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
    ['without owners stays', [], [], [], { do: 'keep' }],
    ['whose owner is there stays', ['solid'], [], [], { do: 'keep' }],
    ['whose owner is gone goes', ['absent'], [], [], background],
    ['whose owners are all gone goes', ['absent', 'absent'], [], [], background],
    ['with one owner left lets go of the others', ['absent', 'solid', 'waiting'], [], [], drop('o0', 'o2')],
    ['whose owner waits for it goes', ['waiting'], [], [], background],
    [
      'whose owner waits for it takes its own dependents along first',
      ['waiting', 'absent'],
      [],
      [member('d')],
      { do: 'delete', policy: 'Foreground', unblock: false },
    ],
    [
      'in a circle of owners that wait for each other stops blocking',
      ['waiting'],
      [],
      [member('d', dying('foregroundDeletion'))],
      { do: 'delete', policy: 'Foreground', unblock: true },
    ],
    ['that is to orphan its dependents does', ['absent'], ['orphan'], [], { ...background, policy: 'Orphan' }],
    [
      'that is to wait for its dependents does',
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
    ['of an object without owners concerns nobody', undefined, member('a'), []],
    ['that brings an object with owners concerns it', undefined, member('a', { ownerReferences: [ref('o')] }), ['a']],
    [
      'that leaves owners as they are concerns nobody',
      member('a', { ownerReferences: [ref('o', true)] }),
      member('a', { ownerReferences: [ref('o', true)], finalizers: ['x'] }),
      [],
    ],
    ['to waiting for dependents concerns the object', member('a'), member('a', dying('foregroundDeletion')), ['a']],
    ['to orphaning concerns the object', member('a'), member('a', dying('orphan')), ['a']],
    [
      'that ends an object concerns its owners',
      member('a', { ownerReferences: [ref('o', true), ref('p')] }),
      undefined,
      ['o', 'p'],
    ],
    [
      'that stops blocking an owner concerns both',
      member('a', { ownerReferences: [ref('o', true)] }),
      member('a', { ownerReferences: [ref('o', false)] }),
      ['a', 'o'],
    ],
  ])('%s', (_what, before, after, uids) => {
    expect(affectedMembers(before, after)).toEqual(uids);
  });
});
