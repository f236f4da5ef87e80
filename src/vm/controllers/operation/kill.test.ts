import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { VMIMS, VMIS, VMS } from '#api/kubevirt/resources';
import { PERSISTENT_VOLUME_CLAIMS } from '#platform/kube/kinds/storage';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { ALL_DIALECTS, namespace, type OperationHarness, startOperationHarness } from '#testing/operation-harness';
import type { Operation } from './operation.ts';

/** Writes to kill the operator at, which are more than any operation takes. */
const WRITES = Array.from({ length: 14 }, (_, at) => at + 1);

describe('an operation whose operator is killed at any of its writes', () => {
  let harness: OperationHarness;
  beforeEach(async () => {
    harness = await startOperationHarness({ dialects: ALL_DIALECTS });
  });
  afterEach(() => harness.stop());

  /** Creates a VM with a disk. */
  const make = async (name: string, runStrategy: string) => {
    await harness.admin.create(PERSISTENT_VOLUME_CLAIMS, {
      metadata: { name: `disk-${name}`, namespace },
      spec: {
        accessModes: ['ReadWriteMany'],
        storageClassName: 'fast-ssd',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    const domain = { cpu: { sockets: 1 }, memory: { guest: '1Gi' }, devices: { disks: [{ name: 'root', disk: {} }] } };
    const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: `disk-${name}` } }];
    const metadata = { annotations: { 'vimana.io/shutdown-duration': '1s' } };
    const spec = { runStrategy, template: { metadata, spec: { domain, volumes } } };
    await harness.admin.create(VMS, { metadata: { name, namespace }, spec });
    await harness.clock.advance(5000);
  };
  const instance = (name: string) => ignoreNotFound(harness.admin.get(VMIS, name, { namespace }));
  const made = (what: string) => harness.writes.filter((write) => write === `create ${what}`).length;
  const isRunning = async (name: string) => (await instance(name))?.status?.phase === 'Running';

  const KINDS: [string, object, string, (vm: string, operation: Operation) => Promise<void>][] = [
    [
      'start',
      {},
      'Halted',
      async (vm) => {
        expect(await isRunning(vm)).toBe(true);
        expect(made('virtualmachineinstances')).toBe(1);
      },
    ],
    [
      'stop',
      {},
      'Always',
      async (vm) => {
        expect(await instance(vm)).toBeUndefined();
        expect(made('virtualmachineinstances')).toBe(0);
      },
    ],
    [
      'restart',
      {},
      'Manual',
      async (vm) => {
        expect(await isRunning(vm)).toBe(true);
        expect(made('virtualmachineinstances')).toBe(1);
      },
    ],
    [
      'delete',
      {},
      'Always',
      async (vm) => {
        expect(await instance(vm)).toBeUndefined();
        expect(await ignoreNotFound(harness.admin.get(VMS, vm, { namespace }))).toBeUndefined();
      },
    ],
    [
      'migrate',
      {},
      'Always',
      async (vm, { status }) => {
        expect(made('virtualmachineinstancemigrations')).toBe(1);
        expect((await instance(vm))?.status?.nodeName).toBe(status?.result?.targetNode);
        expect(status?.result?.targetNode).not.toBe(status?.result?.sourceNode);
      },
    ],
    [
      'migrate',
      { migrateSpec: { live: false } },
      'Once',
      async (vm, { status }) => {
        expect(await isRunning(vm)).toBe(true);
        expect(made('virtualmachineinstances')).toBe(1);
        expect(status?.result?.targetNode).not.toBe(status?.result?.sourceNode);
        const { spec, metadata } = await harness.admin.get(VMS, vm, { namespace });
        expect(spec.runStrategy).toBe('Once');
        expect(metadata.annotations ?? {}).toEqual({});
      },
    ],
    [
      'resize',
      { resizeSpec: { cpus: 2, hotplug: true } },
      'Always',
      async (vm) => expect((await instance(vm))?.status?.currentCPUTopology?.sockets).toBe(2),
    ],
    [
      'clone',
      { cloneSpec: { targetName: 'copy' } },
      'Always',
      async () => {
        const { metadata } = await harness.admin.get(VMS, 'copy', { namespace });
        const claim = await harness.admin.get(PERSISTENT_VOLUME_CLAIMS, 'copy-root', { namespace });
        expect(claim.metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
        expect(made('virtualmachines')).toBe(1);
        expect(made('persistentvolumeclaims')).toBe(1);
        await harness.admin.delete(VMS, 'copy', { namespace });
        await harness.clock.advance(5000);
        expect(
          await ignoreNotFound(harness.admin.get(PERSISTENT_VOLUME_CLAIMS, 'copy-root', { namespace })),
        ).toBeUndefined();
      },
    ],
  ];

  const snapshots = async (vm: string) =>
    (await harness.admin.list(VM_SNAPSHOTS, { namespace })).items.filter(({ spec }) => spec.vmRef.name === vm);

  KINDS.push(
    [
      'snapshot',
      {},
      'Always',
      async (vm) => {
        expect((await snapshots(vm)).map(({ status }) => status?.phase)).toEqual(['Ready']);
        expect(made('vmsnapshots')).toBe(1);
        expect(await isRunning(vm)).toBe(true);
      },
    ],
    [
      'restore',
      {},
      'Once',
      async (vm) => {
        expect(await isRunning(vm)).toBe(true);
        expect(made('virtualmachineinstances')).toBe(1);
        const { spec, metadata } = await harness.admin.get(VMS, vm, { namespace });
        expect(spec.runStrategy).toBe('Once');
        expect(metadata.annotations ?? {}).not.toHaveProperty('vimana.io/restore');
      },
    ],
  );

  it.each(KINDS)('%s %o succeeds, once', async (kind, spec, strategy, check) => {
    for (const count of WRITES) {
      const vm = `vm-${count}`;
      await make(vm, strategy === 'Manual' ? 'Halted' : strategy);
      if (strategy === 'Manual') {
        const body = { spec: { runStrategy: 'Manual' } };
        await harness.admin.patch(VMS, vm, { type: 'merge', body }, { namespace });
        await harness.ask(`begin-${count}`, vm, 'start');
        await harness.over(`begin-${count}`);
      }
      if (kind === 'restore') {
        await harness.ask(`kept-${count}`, vm, 'snapshot');
        await harness.over(`kept-${count}`);
      }
      await harness.clock.advance(5000);
      harness.writes.length = 0;
      harness.killAtWrite(count);
      const name = `op-${count}`;
      const back = kind === 'restore' ? { restoreSpec: { snapshotName: `kept-${count}` } } : {};
      await harness.ask(name, vm, kind, { ...spec, ...back });
      const operation = await harness.over(name);
      harness.killAtWrite(0);
      await harness.clock.advance(10_000);
      expect(operation.status, `killed at write ${count}: ${JSON.stringify(operation.status)}`).toMatchObject({
        phase: 'Succeeded',
      });
      expect((await harness.operation(name)).metadata.finalizers ?? []).toEqual([]);
      await check(vm, operation);
      // Leftover migrations are deleted before the next run.
      for (const { metadata } of (await harness.admin.list(VMIMS, { namespace })).items)
        await harness.admin.delete(VMIMS, metadata.name, { namespace });
    }
  });
});
