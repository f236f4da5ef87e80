import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { hasKubectl } from '../support/kubectl.ts';
import { onCluster } from '../support/on-cluster.ts';
import { hasPrometheus, Prometheus } from '../support/prometheus.ts';
import type { Target } from '../support/target.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../../bin/vimana');
const MACHINES = 12;

export interface RebalancedTarget extends Target {
  /** URL of its exporter. */
  readonly exporter: string;
}

/** `vimana rebalance run` on any cluster with the operator, four simulated nodes and an exporter. */
export function rebalanceJourney(where: {
  readonly name: string;
  readonly start: () => Promise<RebalancedTarget>;
}): void {
  describe.skipIf(!hasKubectl())(`vimana rebalance run on ${where.name}`, () => journey(where.start));
}

function journey(begin: () => Promise<RebalancedTarget>): void {
  const cluster = onCluster(begin, 300_000);
  const { ok } = cluster;

  /** Places all VMs on two of four nodes, as if two nodes had been added. */
  async function crowd(): Promise<void> {
    await ok('cordon kwok-node-3 kwok-node-4');
    const vms = Array.from({ length: MACHINES }, (_, i) => ({
      id: `vm-${i}`,
      cpu_consumption: 0.12,
      memory_consumption: 0.1,
    }));
    const body = JSON.stringify([{ name: 'kwok-node-1', vms }]);
    const answer = await fetch(`${cluster.target.exporter}/scenario`, { method: 'POST', body });
    expect(await answer.json()).toMatchObject({ status: 'success', total_vms: MACHINES, unschedulable: [] });
    await ok('uncordon kwok-node-3 kwok-node-4');
    await untainted('nodes', '{.items[*].spec.taints[*].key}');
  }

  /** Waits for the removal of a taint: Kubernetes removes it shortly after a node is uncordoned. */
  async function untainted(what: string, keys: string): Promise<void> {
    await vi.waitFor(async () => expect(await ok(`get ${what} -o jsonpath=${keys}`)).not.toContain('unschedulable'), {
      timeout: 60_000,
      interval: 100,
    });
  }

  const places = async () =>
    Map.groupBy(
      (await ok('get pods -l kubevirt.io=virt-launcher -o jsonpath={.items[*].spec.nodeName}')).split(' '),
      (node) => node,
    );

  function start(...args: string[]) {
    const child = spawn(LAUNCHER, ['rebalance', 'run', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const ended = once(child, 'close').then(([code]) => ({ code: code as number, out, err }));
    return { ended, interrupt: () => child.kill('SIGINT') };
  }

  it('spreads VMs over nodes that were added later, by the metrics of the exporter', async () => {
    await crowd();
    expect((await places()).size).toBe(2);
    const dry = await start('--exporter', cluster.target.exporter, '--dry-run').ended;
    expect([dry.code, dry.out.split('\n')[0]]).toEqual([1, expect.stringMatching(/^2 of 4 nodes are overloaded/)]);
    expect((await places()).size).toBe(2);
    const { code, out, err } = await start('--exporter', cluster.target.exporter).ended;
    expect([code, err], out).toEqual([0, '']);
    expect(out).toMatch(/^step 1: 2 of 4 nodes are overloaded \(kwok-node-[12] /);
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/^converged: no node is overloaded \(\d steps?, \d+ VMs?/);
    const found = await places();
    expect([found.size, [...found.values()].flat().length]).toEqual([4, MACHINES]);
    const again = await start('--exporter', cluster.target.exporter, '-o', 'json').ended;
    expect(JSON.parse(again.out)).toMatchObject({ outcome: 'converged', moved: 0, steps: [{ over: 0, moves: [] }] });
  }, 300_000);

  it('moves nothing to a cordoned node, and reports what it omitted', async () => {
    await crowd();
    await ok('cordon kwok-node-3 kwok-node-4');
    const before = await places();
    const stalled = await start('--exporter', cluster.target.exporter, '-o', 'json').ended;
    expect(stalled.code).toBe(1);
    expect(JSON.parse(stalled.out)).toMatchObject({
      ...{ outcome: 'stalled', converged: false, moved: 0 },
      steps: [{ over: 2, moves: [], left_out: { cordoned: ['kwok-node-3', 'kwok-node-4'] } }],
    });
    expect(await places()).toEqual(before);
    await ok('uncordon kwok-node-3');
    await untainted('node kwok-node-3', '{.spec.taints[*].key}');
    const { out } = await start('--exporter', cluster.target.exporter).ended;
    expect(out).toContain('left out: kwok-node-4 is cordoned');
    const found = await places();
    expect([found.has('kwok-node-4'), found.has('kwok-node-3')]).toEqual([false, true]);
    await ok('uncordon kwok-node-4');
  }, 300_000);

  it.skipIf(!hasPrometheus('rebalancing by a real Prometheus'))(
    'does the same by the metrics of a real Prometheus',
    async () => {
      await crowd();
      const prometheus = await Prometheus.start(cluster.target.exporter);
      try {
        const { code, out } = await start(
          '--exporter',
          cluster.target.exporter,
          '--prometheus',
          prometheus.url,
          '-o',
          'json',
        ).ended;
        const { outcome, moved, steps } = JSON.parse(out);
        expect([code, outcome, steps[0].over, steps.at(-1).over]).toEqual([0, 'converged', 2, 0]);
        expect(moved).toBeGreaterThanOrEqual(4);
        expect((await places()).size).toBe(4);
      } finally {
        await prometheus.stop();
      }
    },
    300_000,
  );

  it('stops on Ctrl-C, and reports by its exit code that it has not converged', async () => {
    let looks = 0;
    const looked = Promise.withResolvers<void>();
    // Its clock runs, but it never scrapes.
    const idle: Server = createServer((_request, response) => {
      if (++looks === 2) looked.resolve();
      response.end(JSON.stringify({ data: { result: [looks, 'NaN'] } }));
    });
    await new Promise<void>((listening) => idle.listen(0, '127.0.0.1', listening));
    try {
      const url = `http://127.0.0.1:${(idle.address() as AddressInfo).port}`;
      const running = start('--exporter', cluster.target.exporter, '--prometheus', url, '--patience', '1h');
      await looked.promise;
      running.interrupt();
      const { code, out } = await running.ended;
      expect([code, out]).toEqual([
        130,
        'interrupted: stopped before the nodes were balanced (0 steps, 0 VMs migrated, 0 of them as suggested)\n',
      ]);
    } finally {
      idle.closeAllConnections();
      idle.close();
    }
  }, 300_000);
}
