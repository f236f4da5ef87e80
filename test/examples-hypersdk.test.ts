import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HYPERSDK_VMS, VM_TEMPLATES } from '#api/hypersdk/resources';
import { vmOperation } from '#api/hypersdk/vm-operation';
import { vmSnapshot } from '#api/hypersdk/vm-snapshot';
import { resourceTypeFor, VMS } from '#api/kubevirt/resources';
import { FakeClock } from '#platform/base/fake-clock';
import { seededRandom } from '#platform/base/random';
import { NAMESPACES, SECRETS } from '#platform/kube/kinds/core';
import { NODES } from '#platform/kube/kinds/node';
import type { KubeObject } from '#platform/kube/kube-object';
import { readManifest } from '#platform/kube/manifest';
import type { Embedded } from '#programs/up/embedded';
import { startInMemory } from '#testing/embedded-in-memory';

const OPERATIONS = resourceTypeFor(vmOperation);
const SNAPSHOTS = resourceTypeFor(vmSnapshot);
const TYPES = [NAMESPACES, SECRETS, HYPERSDK_VMS, OPERATIONS, SNAPSHOTS, VM_TEMPLATES, VMS];

const objectsIn = (folder: string) =>
  globSync(`examples/${folder}/*.yaml`)
    .sort()
    .map((file) => readManifest(readFileSync(file, 'utf8')).documents.map(({ object }) => object as KubeObject));

/** Creates the objects in files, one after the other, on nodes with the names of the documents. */
async function applied(files: readonly KubeObject[][], dialects: ('hypersdk' | 'kubevirt')[]) {
  const clock = new FakeClock({ start: Date.UTC(2030, 0, 1) });
  const pools = [{ count: 3, prefix: 'node-' }];
  const world = await startInMemory({ dialects, pools, clock, random: seededRandom('examples') });
  await clock.advance(5000);
  for (const object of files.flat()) {
    const { apiVersion, kind } = object;
    const type = TYPES.find((each) => each.kind === kind && apiVersion.startsWith(each.group));
    if (type === undefined) throw new Error(`what is a ${kind}?`);
    const namespace = type.namespaced ? { namespace: 'default' } : {};
    await world.admin.create(type, { ...object, metadata: { ...object.metadata, ...namespace } });
    await clock.advance(100);
  }
  await clock.advance(60_000);
  return { clock, world };
}

type Phased = { readonly metadata: KubeObject['metadata']; readonly status?: { readonly phase?: string } };
const phases = (items: readonly Phased[]) =>
  Object.fromEntries(
    items.map(({ metadata: { namespace, name }, status }) => [
      namespace === 'default' ? name : `${namespace}/${name}`,
      status?.phase,
    ]),
  );

async function seen({ admin }: Embedded) {
  return {
    machines: phases((await admin.list(HYPERSDK_VMS)).items),
    operations: phases((await admin.list(OPERATIONS)).items),
    snapshots: phases((await admin.list(SNAPSHOTS)).items),
  };
}

const files = objectsIn('hypersdk');
const named = (kind: string) =>
  files.flat().flatMap((object) => (object.kind === kind ? [object.metadata.name ?? ''] : []));
const all = (names: readonly string[], phase: string) => Object.fromEntries(names.map((name) => [name, phase]));

describe('the examples of hypersdk.io, a whole directory at once', () => {
  it.each([
    ['in the order of their names', files],
    ['in the opposite order', files.toReversed()],
  ])('reach the documented state, applied %s', async (_order, ordered) => {
    const { clock, world } = await applied(ordered, ['hypersdk']);
    try {
      const { 'build-agent': _deleted, ...machines } = all(named('VirtualMachine'), 'Running');
      const found = await seen(world);
      expect(found).toEqual({
        machines: {
          ...machines,
          // operation-stop.yaml has stopped it. Clones are stopped unless they should start.
          vault: 'Stopped',
          trainer: 'Pending',
          'shop-web-test': 'Running',
          'shop-web-past': 'Stopped',
          'staging/shop-web': 'Stopped',
        },
        operations: { ...all(named('VMOperation'), 'Succeeded'), 'migrate-batch-worker-cancelled': 'Cancelled' },
        snapshots: { ...all(named('VMSnapshot'), 'Ready'), 'shop-web-daily': 'Ready' },
      });
      // As the file says, it waits for a node with such devices.
      const devices = { 'nvidia.com/GA100_A100_PCIE_80GB': '2', 'example.org/licence-key': '1' };
      const body = { status: { capacity: devices, allocatable: devices } };
      await world.admin.patch(NODES, 'node-1', { type: 'merge', body }, { subresource: 'status' });
      await clock.advance(60_000);
      expect((await seen(world)).machines).toMatchObject({ trainer: 'Running' });
    } finally {
      await world.stop();
    }
  });

  it('work with those of other groups', async () => {
    const { world } = await applied(objectsIn('groups'), ['hypersdk', 'kubevirt']);
    try {
      expect((await seen(world)).operations).toEqual({ 'restart-legacy': 'Succeeded' });
    } finally {
      await world.stop();
    }
  });
});
