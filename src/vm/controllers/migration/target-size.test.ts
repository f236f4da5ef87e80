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

describe('the next pod of a VM', () => {
  it.each<[string, Vmi, Pod | undefined, number]>([
    ['more sockets where more are asked for', vmi(3), place(1), 3],
    ['all sockets that it has where fewer are', vmi(1), place(3), 3],
    [
      'what its place says, whatever the status does',
      vmi(1, '1Gi', { currentCPUTopology: { sockets: 2 } }),
      place(3),
      3,
    ],
    ['what the status says where its place does not', vmi(1, '1Gi', { currentCPUTopology: { sockets: 2 } }), silent, 2],
    ['what is asked for where nobody says anything', vmi(2), undefined, 2],
  ])('is for %s', (_what, instance, from, sockets) => {
    expect(targetSize(instance, from)).toEqual({ sockets, memory: '1Gi' });
  });

  it('requests as much as it is for', () => {
    const { metadata, spec } = targetPod(vmim(), vmi(1, '2Gi'), place(3), LAUNCHER_SETTINGS, () => undefined);
    expect(metadata.annotations?.[SIZE_ANNOTATION]).toBe('{"sockets":3,"memory":"2Gi"}');
    expect(spec.containers[0]?.resources?.requests).toMatchObject({ cpu: '300m', memory: '2Gi' });
  });

  it.each<[string, Vmi, Pod | undefined, boolean | undefined]>([
    ['of the right size', vmi(2), place(2), true],
    ['of the right size, written another way', vmi(2, '1024Mi'), place(2), true],
    ['too small', vmi(2), place(1), false],
    ['with sockets that cannot be taken out', vmi(2), place(3), true],
    ['with more memory than is asked for', vmi(2, '1Gi'), place(2, '2Gi'), false],
    ['of a size that nobody knows', vmi(2), silent, undefined],
  ])('may already be one %s', (_what, instance, at, expected) => {
    expect(hasTargetSize(instance, at)).toBe(expected);
  });
});

describe('a migration to another size', () => {
  it.each<[string, Vmim, Vmi, Pod | undefined, boolean]>([
    ['while it is on its way to what is asked for', vmim(), vmi(3), place(3), false],
    ['while it waits, and is still wanted', vmim(update, 'Pending'), vmi(3), undefined, false],
    ['that is another by now', vmim(), vmi(2), place(3), true],
    ['that was taken back', vmim(), vmi(1), place(3), true],
    ['that was taken back before it began', vmim(update, 'Pending'), vmi(1), undefined, true],
    ['of memory that is another by now', vmim(), vmi(1, '2Gi'), place(1, '3Gi'), true],
    ['that somebody asked for, for whatever reason', vmim({}), vmi(1), place(3), false],
  ])('%s', (_what, migration, instance, target, outOfDate) => {
    expect(isOutOfDate(migration, instance, place(1), target)).toBe(outOfDate);
    const view = { vmim: migration, vmi: instance, source: place(1), target, turn: true, now: 0 };
    const actions = planMigration(view, MIGRATION_SETTINGS).map((action) => action.do);
    expect(actions.includes('take back')).toBe(outOfDate);
    if (outOfDate) expect(actions).toEqual(['take back']);
  });

  it('is ignored once the VM has migrated', () => {
    const state = { migrationUid: 'm', sourcePod: 'place-1', targetPod: 'place-3', completed: true };
    const instance = vmi(1, '1Gi', { migrationState: state });
    const view = { vmim: vmim(), vmi: instance, source: place(1), target: place(3), turn: true, now: 0 };
    expect(planMigration(view, MIGRATION_SETTINGS)).toMatchObject([{ do: 'report', status: { phase: 'Succeeded' } }]);
  });

  it('is not started if the VM is larger than the created pod', () => {
    const view = { vmim: vmim({}), vmi: vmi(1), source: place(3), target: place(2), turn: true, now: 0 };
    expect(planMigration(view, MIGRATION_SETTINGS)).toMatchObject([{ do: 'report', status: { phase: 'Failed' } }]);
  });
});
