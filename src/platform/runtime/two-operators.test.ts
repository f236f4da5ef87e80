import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS, SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Cluster, startCluster } from '#testing/cluster';
import { runs } from '#testing/runs';
import { byController, controllerKey } from './cache.ts';
import { type Controller, runnable } from './controller.ts';
import { Expectations } from './expectations.ts';
import { Informers } from './informers.ts';
import { keyOf } from './key.ts';
import { OwnClock } from './leader-elector.fixture.ts';
import { createLeaderElector } from './leader-elector.ts';
import { manager } from './manager.ts';

const namespace = 'kube-public';
const SECOND = 1000;

/** Creates one child for each account. Its name is random, so only knowledge of the first one prevents a second. */
function oneChild(): Controller {
  const expected = new Expectations();
  return {
    name: 'one-child',
    for: SERVICE_ACCOUNTS,
    selection: { namespace },
    owns: [CONFIG_MAPS],
    async reconcile(owner, { client, cache }) {
      const children = cache(CONFIG_MAPS);
      const { name = '', uid = '' } = owner.metadata;
      const known = [...children.by(byController, controllerKey(owner))].length > 0;
      if (!expected.met(keyOf(owner), children) || known) return;
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ServiceAccount', name, uid, controller: true }];
      const child = { metadata: { generateName: `${name}-`, namespace, ownerReferences } };
      expected.wrote(keyOf(owner), await client.create(CONFIG_MAPS, child));
    },
  };
}

/** Starts an operator that sees children up to ten seconds late, and whose process can be stalled. */
function startOperator(cluster: Cluster, name: string, seed: number) {
  const { clock, log } = cluster;
  const own = new OwnClock(clock, 0, 1);
  const random = seededRandom(`${seed} ${name}`);
  const client: Client = {
    ...cluster.admin,
    async *watch(type, options) {
      for await (const event of cluster.admin.watch(type, options)) {
        const late = type.plural === CONFIG_MAPS.plural ? random.next() * 10 * SECOND : 0;
        await clock.sleep(late, options?.signal).catch(() => {});
        await own.awake();
        yield event;
      }
    },
  };
  const parts = { client, clock: own, random, log };
  const informers = new Informers(parts);
  // The resource is watched all the time, so that a new leader does not start with an empty cache.
  informers.of(SERVICE_ACCOUNTS, { namespace });
  informers.of(CONFIG_MAPS);
  const operator = createLeaderElector({
    ...parts,
    lease: { namespace: 'kube-system', name: 'operator' },
    identity: name,
    informers,
    async run(term) {
      const controller = runnable(oneChild(), { ...parts, informers, client: term.guard(client) });
      await manager('controllers', [controller]).run(term.signal);
    },
  });
  const stop = new AbortController();
  const done = manager(name, [informers, operator]).run(stop.signal);
  return { own, stop, done };
}

describe('two operators', () => {
  it('create one child for each object, in any interleaving', async () => {
    const step = fc.record({
      who: fc.nat(1),
      what: fc.constantFrom('create', 'create and replace', 'hold up', 'hold up until another leads', 'go on'),
      waitMs: fc.nat(20 * SECOND),
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(step, { maxLength: 14 }), async (seed, steps) => {
        const cluster = await startCluster();
        const { clock, admin } = cluster;
        const all = [startOperator(cluster, 'a', seed), startOperator(cluster, 'b', seed)];
        const ended: Promise<void>[] = [];
        let owners = 0;
        const create = async () => {
          await admin.create(SERVICE_ACCOUNTS, { metadata: { name: `owner-${owners++}`, namespace } });
        };
        for (const { who, what, waitMs } of steps) {
          const one = all[who];
          if (what === 'create') await create();
          else if (what === 'hold up') one?.own.fallAsleep(false);
          else if (what === 'hold up until another leads') {
            one?.own.fallAsleep(false);
            await create();
            await clock.advance(25 * SECOND);
            one?.own.wake();
          } else if (what === 'go on') one?.own.wake();
          else if (one !== undefined) {
            one.own.wake();
            await create();
            await clock.advance(100);
            one.stop.abort();
            ended.push(one.done);
            await clock.advance(6 * SECOND);
            all[who] = startOperator(cluster, `${who}-${ended.length}`, seed);
          }
          await clock.advance(waitMs);
        }
        for (const { own } of all) own.wake();
        await clock.advance(60 * SECOND);
        const { items } = await admin.list(CONFIG_MAPS, { namespace });
        const made = items.map((item: KubeObject) => item.metadata.ownerReferences?.[0]?.name ?? '').sort();
        expect(made).toEqual(Array.from({ length: owners }, (_, i) => `owner-${i}`).sort());
        for (const { stop } of all) stop.abort();
        await clock.advance(10 * SECOND);
        await Promise.all([...ended, ...all.map(({ done }) => done)]);
        await cluster.stop();
      }),
      { numRuns: runs(25) },
    );
  });
});
