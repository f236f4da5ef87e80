import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { KubeError } from '#platform/kube/kube-error';
import { type Cluster, startCluster } from '#testing/cluster';
import { controllerDeps } from '#testing/controller-deps';
import { eventTtl } from './event-ttl.ts';

const EVENTS = resourceType('v1', 'Event', 'events');
const namespace = 'default';
const MINUTE = 60_000;

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster();
});
afterEach(() => cluster.stop());

const start = () => cluster.run(eventTtl(controllerDeps(cluster, 'generic-garbage-collector')));
const make = (name: string) =>
  cluster.admin.create(EVENTS, {
    metadata: { name, namespace },
    involvedObject: { kind: 'Pod', name: 'p', namespace },
    reason: 'Tested',
    message: 'x',
    type: 'Normal',
    source: { component: 'test' },
    lastTimestamp: new Date(cluster.clock.now()).toISOString().replace('.000', ''),
  });
const touch = (name: string, count: number) =>
  cluster.admin.patch(EVENTS, name, { type: 'merge', body: { count } }, { namespace });
const names = async () => (await cluster.admin.list(EVENTS, { namespace })).items.map(({ metadata }) => metadata.name);

describe('an event', () => {
  it('expires an hour after it was last written', async () => {
    start();
    await make('a');
    await cluster.clock.advance(30 * MINUTE);
    await make('b');
    await touch('a', 2);
    await make('c');
    await cluster.clock.advance(59 * MINUTE);
    expect(await names()).toEqual(['a', 'b', 'c']);
    await touch('b', 2);
    await cluster.clock.advance(2 * MINUTE);
    await cluster.until(async () => (await names()).length === 1);
    expect(await names()).toEqual(['b']);
    await cluster.clock.advance(60 * MINUTE);
    await cluster.until(async () => (await names()).length === 0);
  });

  it('that is older than the process expires on time', async () => {
    await make('old');
    await cluster.clock.advance(40 * MINUTE);
    await make('young');
    start();
    await cluster.clock.advance(21 * MINUTE);
    await cluster.until(async () => (await names()).length === 1);
    expect(await names()).toEqual(['young']);
    await cluster.clock.advance(40 * MINUTE);
    await cluster.until(async () => (await names()).length === 0);
  });

  it.each([
    [404, 'NotFound', 1],
    [409, 'Conflict', 1],
    [500, 'InternalError', 3],
  ])('is deleted again only if that can help: after %d %s', async (code, reason, attempts) => {
    const deps = controllerDeps(cluster, 'generic-garbage-collector');
    let deletes = 0;
    const client: Client = {
      ...deps.client,
      delete() {
        deletes++;
        return Promise.reject(new KubeError(code, reason, 'rejected'));
      },
    };
    cluster.run(eventTtl({ ...deps, client }));
    await make('a');
    await cluster.settle();
    await cluster.clock.advance(62 * MINUTE);
    expect(deletes).toBe(attempts);
    expect(cluster.log.entries.filter(({ message }) => message === 'failed to delete an event')).toHaveLength(
      attempts === 1 ? 0 : attempts,
    );
  });

  it('is retried until it is deleted, without delaying others', async () => {
    const deps = controllerDeps(cluster, 'generic-garbage-collector');
    let failures = 2;
    const client: Client = {
      ...deps.client,
      delete: (type, name, options) =>
        name === 'a' && failures-- > 0
          ? Promise.reject(new KubeError(500, 'InternalError', 'try again'))
          : deps.client.delete(type, name, options),
    };
    cluster.run(eventTtl({ ...deps, client }));
    await make('a');
    await make('b');
    await cluster.settle();
    await cluster.clock.advance(60 * MINUTE);
    await cluster.until(async () => (await names()).length === 1);
    expect(await names()).toEqual(['a']);
    await cluster.clock.advance(2 * MINUTE);
    await cluster.until(async () => (await names()).length === 0);
  });

  it('that was replaced by another Event of the same name is kept', async () => {
    const deps = controllerDeps(cluster, 'generic-garbage-collector');
    const deleted: unknown[] = [];
    const client: Client = {
      ...deps.client,
      delete(type, name, options) {
        deleted.push(options?.preconditions);
        return deps.client.delete(type, name, options);
      },
    };
    cluster.run(eventTtl({ ...deps, client }));
    const { metadata } = await make('a');
    await cluster.settle();
    await cluster.clock.advance(60 * MINUTE);
    await cluster.until(async () => (await names()).length === 0);
    expect(deleted).toEqual([{ uid: metadata.uid }]);
  });

  it('shares one timer with all others', async () => {
    start();
    await cluster.settle();
    await make('first');
    await cluster.settle();
    const timers = cluster.clock.pending;
    for (let i = 0; i < 50; i++) await make(`e-${i}`);
    await cluster.settle();
    expect(cluster.clock.pending).toBe(timers);
  });
});
