import { describe, expect, it } from 'vitest';
import type { Vmi, Vmim } from '#api/kubevirt/resources';
import { SIZE_ANNOTATION } from '#api/launcher';
import type { Pod } from '#platform/kube/kinds/pod';
import { LAUNCHER_SETTINGS } from '#vm/engine/launcher/settings';
import { planMigration } from './plan-migration.ts';
import { MIGRATION_SETTINGS, WORKLOAD_UPDATE_LABEL } from './settings.ts';
import { targetPod } from './target-pod.ts';
import { hasTargetSize, isOutOfDate, targetSize } from './target-size.ts';

const vmi = (sockets: number, guest = '1Gi', status: object = {}): Vmi =>
  ({
    metadata: { name: 'web', namespace: 'shop', uid: 'u' },
    spec: { domain: { cpu: { sockets }, memory: { guest }, devices: {} } },
    status: { phase: 'Running', nodeName: 'n1', activePods: { 'uid-1': 'n1' }, ...status },
  }) as unknown as Vmi;
const place = (sockets: number, memory = '1Gi'): Pod =>
  ({
    metadata: {
      name: `place-${sockets}`,
      annotations: { [SIZE_ANNOTATION]: JSON.stringify({ sockets, memory }) },
      ownerReferences: [{ uid: 'u' }],
    },
    spec: { nodeName: `n${sockets}`, containers: [] },
    status: { phase: 'Running' },
  }) as unknown as Pod;
const silent = { metadata: {}, spec: { containers: [] } } as unknown as Pod;
const update = { [WORKLOAD_UPDATE_LABEL]: 'n1' };
const vmim = (labels: Record<string, string> = update, phase = 'Scheduling'): Vmim =>
  ({
    metadata: { name: 'move', namespace: 'shop', uid: 'm', labels, ownerReferences: [{ uid: 'u' }] },
    spec: { vmiName: 'web' },
    status: { phase },
  }) as unknown as Vmim;

describe('the target pod of a migration', () => {
  it.each<[string, Vmi, Pod | undefined, number]>([
    ['more sockets if more are requested', vmi(3), place(1), 3],
    ['all current sockets if fewer are requested', vmi(1), place(3), 3],
    [
      'the size of the source pod rather than that of the status',
      vmi(1, '1Gi', { currentCPUTopology: { sockets: 2 } }),
      place(3),
      3,
    ],
    [
      'the size of the status if the source pod has none',
      vmi(1, '1Gi', { currentCPUTopology: { sockets: 2 } }),
      silent,
      2,
    ],
    ['the requested size if no other is known', vmi(2), undefined, 2],
  ])('has %s', (_what, instance, from, sockets) => {
    expect(targetSize(instance, from)).toEqual({ sockets, memory: '1Gi' });
  });

  it('requests the resources of its size', () => {
    const { metadata, spec } = targetPod(vmim(), vmi(1, '2Gi'), place(3), LAUNCHER_SETTINGS, () => undefined);
    expect(metadata.annotations?.[SIZE_ANNOTATION]).toBe('{"sockets":3,"memory":"2Gi"}');
    expect(spec.containers[0]?.resources?.requests).toMatchObject({ cpu: '300m', memory: '2Gi' });
  });

  it.each<[string, Vmi, Pod | undefined, boolean | undefined]>([
    ['of the right size', vmi(2), place(2), true],
    ['of the right size in another notation', vmi(2, '1024Mi'), place(2), true],
    ['that is too small', vmi(2), place(1), false],
    ['with more sockets, which cannot be unplugged', vmi(2), place(3), true],
    ['with more memory than requested', vmi(2, '1Gi'), place(2, '2Gi'), false],
    ['of an unknown size', vmi(2), silent, undefined],
  ])('may already be one %s', (_what, instance, at, expected) => {
    expect(hasTargetSize(instance, at)).toBe(expected);
  });
});

describe('a migration to another size is canceled, or not,', () => {
  it.each<[string, Vmim, Vmi, Pod | undefined, boolean]>([
    ['if it leads to the requested size', vmim(), vmi(3), place(3), false],
    ['if it is pending and still requested', vmim(update, 'Pending'), vmi(3), undefined, false],
    ['if another size is requested by now', vmim(), vmi(2), place(3), true],
    ['if the change was reverted', vmim(), vmi(1), place(3), true],
    ['if the change was reverted before it started', vmim(update, 'Pending'), vmi(1), undefined, true],
    ['if other memory is requested by now', vmim(), vmi(1, '2Gi'), place(1, '3Gi'), true],
    ['if a user has requested it', vmim({}), vmi(1), place(3), false],
  ])('%s', (_what, migration, instance, target, outOfDate) => {
    expect(isOutOfDate(migration, instance, place(1), target)).toBe(outOfDate);
    const view = { vmim: migration, vmi: instance, source: place(1), target, turn: true, now: 0 };
    const actions = planMigration(view, MIGRATION_SETTINGS).map((action) => action.do);
    expect(actions.includes('take back')).toBe(outOfDate);
    if (outOfDate) expect(actions).toEqual(['take back']);
  });

  it('if the VM has already migrated', () => {
    const state = { migrationUid: 'm', sourcePod: 'place-1', targetPod: 'place-3', completed: true };
    const instance = vmi(1, '1Gi', { migrationState: state });
    const view = { vmim: vmim(), vmi: instance, source: place(1), target: place(3), turn: true, now: 0 };
    expect(planMigration(view, MIGRATION_SETTINGS)).toMatchObject([{ do: 'report', status: { phase: 'Succeeded' } }]);
  });

  it('if the VM is larger than the created pod', () => {
    const view = { vmim: vmim({}), vmi: vmi(1), source: place(3), target: place(2), turn: true, now: 0 };
    expect(planMigration(view, MIGRATION_SETTINGS)).toMatchObject([{ do: 'report', status: { phase: 'Failed' } }]);
  });
});
