import { describe, expect, test } from 'vitest';
import type { VirtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { formatFieldError } from '#platform/base/field-error';
import { admission } from '#vm/admission/admit';
import { virtualMachineInstanceMigrationAdmitter } from './virtual-machine-instance-migration.ts';

const admit = admission(virtualMachineInstanceMigrationAdmitter);

const migration = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstanceMigration',
  metadata: { name: 'move', namespace: 'default' },
  spec: { vmiName: 'web' } as object,
};

function write(object: object, { instance, old }: { instance?: object; old?: object } = {}) {
  const { causes, warnings } = admit({
    operation: old === undefined ? 'CREATE' : 'UPDATE',
    object: structuredClone(object),
    ...(old === undefined ? {} : { old: old as never }),
    user: { name: 'ada', groups: [] },
    lookup: (kind, namespace, name) =>
      `${kind.kind} ${namespace}/${name}` === 'VirtualMachineInstance default/web' ? (instance as never) : undefined,
  });
  return { causes: causes.map(formatFieldError), warnings };
}

const running = (status: VirtualMachineInstance['status']) => ({ metadata: { name: 'web' }, spec: {}, status });

describe('a new migration', () => {
  test('of a running instance is accepted', () => {
    expect(write(migration, { instance: running({ phase: 'Running' }) })).toEqual({ causes: [], warnings: [] });
  });

  test('of an instance that is not there yet is accepted with a warning', () => {
    expect(write(migration)).toEqual({
      causes: [],
      warnings: ['spec.vmiName: the VMI "default/web" does not exist'],
    });
  });

  test('of an instance that has ended is refused', () => {
    for (const phase of ['Succeeded', 'Failed'] as const) {
      expect(write(migration, { instance: running({ phase }) }).causes).toEqual([
        'spec.vmiName: Invalid value: "web": Cannot migrate VMI in finalized state.',
      ]);
    }
  });

  test('of an instance that cannot move is refused with the reason', () => {
    const conditions = [
      { type: 'LiveMigratable', status: 'False', reason: 'DisksNotLiveMigratable', message: 'a disk is not shared' },
    ] as const;
    expect(write(migration, { instance: running({ phase: 'Running', conditions }) }).causes).toEqual([
      'spec.vmiName: Invalid value: "web": Cannot migrate VMI, Reason: DisksNotLiveMigratable, Message: a disk is not shared',
    ]);
  });

  test('needs the name of an instance and labels that a node can have', () => {
    expect(write({ ...migration, spec: {} }).causes[0]).toBe('spec.vmiName: Required value');
    const selector = { ...migration, spec: { vmiName: 'web', addedNodeSelector: { 'a/b/c': 'd' } } };
    expect(write(selector).causes[0]).toMatch(/^spec\.addedNodeSelector: Invalid value: "a\/b\/c": a valid label key/);
  });

  test('names the fields that nothing acts on', () => {
    const sent = { vmiName: 'web', sendTo: { connectURL: '192.0.2.1:9185', migrationID: 'x' } };
    expect(write({ ...migration, spec: sent }, { instance: running({}) }).warnings).toEqual([
      'spec.sendTo: accepted, but nothing acts on it yet',
    ]);
  });
});

describe('a stored migration', () => {
  test('never changes its spec', () => {
    expect(write({ ...migration, spec: { vmiName: 'other' } }, { old: migration }).causes).toEqual([
      "spec: Forbidden: update of Migration object's spec is restricted",
    ]);
  });

  test('may change its labels, whatever became of the instance', () => {
    const labelled = { ...migration, metadata: { ...migration.metadata, labels: { a: 'b' } } };
    expect(write(labelled, { old: migration, instance: running({ phase: 'Failed' }) })).toEqual({
      causes: [],
      warnings: [],
    });
  });
});
