import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { crdOf } from '../src/api/crd.ts';
import { virtualMachine } from '../src/api/simulation/virtual-machine.ts';
import { realClock } from '../src/base/clock.ts';
import { silentLogger } from '../src/base/logger.ts';
import { ClusterFleet } from '../src/exporter/cluster-fleet.ts';
import { RefusedError } from '../src/exporter/fleet.ts';
import { exporterRoutes } from '../src/exporter/routes.ts';
import type { Client } from '../src/kube/client.ts';
import { NAMESPACES } from '../src/kube/kinds/core.ts';
import { NODES } from '../src/kube/kinds/node.ts';
import { PODS } from '../src/kube/kinds/pod.ts';
import { resourceType } from '../src/kube/kinds/resource-type.ts';
import { KubeError } from '../src/kube/kube-error.ts';
import { type HttpServer, startHttpServer } from '../src/runtime/http/http-server.ts';
import { PodManager } from '../src/simulation-library/pod-manager.ts';
import { SIMULATED_VMS, vmObject } from '../src/simulation-library/simulated-vm.ts';
import { startInMemory } from '../src/testing/embedded-in-memory.ts';
import type { Embedded } from '../src/up/embedded.ts';

const namespace = 'default';
const DEFINITIONS = resourceType(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  'Cluster',
);
/** With the rights that an exporter has, and no others. */
const EXPORTER = {
  name: 'system:serviceaccount:vimana-system:vimana-exporter',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:vimana-system', 'system:authenticated'],
};
const PATIENCE = { timeout: 15_000, interval: 100 };
const SAMPLES = readFileSync(new URL('../examples/simulation/sample_scenarios.json', import.meta.url), 'utf8');
/** Programs of Debian's package `prometheus`. */
const PROMETHEUS = 'prometheus';
const PROMTOOL = 'promtool';
const hasPrometheus = [PROMETHEUS, PROMTOOL].every((name) => spawnSync(name, ['--version']).status === 0);
if (!hasPrometheus) process.stderr.write('skipped: the exporter with a real Prometheus, because there is none here\n');

/** What some answer or other has. */
interface Answer {
  readonly results: readonly object[];
  readonly causes: readonly { readonly message: string }[];
  readonly unschedulable: readonly { readonly error: string }[];
  readonly nodes: readonly {
    readonly name: string;
    readonly cpu_usage: number;
    readonly vms: readonly { readonly id: string }[];
  }[];
}

describe('the exporter of a cluster', () => {
  let requests = 0;
  let embedded: Embedded;
  let server: HttpServer;

  beforeAll(async () => {
    embedded = await startInMemory({ dialects: ['simulation'], pools: [{ count: 12 }] });
    const client = counting(embedded.plane.client(EXPORTER, 'vimana-exporter'), () => requests++);
    const { informers } = embedded;
    const pods = new PodManager({ client, namespace });
    const fleet = new ClusterFleet({ client, informers, clock: realClock, pods, namespace });
    await fleet.synced();
    const routes = exporterRoutes(fleet);
    server = await startHttpServer({ port: 0, clock: realClock, log: silentLogger, routes });
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await embedded.stop();
  });

  const ask = async (path: string, body?: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(`${server.url}${path}`, body === undefined ? {} : { method: 'POST', body: text });
    return { status: answer.status, body: (await answer.json()) as Answer };
  };
  const metrics = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return new Map(
      text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );
  };
  const vms = async () => (await embedded.admin.list(SIMULATED_VMS, { namespace })).items;
  const pods = async () => (await embedded.admin.list(PODS, { namespace })).items;

  it('loads a scenario, replaces what an earlier one has made, and nothing else', async () => {
    const own = { id: 'mine', cpuConsumption: 0.01, memoryConsumption: 0.01 };
    await embedded.admin.create(SIMULATED_VMS, vmObject(own, { namespace }));
    expect((await ask('/scenario?name=light_load', SAMPLES)).body).toEqual({
      status: 'success',
      nodes_loaded: 6,
      total_vms: 112,
      unschedulable: [],
    });
    expect((await ask('/scenario?name=mixed_load', SAMPLES)).body).toMatchObject({ nodes_loaded: 12, total_vms: 643 });
    const names = (await vms()).map(({ metadata }) => metadata.name);
    expect([names.length, names.includes('mine')]).toEqual([644, true]);
    // Answered when each has its place: nothing waits, and there is one pod for each.
    const placed = await pods();
    expect([placed.length, placed.filter(({ spec }) => (spec.nodeName ?? '') === '').length]).toEqual([644, 0]);
  }, 60_000);

  it('tells what the launcher pods of each node add up to, and asks nobody', async () => {
    const sums = new Map<string, number>();
    for (const { spec, metadata } of await pods()) {
      const share = Number(metadata.annotations?.['kubevirt.io/vm-cpu-consumption']);
      sums.set(spec.nodeName ?? '', (sums.get(spec.nodeName ?? '') ?? 0) + share);
    }
    expect(requests).toBeGreaterThan(643);
    const before = requests;
    const told = await metrics();
    expect(requests).toBe(before);
    expect(sums.size).toBe(12);
    for (const [node, sum] of sums) expect(told.get(`node_cpu_usage_ratio{node="${node}"}`)).toBeCloseTo(sum, 5);
  });

  it('tells of an annotation of a pod at once', async () => {
    const pod = (await pods()).find(({ metadata }) => metadata.name?.startsWith('virt-launcher-mine-') === true);
    const line = `node_cpu_usage_ratio{node="${pod?.spec.nodeName}"}`;
    const before = (await metrics()).get(line) ?? 0;
    const body = { metadata: { annotations: { 'kubevirt.io/vm-cpu-consumption': '0.51' } } };
    await embedded.admin.patch(PODS, pod?.metadata.name ?? '', { type: 'merge', body }, { namespace });
    await vi.waitFor(async () => expect((await metrics()).get(line)).toBeCloseTo(before + 0.5, 5), PATIENCE);
  });

  it('says of a consumption that is no number that it counts for nothing', async () => {
    const pod = (await pods()).find(({ metadata }) => metadata.name?.startsWith('virt-launcher-vm-1-') === true);
    const name = pod?.metadata.name ?? '';
    const set = (cpu: string | undefined) => {
      const body = { metadata: { annotations: { 'kubevirt.io/vm-cpu-consumption': cpu } } };
      return embedded.admin.patch(PODS, name, { type: 'merge', body }, { namespace });
    };
    const warning = async () => ((await ask('/health')).body as { warning?: string }).warning;
    expect(await warning()).toBeUndefined();
    await set('half');
    await vi.waitFor(async () => {
      expect(await warning()).toBe(`a consumption is no number and counts for nothing: pods default/${name}`);
    }, PATIENCE);
    await set(pod?.metadata.annotations?.['kubevirt.io/vm-cpu-consumption']);
    await vi.waitFor(async () => expect(await warning()).toBeUndefined(), PATIENCE);
  });

  it('moves machines, and says where the scheduler has put them', async () => {
    const before = await pods();
    const [first, second] = before.filter(({ metadata }) => /-vm-\d+-/.test(metadata.name ?? ''));
    const idOf = (pod: typeof first) => pod?.metadata.labels?.['kubevirt.io/domain'] ?? '';
    const from = first?.spec.nodeName ?? '';
    const to = (await embedded.admin.list(NODES)).items
      .map(({ metadata }) => metadata.name)
      .find((each) => each !== from);
    const elsewhere = second?.spec.nodeName === 'kwok-node-1' ? 'kwok-node-2' : 'kwok-node-1';
    const { body } = await ask('/feedback', {
      migrations: [
        { vm_id: idOf(first), from_node: from, to_node: to },
        { vm_id: 'nobody', from_node: from, to_node: to },
        { vm_id: idOf(second), from_node: elsewhere, to_node: 'kwok-node-3' },
        { vm_id: 'mine', from_node: 'kwok-node-1', to_node: 'nowhere' },
      ],
    });
    const after = (await pods()).filter((pod) => idOf(pod) === idOf(first));
    expect(after).toHaveLength(1);
    expect(after[0]?.metadata.uid).not.toBe(first?.metadata.uid);
    const actual = after[0]?.spec.nodeName;
    expect(body.results[0]).toEqual({
      vm_id: idOf(first),
      from_node: from,
      to_node: to,
      actual_node: actual,
      success: true,
      as_suggested: actual === to,
      error: null,
    });
    expect(body.results[1]).toMatchObject({ success: false, error: 'there is no machine default/nobody that runs' });
    expect(body.results[2]).toMatchObject({ success: false, actual_node: second?.spec.nodeName });
    expect(body.results[3]).toMatchObject({ success: false });
  }, 30_000);

  it('moves a machine without a suggestion, and carries on what was annotated on its pod', async () => {
    const ofMine = async () => (await pods()).find(({ metadata }) => metadata.name?.startsWith('virt-launcher-mine-'));
    const old = await ofMine();
    expect(old?.metadata.annotations?.['kubevirt.io/vm-cpu-consumption']).toBe('0.51');
    const migrations = [{ vm_id: 'mine', from_node: old?.spec.nodeName }];
    const { body } = await ask('/feedback', { migrations });
    const next = await ofMine();
    const actual = next?.spec.nodeName;
    expect(body.results[0]).toMatchObject({
      to_node: null,
      actual_node: actual,
      success: true,
      as_suggested: actual !== old?.spec.nodeName,
    });
    expect(next?.metadata.uid).not.toBe(old?.metadata.uid);
    expect(next?.metadata.annotations).toMatchObject({
      'kubevirt.io/vm-cpu-consumption': '0.51',
      'kubevirt.io/vm-memory-consumption': '0.01',
    });
    const twice = ['mine', 'default/mine'].map((vm_id) => ({ vm_id, from_node: actual }));
    const refusal = await ask('/feedback', { migrations: twice });
    expect([refusal.status, refusal.body.causes.map(({ message }) => message)]).toEqual([
      400,
      ['migrations[1].vm_id: Duplicate value: "default/mine"'],
    ]);
  }, 30_000);

  it('tells machines of other namespaces apart, and moves them by what it calls them', async () => {
    await embedded.admin.create(NAMESPACES, { metadata: { name: 'other' } });
    const vm = { id: 'mine', cpuConsumption: 0.01, memoryConsumption: 0.01 };
    await embedded.admin.create(SIMULATED_VMS, vmObject(vm, { namespace: 'other' }), { namespace: 'other' });
    const found = await vi.waitFor(async () => {
      const { nodes } = (await ask('/scenario')).body;
      const all = nodes.flatMap(({ name, vms }) => vms.map(({ id }) => ({ id, name })));
      expect(
        all
          .filter(({ id }) => id.endsWith('mine'))
          .map(({ id }) => id)
          .sort(),
      ).toEqual(['mine', 'other/mine']);
      return all.find(({ id }) => id === 'other/mine');
    }, PATIENCE);
    const migrations = [{ vm_id: 'other/mine', from_node: found?.name, to_node: 'kwok-node-1' }];
    expect((await ask('/feedback', { migrations })).body.results[0]).toMatchObject({ success: true, error: null });
    await embedded.admin.delete(SIMULATED_VMS, 'mine', { namespace: 'other' });
    await vi.waitFor(async () => {
      expect((await embedded.admin.list(PODS, { namespace: 'other' })).items).toEqual([]);
    }, PATIENCE);
  }, 30_000);

  it('refuses nodes that are not there and machines that are not its own, and changes nothing', async () => {
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
        '[1].vms[0].id: Forbidden: there is a VirtualMachine mine that no scenario has made',
      ],
    ]);
    expect((await vms()).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
  });

  it('keeps the earlier load where the API server refuses a machine, the rights or the namespace', async () => {
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
      expect(error).toBeInstanceOf(RefusedError);
      const { status: code, causes } = error as RefusedError;
      return [code, causes.map(({ field, detail }) => [field, detail])];
    };
    expect(await refused(refusing)).toEqual([400, [['bad', 'VirtualMachine "bad" is invalid']]]);
    expect(await refused(admin, 'no-such')).toEqual([400, [['', 'there is no namespace no-such']]]);
    expect(await refused(stranger)).toEqual([403, [['', expect.stringContaining('cannot list resource')]]]);
    expect((await vms()).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
  });

  it('finishes what it has begun for a client that is gone, and begins nothing for one that was gone before', async () => {
    const { informers, admin } = embedded;
    const leaving = new AbortController();
    const client = new Proxy(admin, {
      get(target, name) {
        if (name === 'delete') leaving.abort(new Error('the client is gone'));
        return Reflect.get(target, name, target) as unknown;
      },
    });
    // The rehearsal of a deletion is none yet.
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
    await expect(fleet.replace(wanted('late'), leaving.signal)).rejects.toThrow('the client is gone');
    expect(await names()).toEqual(['mine', 'survivor']);
  }, 30_000);

  it('answers when the status of every machine names its node', async () => {
    await ask('/scenario?name=light_load', SAMPLES);
    const nodes = (await vms()).map(({ status }) => status?.nodeName ?? '');
    expect([nodes.length, nodes.filter((node) => node === '').length]).toEqual([113, 0]);
  }, 60_000);

  it('names machines that somebody else has deleted before it answers', async () => {
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
    expect(unplaced).toEqual([{ vm_id: 'taken', error: 'it is gone: somebody else has deleted it' }]);
  }, 30_000);

  it('names machines that no node has room for', async () => {
    const vm = (id: string, cpu: number) => ({ id, cpu_consumption: cpu, memory_consumption: 0.1 });
    const { body } = await ask('/scenario', [{ name: 'kwok-node-1', vms: [vm('fits', 0.2), vm('huge', 5)] }]);
    expect(body).toMatchObject({ status: 'success', total_vms: 2, unschedulable: [{ vm_id: 'huge' }] });
    expect(body.unschedulable[0]?.error).toContain('Insufficient cpu');
  }, 30_000);

  it('finds room for the machines of light_load on the six nodes that it names', async () => {
    const cordon = async (unschedulable: boolean) => {
      const patch = { type: 'merge', body: { spec: { unschedulable } } } as const;
      for (let i = 7; i <= 12; i++) await embedded.admin.patch(NODES, `kwok-node-${i}`, patch);
    };
    await cordon(true);
    const { body } = await ask('/scenario?name=light_load', SAMPLES);
    expect(body).toMatchObject({ status: 'success', nodes_loaded: 6, unschedulable: [] });
    await cordon(false);
  }, 60_000);

  it('forgets a node that goes, and refreshes', async () => {
    await embedded.admin.create(NODES, {
      metadata: { name: 'guest' },
      status: { allocatable: { cpu: '4', memory: '8Gi' } },
    });
    await vi.waitFor(async () => expect((await metrics()).has('node_vm_count{node="guest"}')).toBe(true), PATIENCE);
    expect((await ask('/nodes/guest')).body).toMatchObject({ name: 'guest', cpu_usage: 0, vms: [] });
    await embedded.admin.delete(NODES, 'guest');
    await vi.waitFor(async () => {
      expect([...(await metrics()).keys()].filter((line) => line.includes('"guest"'))).toEqual([]);
    }, PATIENCE);
    expect((await ask('/refresh', '')).body).toMatchObject({ status: 'success', failed: [], total: 12 });
    expect((await ask('/health')).body).toEqual({
      status: 'healthy',
      nodes: 12,
      pod_manager_enabled: true,
      k8s_client_ready: true,
    });
  });

  describe.skipIf(!hasPrometheus)('with a real Prometheus', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vimana-exporter-'));
    let prometheus: ChildProcess | undefined;
    afterAll(async () => {
      if (prometheus !== undefined) {
        const gone = new Promise((resolve) => prometheus?.once('exit', resolve));
        prometheus.kill();
        await gone;
      }
      rmSync(folder, { recursive: true, force: true });
    });

    it('passes promtool', async () => {
      const input = await (await fetch(`${server.url}/metrics`)).text();
      // What these are called is not for us to change.
      const known = /^node_(vm_count|memory_Mem(Available|Total)_bytes) /;
      const { stdout, stderr } = spawnSync(PROMTOOL, ['check', 'metrics'], { input, encoding: 'utf8' });
      const said = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !known.test(line));
      expect(said).toEqual([]);
    });

    it('answers queries with the truth', async () => {
      await ask('/scenario?name=light_load', SAMPLES);
      const config = join(folder, 'prometheus.yaml');
      const job = {
        job_name: 'vimana',
        honor_labels: true,
        static_configs: [{ targets: [`127.0.0.1:${server.port}`] }],
      };
      const global = { scrape_interval: '500ms', scrape_timeout: '500ms' };
      writeFileSync(config, stringify({ global, scrape_configs: [job] }));
      execFileSync(PROMTOOL, ['check', 'config', config]);
      const port = await freePort();
      const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`];
      prometheus = spawn(PROMETHEUS, [...flags, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
      const query = async (text: string) => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(text)}`);
        const { data } = (await answer.json()) as { data: { result: { metric: object; value: [number, string] }[] } };
        return data.result;
      };
      const { body } = await ask('/scenario');
      const used = body.nodes.reduce((sum, node) => sum + node.cpu_usage, 0);
      await vi.waitFor(
        async () => {
          expect(Number((await query('sum(node_cpu_usage_ratio)'))[0]?.value[1])).toBeCloseTo(used, 9);
          expect((await query('sum(node_vm_count)'))[0]?.value[1]).toBe('113');
          expect(await query('count(kube_node_role{role="worker"})')).toMatchObject([
            { value: [expect.anything(), '12'] },
          ]);
          // What node-exporter's users reckon from counters is what the gauges say.
          const [rate] = await query('sum(1 - rate(node_cpu_seconds_total{mode="idle"}[3s]) / 32)');
          expect(Number(rate?.value[1])).toBeCloseTo(used, 1);
          const joined = 'count(node_memory_MemAvailable_bytes <= on(instance) node_memory_MemTotal_bytes)';
          expect((await query(joined))[0]?.value[1]).toBe('12');
        },
        { timeout: 25_000, interval: 500 },
      );
    }, 60_000);
  });
});

it('the exporter makes and moves pods itself where no operator does', async () => {
  const embedded = await startInMemory({ dialects: ['kubevirt'], pools: [{ count: 2 }] });
  try {
    const { admin: client, informers } = embedded;
    await client.create(DEFINITIONS, crdOf(virtualMachine));
    await vi.waitFor(() => client.list(SIMULATED_VMS), PATIENCE);
    const manager = new PodManager({ client, namespace });
    const fleet = new ClusterFleet({ client, informers, clock: realClock, pods: manager, namespace });
    await fleet.synced();
    const { signal } = new AbortController();
    const vms = ['a', 'b'].map((id) => ({ path: '', vm: { id, cpuConsumption: 0.25, memoryConsumption: 0.1 } }));
    const node = { name: 'kwok-node-1', path: '', cpuCores: 32, memoryBytes: 2 ** 37, vms };
    expect(await fleet.replace({ name: 's', nodes: [node] }, signal)).toEqual({ nodes: 1, vms: 2, unplaced: [] });
    const sum = () => fleet.loads().reduce((total, { cpuUsage }) => total + cpuUsage, 0);
    expect(sum()).toBeCloseTo(0.5, 9);
    const from = (await manager.getPodNodeAssignment('a')) ?? '';
    expect((await client.get(SIMULATED_VMS, 'a', { namespace })).status?.nodeName).toBe(from);
    const [moved] = await fleet.move([{ vm_id: 'a', from_node: from, to_node: 'kwok-node-2' }], signal);
    expect(moved).toMatchObject({ success: true, error: null, actual_node: await manager.getPodNodeAssignment('a') });
    expect((await client.list(PODS, { namespace })).items).toHaveLength(2);
    await fleet.replace({ name: 's', nodes: [{ ...node, vms: vms.slice(1) }] }, signal);
    expect((await client.list(PODS, { namespace })).items).toHaveLength(1);
    await vi.waitFor(() => expect(sum()).toBeCloseTo(0.25, 9), PATIENCE);
  } finally {
    await embedded.stop();
  }
}, 60_000);

/** A client that is asked before every machine that it rehearses. */
function rehearsing(client: Client, before: (name: string) => void): Client {
  const create: Client['create'] = (type, object, options) => {
    if (options?.dryRun === true) before((object as { metadata: { name: string } }).metadata.name);
    return client.create(type, object, options);
  };
  return new Proxy(client, {
    get: (target, name) => (name === 'create' ? create : (Reflect.get(target, name, target) as unknown)),
  });
}

/** A client that tells of every request. */
function counting(client: Client, tell: () => void): Client {
  return new Proxy(client, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        tell();
        return Reflect.apply(method, target, args) as unknown;
      };
    },
  });
}

async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => holder.once('listening', resolve));
  const { port } = holder.address() as AddressInfo;
  await new Promise((resolve) => holder.close(resolve));
  return port;
}
