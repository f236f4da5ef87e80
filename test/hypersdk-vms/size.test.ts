import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VMIS } from '#api/kubevirt/resources';
import { seededRandom } from '#platform/base/random';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { Informers } from '#platform/runtime/informers';
import { MeasuredUsage } from '#vm/engine/measured-usage';
import { namespace, ROOT, World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = new World();
  await world.start();
});
afterEach(() => world.stop());

describe('another size', () => {
  const size = async () => {
    const { status } = await world.admin.get(VMIS, 'web.hypersdk', { namespace });
    return [status?.currentCPUTopology?.sockets, status?.memory?.guestCurrent];
  };

  it('is hot-plugged as far as possible, and otherwise applies at the next start', async () => {
    await world.make('web', { disks: [ROOT] });
    const { startTime } = (await world.vm('web')).status ?? {};
    await world.edit('web', { cpus: 4, memory: '4Gi' });
    await world.advance(60_000);
    expect(await size()).toEqual([4, '4Gi']);
    expect((await world.vm('web')).status).toMatchObject({ phase: 'Running', startTime });
    expect(await world.condition('web', 'RestartRequired')).toBeUndefined();
    await world.edit('web', { cpus: 1 });
    expect((await world.condition('web', 'RestartRequired'))?.message).toContain('spec.cpus');
    expect((await size())[0]).toBe(4);
    await world.admin.delete(VMIS, 'web.hypersdk', { namespace });
    await world.advance(30_000);
    expect(await size()).toEqual([1, '4Gi']);
    expect(await world.condition('web', 'RestartRequired')).toBeUndefined();
  });
});

describe('the usage of a VM', () => {
  const used = async () => (await world.vm('web')).status?.resources;
  const versions = async () => (await world.vm('web')).metadata.resourceVersion;

  it('is reported at its start, and later only after a change, every five minutes', async () => {
    const annotations = {
      'vimana.io/cpu-profile': 'trace 0s:0.25 7m:0.25 8m:0.9 24h:0.9',
      'vimana.io/memory-profile': 'constant 0.5',
    };
    await world.make('web', { annotations });
    expect(await used()).toEqual({ cpu: { usage: '25%', requests: 2 }, memory: { usage: '1024Mi', requests: '2Gi' } });
    const first = await versions();
    await world.advance(6 * 60_000);
    expect(await versions()).toBe(first);
    await world.advance(5 * 60_000);
    expect((await used())?.cpu?.usage).toBe('90%');
    const second = await versions();
    await world.advance(60 * 60_000);
    expect(await versions()).toBe(second);
    await world.edit('web', { running: false });
    expect(await used()).toEqual({ cpu: { requests: 2 }, memory: { requests: '2Gi' } });
  });

  it('is the same for an operator that queries metrics.k8s.io', async () => {
    const annotations = { 'vimana.io/cpu-profile': 'constant 0.25', 'vimana.io/memory-profile': 'constant 0.5' };
    await world.make('web', { annotations });
    const { clock, log, admin: client } = world;
    const informers = new Informers({ client, clock, log, random: seededRandom('usage') });
    const [pods, nodes] = [informers.of(PODS).cache, informers.of(NODES).cache];
    const usage = new MeasuredUsage({ client, clock, log, pods, nodes, namespace: '' });
    const stop = new AbortController();
    const done = Promise.all([informers.run(stop.signal), usage.run(stop.signal)]);
    await world.advance(1000);
    const instance = await client.get(VMIS, 'web.hypersdk', { namespace });
    expect(usage.of(instance)).toEqual({ cpuCores: 0.5, memoryBytes: 2 ** 30 });
    stop.abort();
    await done;
  });
});
