import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NODES } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { POD_DISRUPTION_BUDGETS } from '#platform/kube/kinds/policy';
import { type ExporterWorld, namespace, startExporterWorld, TIMEOUT } from './world.ts';

let world: ExporterWorld;
beforeAll(async () => {
  world = await startExporterWorld();
});
afterAll(() => world.stop());

/** Loads three small VMs, and returns where they are. */
async function load(): Promise<(id: string) => string> {
  const vms = ['a', 'b', 'c'].map((id) => ({ id, cpu_consumption: 0.1, memory_consumption: 0.1 }));
  const { body } = await world.ask('/scenario', [{ name: 'kwok-node-1', vms }]);
  expect(body).toMatchObject({ status: 'success', total_vms: 3, unschedulable: [] });
  const pods = await world.pods();
  return (id) => pods.find(({ metadata }) => metadata.labels?.['kubevirt.io/domain'] === id)?.spec.nodeName ?? '';
}

const patchNode = (name: string, body: object) => world.embedded.admin.patch(NODES, name, { type: 'merge', body });
const other = (node: string, ...not: string[]) =>
  ['kwok-node-2', 'kwok-node-3', 'kwok-node-4', 'kwok-node-5'].find((each) => each !== node && !not.includes(each)) ??
  '';

describe('POST /feedback with destinations of the planner', () => {
  it('live-migrates VMs to the suggested nodes, and reports when they moved', async () => {
    const at = await load();
    const before = await world.pods();
    const [to, next] = [other(at('a')), other(at('b'))];
    const migrations = [
      { vm_id: 'a', from_node: at('a'), to_node: to },
      { vm_id: 'b', from_node: at('b'), to_node: next },
    ];
    const { body } = await world.ask('/feedback', { migrations, destinations: 'planner' });
    const done = { success: true, as_suggested: true, error: null };
    expect(body).toMatchObject({ success: true, moved: 2 });
    expect(body.results).toMatchObject([
      { ...done, actual_node: to },
      { ...done, actual_node: next },
    ]);
    // Nothing counts on the source anymore when the response arrives.
    const found = (await world.ask('/scenario')).body.nodes.flatMap(({ name, vms }) =>
      vms.map((vm) => ({ ...vm, on: name })),
    );
    expect(found.filter(({ id }) => id === 'a')).toMatchObject([{ on: to, seconds_since_move: expect.any(Number) }]);
    expect(found.find(({ id }) => id === 'c')).not.toHaveProperty('seconds_since_move');
    // It can move on, although the migration had named its node.
    const again = { vm_id: 'a', from_node: to, to_node: other(to, at('a')) };
    const second = await world.ask('/feedback', { migrations: [again], destinations: 'planner' });
    expect(second.body.results).toMatchObject([done]);
    expect(before).toHaveLength(3);
  });

  it('moves nothing to a node that is cordoned or has a taint, and says so', async () => {
    const at = await load();
    const [cordoned, tainted] = [other(at('a')), other(at('a'), other(at('a')))];
    await patchNode(cordoned, { spec: { unschedulable: true } });
    await patchNode(tainted, { spec: { taints: [{ key: 'only', value: 'gpu', effect: 'NoSchedule' }] } });
    type Vm = { readonly id: string; readonly excluded_nodes?: readonly string[] };
    await vi.waitFor(async () => {
      const { nodes } = (await world.ask('/scenario')).body;
      expect(nodes.find(({ name }) => name === cordoned)).toMatchObject({ ready: true, cordoned: true });
      const a = nodes.flatMap<Vm>(({ vms }) => vms).find(({ id }) => id === 'a');
      expect(a?.excluded_nodes).toEqual([tainted]);
    }, TIMEOUT);
    for (const destinations of ['planner', 'scheduler']) {
      const migrations = [
        { vm_id: 'a', from_node: at('a'), to_node: cordoned },
        { vm_id: 'b', from_node: at('b'), to_node: tainted },
      ];
      const { body } = await world.ask('/feedback', { migrations, destinations });
      expect(body).toMatchObject({ success: false, moved: 0 });
      expect(body.results).toMatchObject([
        { success: false, actual_node: at('a'), error: `node ${cordoned} is cordoned` },
        { error: `node ${tainted} has the taint only=gpu:NoSchedule, which the VM does not tolerate` },
      ]);
    }
    await patchNode(cordoned, { spec: { unschedulable: null } });
    await patchNode(tainted, { spec: { taints: null } });
  });

  it('moves no VM that a PodDisruptionBudget protects', async () => {
    const at = await load();
    const budget = {
      metadata: { name: 'all', namespace },
      spec: { minAvailable: 2, selector: { matchLabels: { 'kubevirt.io': 'virt-launcher' } } },
    };
    await world.embedded.admin.create(POD_DISRUPTION_BUDGETS, budget, { namespace });
    type Vm = { readonly id: string; readonly budgets?: readonly object[] };
    await vi.waitFor(async () => {
      const vms = (await world.ask('/scenario')).body.nodes.flatMap<Vm>((node) => node.vms);
      expect(vms.map(({ budgets }) => budgets)).toEqual(
        [1, 1, 1].map((disruptions_allowed) => [{ name: 'default/all', disruptions_allowed }]),
      );
    }, TIMEOUT);
    const uids = new Set((await world.pods()).map(({ metadata }) => metadata.uid));
    const migrations = ['a', 'b'].map((id) => ({ vm_id: id, from_node: at(id), to_node: other(at(id)) }));
    const { body } = await world.ask('/feedback', { migrations, destinations: 'planner' });
    expect(body).toMatchObject({ moved: 1 });
    const failed = body.results.filter((result) => !(result as { success: boolean }).success);
    expect(failed).toMatchObject([{ error: 'PodDisruptionBudget default/all allows no more disruptions now' }]);
    const stayed = (await world.embedded.admin.list(PODS, { namespace })).items.filter(
      ({ metadata }) => uids.has(metadata.uid) && metadata.deletionTimestamp === undefined,
    );
    expect(stayed.length).toBeGreaterThanOrEqual(2);
    await world.embedded.admin.delete(POD_DISRUPTION_BUDGETS, 'all', { namespace });
  });
});
