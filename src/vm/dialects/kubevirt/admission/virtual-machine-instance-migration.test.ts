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

interface AdmissionEnvironment {
  readonly instance?: object;
  readonly old?: object;
  /** Migrations of the cluster. Undefined without a cluster. */
  readonly migrations?: readonly object[];
}

function write(object: object, { instance, old, migrations }: AdmissionEnvironment = {}) {
  const { causes, warnings } = admit({
    operation: old === undefined ? 'CREATE' : 'UPDATE',
    object: structuredClone(object),
    ...(old === undefined ? {} : { old: old as never }),
    user: { name: 'ada', groups: [] },
    lookup: (kind, namespace, name) =>
      `${kind.kind} ${namespace}/${name}` === 'VirtualMachineInstance default/web' ? (instance as never) : undefined,
    ...(migrations === undefined ? {} : { migrationsOf: () => migrations as never }),
  });
  return { causes: causes.map(formatFieldError), warnings };
}

const running = (status: VirtualMachineInstance['status']) => ({ metadata: { name: 'web' }, spec: {}, status });

describe('a new migration', () => {
  test('of a running instance is accepted', () => {
    expect(write(migration, { instance: running({ phase: 'Running' }) })).toEqual({ causes: [], warnings: [] });
  });

  test('of an instance that does not exist is rejected', () => {
    expect(write(migration, { migrations: [] })).toEqual({
      causes: ['spec.vmiName: Invalid value: "web": the VMI "default/web" does not exist'],
      warnings: [],
    });
  });

  test.each<[string | undefined, boolean]>([
    [undefined, false],
    ['Pending', false],
    ['Running', false],
    ['Succeeded', true],
    ['Failed', true],
  ])('while another is in phase %s is accepted: %s', (phase, accepted) => {
    const other = { metadata: { name: 'first', uid: 'm1' }, spec: { vmiName: 'web' }, status: { phase } };
    const { causes } = write(migration, { instance: running({ phase: 'Running' }), migrations: [other] });
    expect(causes).toEqual(
      accepted
        ? []
        : [
            'spec.vmiName: Invalid value: "web": in-flight migration detected. Active migration job (m1) is currently already in progress for VMI web.',
          ],
    );
  });

  test('of a missing instance is accepted with a warning if there is no cluster', () => {
    expect(write(migration)).toEqual({
      causes: [],
      warnings: ['spec.vmiName: the VMI "default/web" does not exist'],
    });
  });

  test('of a terminated instance is rejected', () => {
    for (const phase of ['Succeeded', 'Failed'] as const) {
      expect(write(migration, { instance: running({ phase }) }).causes).toEqual([
        'spec.vmiName: Invalid value: "web": Cannot migrate VMI in finalized state.',
      ]);
    }
  });

  test('of an instance that cannot migrate is rejected with the reason', () => {
    const conditions = [
      { type: 'LiveMigratable', status: 'False', reason: 'DisksNotLiveMigratable', message: 'a disk is not shared' },
    ] as const;
    expect(write(migration, { instance: running({ phase: 'Running', conditions }) }).causes).toEqual([
      'spec.vmiName: Invalid value: "web": Cannot migrate VMI, Reason: DisksNotLiveMigratable, Message: a disk is not shared',
    ]);
  });

  test('requires the name of an instance and valid node labels', () => {
    expect(write({ ...migration, spec: {} }).causes[0]).toBe('spec.vmiName: Required value');
    const selector = { ...migration, spec: { vmiName: 'web', addedNodeSelector: { 'a/b/c': 'd' } } };
    expect(write(selector).causes[0]).toMatch(/^spec\.addedNodeSelector: Invalid value: "a\/b\/c": a valid label key/);
  });

  test('gets a warning about ignored fields', () => {
    const sent = { vmiName: 'web', sendTo: { connectURL: '192.0.2.1:9185', migrationID: 'x' } };
    expect(write({ ...migration, spec: sent }, { instance: running({}) }).warnings).toEqual([
      'spec.sendTo: accepted, but nothing acts on it yet',
    ]);
  });
});

describe('a stored migration', () => {
  test('cannot change its spec', () => {
    expect(write({ ...migration, spec: { vmiName: 'other' } }, { old: migration }).causes).toEqual([
      "spec: Forbidden: update of Migration object's spec is restricted",
    ]);
  });

  test('may change its labels, whatever the state of the instance', () => {
    const labelled = { ...migration, metadata: { ...migration.metadata, labels: { a: 'b' } } };
    expect(write(labelled, { old: migration, instance: running({ phase: 'Failed' }) })).toEqual({
      causes: [],
      warnings: [],
    });
  });
});
