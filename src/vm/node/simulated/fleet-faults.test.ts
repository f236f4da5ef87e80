import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import { PODS } from '#platform/kube/kinds/pod';
import { type FleetHarness, fleetHarness, namespace } from '#testing/fleet-harness';
import { runs } from '#testing/runs';
import type { SimulatedFleet } from './simulated-fleet.ts';

const NODES = ['kwok-node-1', 'kwok-node-2', 'kwok-node-3'];

type Step =
  | {
      readonly do: 'make' | 'stop' | 'delete pod' | 'tear out pod' | 'pause' | 'resume' | 'migrate' | 'abort';
      readonly which: number;
    }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'cut off' | 'reconnect' | 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'make' as const,
        'stop' as const,
        'delete pod' as const,
        'tear out pod' as const,
        'pause' as const,
        'resume' as const,
        'migrate' as const,
        'abort' as const,
      ),
      which: fc.nat(3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 50, 500, 5_000, 40_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('cut off' as const, 'reconnect' as const, 'restart' as const) }),
  },
);

/** Exposes a fleet to the random actions of users, controllers and a faulty network. */
class Trial {
  readonly harness: FleetHarness;
  readonly #vmis = new Map<number, Vmi>();
  #fleet: { readonly fleet: SimulatedFleet; readonly stop: () => Promise<void> };
  #count = 0;

  constructor(harness: FleetHarness) {
    this.harness = harness;
    this.#fleet = this.#start();
  }

  #start() {
    return this.harness.start({ link: 20e6 });
  }

  get fleet(): SimulatedFleet {
    return this.#fleet.fleet;
  }

  async take(each: Step): Promise<void> {
    const { cluster, admin } = this.harness;
    if (each.do === 'wait') return await cluster.clock.advance(each.ms);
    if (each.do === 'cut off' || each.do === 'reconnect') {
      this.harness.cutOff = each.do === 'cut off';
      return;
    }
    if (each.do === 'restart') {
      await this.#fleet.stop();
      this.#fleet = this.#start();
      return;
    }
    if (!('which' in each)) return;
    const vmi = this.#vmis.get(each.which);
    if (each.do === 'make') {
      if (vmi === undefined) await this.#make(each.which);
      return;
    }
    if (vmi === undefined) return;
    const { name } = vmi.metadata;
    const pod = `launcher-${name}`;
    const quietly = (attempt: Promise<unknown>) => attempt.catch(() => undefined);
    if (each.do === 'stop') {
      await quietly(admin.delete(VMIS, name, { namespace }));
      this.#vmis.delete(each.which);
    }
    if (each.do === 'delete pod') await quietly(admin.delete(PODS, pod, { namespace }));
    if (each.do === 'tear out pod') await quietly(admin.delete(PODS, pod, { namespace, gracePeriodSeconds: 0 }));
    if (each.do === 'pause') await quietly(this.harness.annotate(name, { 'vimana.io/paused': 'true' }));
    if (each.do === 'resume') await quietly(this.harness.annotate(name, { 'vimana.io/paused': null }));
    if (each.do === 'migrate') await quietly(this.#migrate(vmi));
    if (each.do === 'abort') await quietly(this.#patch(name, { abortRequested: true }));
  }

  async #make(which: number): Promise<void> {
    const shutdown = ['0s', '3s', 'never'][this.#count % 3] ?? '0s';
    const vmi = await this.harness.makeInstance(`m${this.#count++}`, {
      annotations: { 'vimana.io/shutdown-duration': shutdown, 'vimana.io/boot-time': '2s' },
    });
    this.#vmis.set(which, vmi);
    await this.harness.createLauncherPod(vmi, NODES[which % NODES.length] ?? '', { grace: 5 });
  }

  async #migrate(vmi: Vmi): Promise<void> {
    const { status } = await this.harness.instance(vmi.metadata.name);
    if (
      status?.phase !== 'Running' ||
      (status.migrationState !== undefined && status.migrationState.completed !== true)
    )
      return;
    const migrationUid = `migration-${this.#count++}`;
    const targetNode = NODES.find((node) => node !== status.nodeName) ?? '';
    const sources = await this.harness.admin.list(PODS, { namespace });
    const source = sources.items.find(({ metadata }) => status.activePods?.[metadata.uid ?? ''] !== undefined);
    const target = await this.harness.createLauncherPod(vmi, targetNode, {
      name: `target-${this.#count}`,
      migration: migrationUid,
    });
    await this.#patch(vmi.metadata.name, null);
    await this.#patch(vmi.metadata.name, {
      migrationUid,
      sourceNode: status.nodeName,
      sourcePod: source?.metadata.name,
      targetNode,
      targetPod: target.metadata.name,
    });
  }

  async #patch(name: string, migrationState: object | null): Promise<void> {
    const body = { status: { migrationState } };
    await this.harness.admin.patch(VMIS, name, { type: 'merge', body }, { namespace, subresource: 'status' });
  }

  /** Returns the nodes on which each machine runs, by the UID of its instance. */
  async running(): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (const node of NODES) {
      for (const { spec, state } of await this.fleet.simulation.driver(node).list()) {
        if (state !== 'running' && state !== 'stopping') continue;
        found.set(spec.id, [...(found.get(spec.id) ?? []), node]);
      }
    }
    return found;
  }
}

describe('a fleet under all faults', () => {
  it('never runs a machine twice, and finally runs exactly those that should run', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const harness = await fleetHarness();
        const trial = new Trial(harness);
        try {
          for (const each of steps) {
            await trial.take(each);
            await harness.cluster.clock.advance(0);
            for (const nodes of (await trial.running()).values()) expect(nodes.length).toBeLessThanOrEqual(1);
          }
          harness.cutOff = false;
          await harness.cluster.clock.advance(400_000);
          const { items } = await harness.admin.list(VMIS);
          const said = items.filter(({ status }) => status?.phase === 'Running');
          const where = await trial.running();
          for (const vmi of said) {
            const paused = vmi.metadata.annotations?.['vimana.io/paused'] === 'true';
            if (paused || !(await hasPod(harness, vmi))) continue;
            expect(where.get(vmi.metadata.uid), vmi.metadata.name).toEqual([vmi.status?.nodeName]);
          }
          expect(where.size).toBeLessThanOrEqual(said.length);
          const pods = await harness.admin.list(PODS, { namespace });
          const uids = new Set(pods.items.map(({ metadata }) => metadata.uid));
          for (const node of NODES) {
            const machines = await trial.fleet.simulation.driver(node).list();
            for (const { spec } of machines) expect(uids.has(spec.pod.uid), `${spec.name} without its pod`).toBe(true);
          }
          // Every pod whose deletion was requested is gone.
          expect(pods.items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
        } finally {
          await harness.cluster.stop();
        }
      }),
      { numRuns: runs(25) },
    );
  });
});

async function hasPod(harness: FleetHarness, { status }: Vmi): Promise<boolean> {
  const pods = await harness.admin.list(PODS, { namespace });
  return pods.items.some(({ metadata }) => status?.activePods?.[metadata.uid ?? ''] !== undefined);
}
