import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPrometheus, PROMTOOL, Prometheus } from '../e2e/support/prometheus.ts';
import { type ExporterWorld, SAMPLES, startExporterWorld } from './world.ts';

describe.skipIf(!hasPrometheus('the exporter with a real Prometheus'))('the exporter with a real Prometheus', () => {
  let world: ExporterWorld;
  let prometheus: Prometheus | undefined;
  beforeAll(async () => {
    world = await startExporterWorld();
    await world.ask('/scenario?name=light_load', SAMPLES);
  });
  afterAll(async () => {
    await prometheus?.stop();
    await world.stop();
  });

  it('passes promtool', async () => {
    const input = await world.metricsText();
    // These metric names are given by node-exporter.
    const known = /^node_(vm_count|memory_Mem(Available|Total)_bytes) /;
    const { stdout, stderr } = spawnSync(PROMTOOL, ['check', 'metrics'], { input, encoding: 'utf8' });
    const said = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !known.test(line));
    expect(said).toEqual([]);
  });

  it('returns correct values for queries', async () => {
    const { ask } = (prometheus = await Prometheus.start(world.url));
    const { body } = await world.ask('/scenario');
    const used = body.nodes.reduce((sum, node) => sum + node.cpu_usage, 0);
    await vi.waitFor(
      async () => {
        expect((await ask('sum(node_cpu_usage_ratio)'))[0]).toBeCloseTo(used, 9);
        expect(await ask('sum(node_vm_count)')).toEqual([112]);
        expect(await ask('count(kube_node_role{role="worker"})')).toEqual([12]);
        // Rates of node-exporter's counters must match the gauges.
        const [rate] = await ask('sum(1 - rate(node_cpu_seconds_total{mode="idle"}[5s]) / 32)');
        expect(rate).toBeCloseTo(used, 1);
        const joined = 'count(node_memory_MemAvailable_bytes <= on(instance) node_memory_MemTotal_bytes)';
        expect(await ask(joined)).toEqual([12]);
      },
      { timeout: 90_000, interval: 500 },
    );
  });
});
