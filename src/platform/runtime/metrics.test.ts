import { describe, expect, it } from 'vitest';
import { TerminalError } from '#platform/base/errors';
import { FakeClock } from '#platform/base/fake-clock';
import { seededRandom } from '#platform/base/random';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { startCluster } from '#testing/cluster';
import { runnable } from './controller.ts';
import { Informers } from './informers.ts';
import { manager } from './manager.ts';
import { Metrics } from './metrics.ts';
import { WorkQueue } from './work-queue.ts';

/** Returns the samples of a scrape by their name and labels. */
async function scraped(metrics: Metrics): Promise<Record<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

describe('metrics', () => {
  it('report a queue: additions, retries, waiting and working times, and its depth', async () => {
    const metrics = new Metrics();
    const clock = new FakeClock();
    let failed = false;
    const queue: WorkQueue = new WorkQueue({
      name: 'q',
      clock,
      random: seededRandom(1),
      metrics: metrics.queue('q', () => queue.size),
      async work(key) {
        await clock.sleep(2000);
        if (key === 'bad' && !failed) {
          failed = true;
          throw new Error('no');
        }
        return undefined;
      },
    });
    const stop = new AbortController();
    const done = queue.run(stop.signal);
    // The second key is added while the first is processed, and so causes another run.
    for (const key of ['a', 'a', 'bad', 'c']) queue.add(key);
    await clock.advance(100);
    expect(await scraped(metrics)).toMatchObject({ 'workqueue_depth{name="q"}': 2 });
    await clock.advance(60_000);
    expect(await scraped(metrics)).toMatchObject({
      'workqueue_depth{name="q"}': 0,
      'workqueue_adds_total{name="q"}': 5,
      'workqueue_retries_total{name="q"}': 1,
      'workqueue_queue_duration_seconds_count{name="q"}': 5,
      'workqueue_work_duration_seconds_count{name="q"}': 5,
      'workqueue_work_duration_seconds_sum{name="q"}': 10,
      'workqueue_work_duration_seconds_bucket{le="1",name="q"}': 0,
      'workqueue_work_duration_seconds_bucket{le="10",name="q"}': 5,
    });
    stop.abort();
    await done;
  });

  it('report the result and the duration of every reconcile', async () => {
    const cluster = await startCluster();
    const metrics = new Metrics();
    const client = cluster.admin;
    const parts = { ...cluster, client, informers: new Informers({ ...cluster, client }), metrics };
    const answers: Record<string, () => Promise<{ requeueAfterMs: number } | void>> = {
      fine: async () => {},
      bad: async () => Promise.reject(new TerminalError('no')),
      later: async () => ({ requeueAfterMs: 3_600_000 }),
    };
    const controller = runnable(
      {
        name: 'test',
        for: CONFIG_MAPS,
        selection: { namespace: 'default' },
        async reconcile({ metadata }) {
          await cluster.clock.sleep(3);
          return await answers[metadata.name ?? '']?.();
        },
      },
      parts,
    );
    cluster.run(manager('test', [parts.informers, controller]));
    for (const name of Object.keys(answers)) {
      await client.create(CONFIG_MAPS, { metadata: { name, namespace: 'default' } });
    }
    await cluster.clock.advance(100);
    const samples = await scraped(metrics);
    expect(samples).toMatchObject({
      'vimana_reconcile_total{controller="test",result="success"}': 1,
      'vimana_reconcile_total{controller="test",result="error"}': 1,
      'vimana_reconcile_total{controller="test",result="requeue"}': 1,
      'vimana_reconcile_duration_seconds_count{controller="test"}': 3,
      'vimana_reconcile_duration_seconds_bucket{le="0.002",controller="test"}': 0,
      'vimana_reconcile_duration_seconds_bucket{le="0.004",controller="test"}': 3,
    });
    const bounds = Object.keys(samples).filter((name) => name.startsWith('vimana_reconcile_duration_seconds_bucket'));
    expect(bounds).toHaveLength(16);
    expect(bounds[14]).toContain('le="16.384"');
    await cluster.stop();
  });

  it('expose a second name with the same samples', async () => {
    const metrics = new Metrics();
    const runs = metrics.controller('vm', () => 0);
    runs.finished('success', 0.003);
    metrics.alsoNamed('vimana_reconcile_total', 'novacron_reconcile_total');
    metrics.alsoNamed('vimana_reconcile_duration_seconds', 'novacron_reconcile_duration_seconds');
    const samples = await scraped(metrics);
    const under = (prefix: string) =>
      Object.entries(samples).flatMap(([name, value]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
      );
    expect(under('novacron_reconcile_').length).toBeGreaterThan(10);
    expect(under('novacron_reconcile_')).toEqual(under('vimana_reconcile_'));
    expect(await metrics.text()).toContain('# TYPE novacron_reconcile_duration_seconds histogram');
    expect(() => metrics.alsoNamed('nothing', 'x')).toThrow('not found');
    expect(() => metrics.alsoNamed('workqueue_depth', 'vimana_reconcile_total')).toThrow('another');
  });

  it('read a gauge only when scraped, and drop deleted ones', async () => {
    const metrics = new Metrics();
    const found = new Map([['Running', 3]]);
    let requested = 0;
    metrics.measure({
      name: 'vimana_vm_total',
      help: 'Machines.',
      labels: ['phase'],
      *values() {
        requested++;
        for (const [phase, value] of found) yield { labels: { phase }, value };
      },
    });
    expect(requested).toBe(0);
    expect(await scraped(metrics)).toMatchObject({ 'vimana_vm_total{phase="Running"}': 3 });
    found.clear();
    found.set('Stopped', 1);
    const after = await scraped(metrics);
    expect(after).toHaveProperty(['vimana_vm_total{phase="Stopped"}'], 1);
    expect(after).not.toHaveProperty(['vimana_vm_total{phase="Running"}']);
  });

  it('are separate for two runtimes in one process', async () => {
    const [a, b] = [new Metrics(), new Metrics()];
    a.eventDropped('queue_full');
    expect(await scraped(a)).toHaveProperty(['vimana_events_dropped_total{reason="queue_full"}'], 1);
    expect(await scraped(b)).not.toHaveProperty(['vimana_events_dropped_total{reason="queue_full"}']);
  });
});
