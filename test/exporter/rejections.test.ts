import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterFleet } from '#fleet/exporter/cluster-fleet';
import { RejectedError } from '#fleet/exporter/fleet-backend';
import { PodManager } from '#fleet/library/pod-manager';
import { SIMULATED_VMS, vmObject } from '#fleet/library/simulated-vm';
import { realClock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { KubeError } from '#platform/kube/kube-error';
import { type ExporterWorld, namespace, SAMPLES, startExporterWorld } from './world.ts';

describe('the exporter of a cluster, if a load cannot be replaced,', () => {
  let world: ExporterWorld;
  let embedded: ExporterWorld['embedded'];
  let ask: ExporterWorld['ask'];
  let vms: ExporterWorld['vms'];

  beforeAll(async () => {
    world = await startExporterWorld();
    ({ embedded, ask, vms } = world);
    const own = { id: 'mine', cpuConsumption: 0.01, memoryConsumption: 0.01 };
    await embedded.admin.create(SIMULATED_VMS, vmObject(own, { namespace }));
    await ask('/scenario?name=light_load', SAMPLES);
  });
  afterAll(() => world.stop());

  it('rejects missing nodes and VMs of others, and changes nothing', async () => {
    const before = (await vms()).map(({ metadata }) => metadata.uid).sort();
    const { status, body } = await ask('/scenario', [
      { name: 'nowhere' },
      {
        name: 'kwok-node-1',
        vms: [
          { id: 'mine', cpu_consumption: 0.1, memory_consumption: 0.1, scheduled_node: 'kwok-node-9' },
          { id: 'other', cpu_consumption: -1, memory_consumption: 0.1 },
        ],
      },
    ]);
    expect([status, body.causes.map(({ message }) => message)]).toEqual([
      400,
      [
        '[1].vms[1].cpu_consumption: Invalid value: -1: must not be negative',
        '[0].name: Not found: "nowhere"',
        '[1].vms[0].id: Forbidden: VirtualMachine mine already exists and was not created by a scenario',
      ],
    ]);
    expect((await vms()).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
  });

  it('keeps the earlier load if a VM, the permissions or the namespace are rejected', async () => {
    const before = (await vms()).map(({ metadata }) => metadata.uid).sort();
    const huge = { id: 'x', cpu_cores: 1, memory_bytes: 1e300, cpu_utilization: 1, memory_utilization: 1 };
    const { status, body } = await ask('/scenario', [{ name: 'kwok-node-1', vms: [huge] }]);
    expect([status, body.causes.map(({ message }) => message)]).toEqual([
      400,
      ['[0].vms[0].memory_bytes: Invalid value: 1e+300: must not be greater than 1125899906842624'],
    ]);
    const { informers, admin } = embedded;
    const refusing = rehearsing(admin, (name) => {
      if (name === 'bad') throw new KubeError(422, 'Invalid', 'VirtualMachine "bad" is invalid');
    });
    const stranger = embedded.plane.client({ name: 'nobody', groups: ['system:authenticated'] }, 'nobody');
    const refused = async (client: Client, at = namespace) => {
      const pods = new PodManager({ client, namespace: at });
      const fleet = new ClusterFleet({ client, informers, clock: realClock, pods, namespace: at });
      await fleet.synced();
      const list = ['good', 'bad'].map((id) => ({ path: id, vm: { id, cpuConsumption: 0.1, memoryConsumption: 0.1 } }));
      const node = { name: 'kwok-node-1', path: '', cpuCores: 32, memoryBytes: 2 ** 37, vms: list };
      const error = await fleet.replace({ name: 's', nodes: [node] }, new AbortController().signal).catch((e) => e);
      expect(error).toBeInstanceOf(RejectedError);
      const { status: code, causes } = error as RejectedError;
      return [code, causes.map(({ field, detail }) => [field, detail])];
    };
    expect(await refused(refusing)).toEqual([400, [['bad', 'VirtualMachine "bad" is invalid']]]);
    expect(await refused(admin, 'no-such')).toEqual([400, [['', 'namespace no-such not found']]]);
    expect(await refused(stranger)).toEqual([403, [['', expect.stringContaining('cannot list resource')]]]);
    expect((await vms()).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
  });

  it('completes a replacement for a client that disconnected, and starts none for one that disconnected before', async () => {
    const { informers, admin } = embedded;
    const leaving = new AbortController();
    const client = new Proxy(admin, {
      get(target, name) {
        if (name === 'delete') leaving.abort(new Error('the client disconnected'));
        return Reflect.get(target, name, target) as unknown;
      },
    });
    // The dry run of a deletion does not delete.
    const manager = new PodManager({ client, namespace });
    manager.rehearseDeletion = () => Promise.resolve();
    const fleet = new ClusterFleet({ client, informers, clock: realClock, pods: manager, namespace });
    await fleet.synced();
    const wanted = (id: string) => {
      const list = [{ path: '', vm: { id, cpuConsumption: 0.1, memoryConsumption: 0.1 } }];
      return { name: 's', nodes: [{ name: 'kwok-node-1', path: '', cpuCores: 32, memoryBytes: 2 ** 37, vms: list }] };
    };
    const names = async () => (await vms()).map(({ metadata }) => metadata.name).sort();
    await fleet.replace(wanted('survivor'), leaving.signal);
    expect([leaving.signal.aborted, await names()]).toEqual([true, ['mine', 'survivor']]);
    await expect(fleet.replace(wanted('late'), leaving.signal)).rejects.toThrow('the client disconnected');
    expect(await names()).toEqual(['mine', 'survivor']);
  });

  it('reports VMs that another client deleted before the response', async () => {
    const { informers, admin } = embedded;
    const manager = new PodManager({ client: admin, namespace });
    const list = ['kept', 'taken'].map((id) => ({
      path: '',
      vm: { id, cpuConsumption: 0.1, memoryConsumption: 0.1 },
    }));
    const tell = manager.updateVmNodeAssignments.bind(manager);
    manager.updateVmNodeAssignments = async (of) => {
      await manager.vms.deleteVm('taken');
      return await tell(of);
    };
    const fleet = new ClusterFleet({ client: admin, informers, clock: realClock, pods: manager, namespace });
    await fleet.synced();
    const node = { name: 'kwok-node-1', path: '', cpuCores: 32, memoryBytes: 2 ** 37, vms: list };
    const { unplaced } = await fleet.replace({ name: 's', nodes: [node] }, new AbortController().signal);
    expect(unplaced).toEqual([{ vm_id: 'taken', error: 'it was deleted by another client' }]);
  });
});

/** A client with a hook before every dry run of a VM. */
function rehearsing(client: Client, before: (name: string) => void): Client {
  const create: Client['create'] = (type, object, options) => {
    if (options?.dryRun === true) before((object as { metadata: { name: string } }).metadata.name);
    return client.create(type, object, options);
  };
  return new Proxy(client, {
    get: (target, name) => (name === 'create' ? create : (Reflect.get(target, name, target) as unknown)),
  });
}
