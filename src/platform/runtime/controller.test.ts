import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, type ConfigMap, NAMESPACES, SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Cluster, startCluster } from '#testing/cluster';
import { byController, controllerKey } from './cache.ts';
import { type Controller, runnable, watchSource } from './controller.ts';
import { Expectations } from './expectations.ts';
import { Informers } from './informers.ts';
import { keyOf } from './key.ts';
import { manager } from './manager.ts';
import { waitForAbort } from './wait-for-abort.ts';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster();
});
afterEach(() => cluster.stop());

const namespace = 'kube-public';
const configMap = (name: string, data: Record<string, string> = {}) => ({ metadata: { name, namespace }, data });

function start<T extends KubeObject>(controller: Controller<T>) {
  const parts = { ...cluster, client: cluster.admin, informers: new Informers({ ...cluster, client: cluster.admin }) };
  return cluster.run(manager('test', [parts.informers, runnable(controller, parts)]));
}

describe('a controller', () => {
  it('reconciles existing and changed objects, and ignores deleted ones', async () => {
    const runs: string[] = [];
    start({
      name: 'test',
      for: CONFIG_MAPS,
      selection: { namespace },
      async reconcile(object) {
        runs.push(`${object.metadata.name} ${object.data?.['a'] ?? '-'}`);
      },
      forget: (key) => void runs.push(`${key} gone`),
    });
    await cluster.settle();
    await cluster.admin.create(CONFIG_MAPS, configMap('x'));
    await cluster.until(() => runs.length === 1);
    await cluster.admin.patch(CONFIG_MAPS, 'x', { type: 'merge', body: { data: { a: '1' } } }, { namespace });
    await cluster.until(() => runs.length === 2);
    await cluster.admin.delete(CONFIG_MAPS, 'x', { namespace });
    await cluster.until(() => runs.length === 3);
    expect(runs).toEqual(['x -', 'x 1', 'kube-public/x gone']);
  });

  it('reconciles the owners of changed objects and the keys of watch sources, old and new', async () => {
    const runs: string[] = [];
    start({
      name: 'test',
      for: SERVICE_ACCOUNTS,
      selection: { namespace },
      owns: [CONFIG_MAPS],
      watches: [watchSource(NAMESPACES, ({ metadata }) => [`${namespace}/${metadata.labels?.['about'] ?? 'nobody'}`])],
      async reconcile({ metadata }) {
        runs.push(metadata.name ?? '');
      },
    });
    const owners = await Promise.all(
      ['a', 'b', 'c'].map((name) => cluster.admin.create(SERVICE_ACCOUNTS, { metadata: { name, namespace } })),
    );
    await cluster.until(() => runs.length === 3);
    runs.length = 0;
    const [owner] = owners;
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ServiceAccount', name: 'a', uid: owner?.metadata.uid ?? '', controller: true },
    ];
    await cluster.admin.create(CONFIG_MAPS, { metadata: { name: 'child', namespace, ownerReferences } });
    await cluster.until(() => runs.length > 0);
    expect(runs).toEqual(['a']);
    await cluster.admin.patch(NAMESPACES, 'kube-public', {
      type: 'merge',
      body: { metadata: { labels: { about: 'b' } } },
    });
    await cluster.settle();
    await cluster.admin.patch(NAMESPACES, 'kube-public', {
      type: 'merge',
      body: { metadata: { labels: { about: 'c' } } },
    });
    await cluster.settle();
    expect(runs.slice(1).sort()).toEqual(['b', 'b', 'c']);
  });

  it('keeps its objects by its finalizer until it has cleaned up', async () => {
    const seen: string[] = [];
    let busy = true;
    start<ConfigMap>({
      name: 'test',
      for: CONFIG_MAPS,
      selection: { namespace },
      async reconcile({ metadata }) {
        seen.push(`reconcile with ${metadata.finalizers?.join()}`);
      },
      finalize: {
        finalizer: 'test.vimana.io/held',
        async run() {
          seen.push(busy ? 'busy' : 'clean');
          return busy ? { requeueAfterMs: 1000 } : undefined;
        },
      },
    });
    await cluster.admin.create(CONFIG_MAPS, configMap('x'));
    await cluster.until(() => seen.length > 0);
    await cluster.settle();
    expect(new Set(seen)).toEqual(new Set(['reconcile with test.vimana.io/held']));
    await cluster.admin.delete(CONFIG_MAPS, 'x', { namespace });
    await cluster.until(() => seen.includes('busy'));
    const { items } = await cluster.admin.list(CONFIG_MAPS, { namespace });
    expect(items.map(({ metadata }) => metadata.name)).toContain('x');
    busy = false;
    await cluster.clock.advance(1000);
    await cluster.until(async () => {
      const { items } = await cluster.admin.list(CONFIG_MAPS, { namespace });
      return items.length === 0;
    });
  });

  it('ignores that its object was deleted during a reconcile, but not that another is missing', async () => {
    let missing = 'itself';
    let runs = 0;
    start<ConfigMap>({
      name: 'test',
      for: CONFIG_MAPS,
      selection: { namespace },
      async reconcile({ metadata }, { client }) {
        runs++;
        const { name = '' } = metadata;
        await client.delete(CONFIG_MAPS, name, { namespace });
        await client.get(CONFIG_MAPS, missing === 'itself' ? name : missing, { namespace });
      },
    });
    await cluster.admin.create(CONFIG_MAPS, configMap('x'));
    await cluster.until(() => runs === 1);
    await cluster.clock.advance(1000);
    expect(cluster.log.entries.filter(({ level }) => level === 'warn')).toEqual([]);
    missing = 'another';
    await cluster.admin.create(CONFIG_MAPS, configMap('x'));
    await cluster.until(() => cluster.log.entries.some(({ level }) => level === 'warn'));
  });

  it('creates no second child while its cache does not contain the first', async () => {
    const expected = new Expectations();
    let made = 0;
    let runs = 0;
    start<KubeObject>({
      name: 'test',
      for: SERVICE_ACCOUNTS,
      selection: { namespace },
      owns: [CONFIG_MAPS],
      async reconcile(owner, { client, cache, enqueue }) {
        const children = cache(CONFIG_MAPS);
        const key = keyOf(owner);
        // Further run requests in the meantime must not lead to a second child.
        if (runs++ < 5) enqueue(key);
        if (!expected.met(key, children) || [...children.by(byController, controllerKey(owner))].length > 0) return;
        made++;
        const { name = '', uid = '' } = owner.metadata;
        const ownerReferences = [{ apiVersion: 'v1', kind: 'ServiceAccount', name, uid, controller: true }];
        const child = { metadata: { generateName: `${name}-`, namespace, ownerReferences } };
        expected.wrote(key, await client.create(CONFIG_MAPS, child));
      },
    });
    await cluster.admin.create(SERVICE_ACCOUNTS, { metadata: { name: 'a', namespace } });
    await cluster.until(() => made > 0);
    await cluster.settle();
    const { items } = await cluster.admin.list(CONFIG_MAPS, { namespace });
    expect(items).toHaveLength(1);
    const [child] = items;
    await cluster.admin.delete(CONFIG_MAPS, child?.metadata.name ?? '', { namespace });
    await cluster.until(() => made === 2);
  });
});

describe('expectations', () => {
  const child = (name: string, resourceVersion: string, uid = name): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, uid, resourceVersion },
  });
  const cacheAt = (version: string, ...objects: KubeObject[]) => ({
    version,
    size: objects.length,
    get: (key: string) => objects.find((object) => keyOf(object) === key),
    all: () => objects,
    inNamespace: () => objects,
    by: () => objects,
  });

  it('are met when the cache has reached the newest write', () => {
    const expected = new Expectations();
    expected.wrote('o', child('a', '9'));
    expected.wrote('o', child('b', '12'));
    expect(expected.met('o', cacheAt('11', child('a', '9')))).toBe(false);
    expect(expected.met('other', cacheAt('1'))).toBe(true);
    expect(expected.met('o', cacheAt('12'))).toBe(true);
  });

  it('are met when a deleted object is gone, even if another has its name', () => {
    const expected = new Expectations();
    expected.removed('o', child('a', '9'));
    expect(expected.met('o', cacheAt('20', child('a', '9')))).toBe(false);
    expect(expected.met('o', cacheAt('20', child('a', '15', 'another')))).toBe(true);
    expected.removed('o', child('a', '9'));
    expected.forget('o');
    expect(expected.met('o', cacheAt('20', child('a', '9')))).toBe(true);
  });
});

describe('a manager', () => {
  it('stops its parts in reverse order, each only after the later ones', async () => {
    const said: string[] = [];
    const part = (name: string) => ({
      name,
      async run(signal: AbortSignal) {
        said.push(`${name} starts`);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        said.push(`${name} stops`);
        await Promise.resolve();
        said.push(`${name} is done`);
      },
    });
    const stop = new AbortController();
    const done = manager('all', [part('a'), part('b')]).run(stop.signal);
    stop.abort();
    await done;
    expect(said).toEqual(['a starts', 'b starts', 'b stops', 'b is done', 'a stops', 'a is done']);
  });

  it('stops all parts and passes on the error if one fails', async () => {
    let stopped = false;
    const fine = {
      name: 'fine',
      run: (signal: AbortSignal) =>
        new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => {
            stopped = true;
            resolve();
          }),
        ),
    };
    const bad = { name: 'bad', run: async () => Promise.reject(new Error('cannot')) };
    await expect(manager('all', [fine, bad]).run(new AbortController().signal)).rejects.toThrow('cannot');
    expect(stopped).toBe(true);
  });

  it('stops what it has started if a later part fails to start', async () => {
    let stopped = false;
    const fine = {
      name: 'fine',
      async run(signal: AbortSignal) {
        await waitForAbort(signal);
        stopped = true;
      },
    };
    const bad = {
      name: 'bad',
      run(): Promise<void> {
        throw new Error('cannot begin');
      },
    };
    await expect(manager('all', [fine, bad]).run(new AbortController().signal)).rejects.toThrow('cannot begin');
    expect(stopped).toBe(true);
  });
});
