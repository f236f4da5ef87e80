import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client, KubeList, WatchEvent, WatchOptions } from '#platform/kube/client';
import { CONFIG_MAPS } from '#platform/kube/kinds/core';
import { KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { type Cluster, startCluster } from '#testing/cluster';
import { Informer } from './informer.ts';
import { Informers } from './informers.ts';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster();
});
afterEach(() => cluster.stop());

const configMap = (name: string, data: Record<string, string> = {}) => ({
  metadata: { name, namespace: 'default' },
  data,
});
const namespace = 'default';

/** Creates a client with some calls replaced by a test. */
function with_(changes: Partial<Client>): Client {
  return { ...cluster.admin, ...changes };
}

describe('an informer', () => {
  it('shows existing, created, changed and deleted objects', async () => {
    const { admin } = cluster;
    await admin.create(CONFIG_MAPS, configMap('old'));
    const informer = new Informer({ ...cluster, client: admin }, CONFIG_MAPS, { namespace });
    const reported: string[] = [];
    informer.onChange(({ type, object }) => reported.push(`${type} ${object.metadata.name}`));
    cluster.run(informer);
    await informer.synced;
    expect(reported).toEqual(['added old']);
    await admin.create(CONFIG_MAPS, configMap('new'));
    await admin.patch(CONFIG_MAPS, 'new', { type: 'merge', body: { data: { a: '1' } } }, { namespace });
    await admin.delete(CONFIG_MAPS, 'old', { namespace });
    await cluster.until(() => reported.length === 4);
    expect(reported).toEqual(['added old', 'added new', 'updated new', 'deleted old']);
    expect(informer.cache.get('default/new')?.data).toEqual({ a: '1' });
    expect(informer.cache.size).toBe(1);
  });

  it('shows no older state after a refresh, even if an older list or refresh is in progress', async () => {
    const { admin, clock } = cluster;
    let lists = 0;
    const client = with_({
      // The request is sent at once and the response is late, regardless of the signal.
      async list(...args) {
        lists++;
        const response = await admin.list(...args);
        await clock.sleep(1000);
        return response;
      },
      async *watch(_type, options = {}) {
        await clock.sleep(Number.POSITIVE_INFINITY, options.signal).catch(() => {});
        yield* [];
      },
    });
    const informer = new Informer({ ...cluster, client }, CONFIG_MAPS, { namespace });
    cluster.run(informer);
    await cluster.settle();
    const { signal } = new AbortController();
    const seen: string[] = [];
    const refresh = async (name: string) => {
      await admin.create(CONFIG_MAPS, configMap(name));
      await informer.refresh(signal);
      seen.push(informer.cache.get(`default/${name}`) === undefined ? `${name} is missing` : name);
    };
    const first = refresh('a');
    await clock.advance(1500);
    expect([lists, seen]).toEqual([2, []]);
    const second = refresh('b');
    await clock.advance(5000);
    await Promise.all([first, second]);
    expect(seen).toEqual(['a', 'b']);
    const reported: string[] = [];
    informer.onChange(({ type }) => reported.push(type));
    const third = informer.refresh(signal);
    await clock.advance(5000);
    await third;
    expect(reported).toEqual(['added', 'added']);
  });

  it('reports existing objects to a late listener', async () => {
    const { admin } = cluster;
    await admin.create(CONFIG_MAPS, configMap('old'));
    const informer = new Informer({ ...cluster, client: admin }, CONFIG_MAPS, { namespace });
    cluster.run(informer);
    await informer.synced;
    const reported: string[] = [];
    const stop = informer.onChange(({ type, object }) => reported.push(`${type} ${object.metadata.name}`));
    expect(reported).toEqual(['added old']);
    stop();
    await admin.delete(CONFIG_MAPS, 'old', { namespace });
    await cluster.until(() => informer.cache.size === 0);
    expect(reported).toEqual(['added old']);
  });

  it('resumes a broken watch from the last version, without listing again', async () => {
    const { admin } = cluster;
    let lists = 0;
    const places: (string | undefined)[] = [];
    const client = with_({
      list: async <T extends KubeObject>(...args: Parameters<Client['list']>) => {
        lists++;
        return (await admin.list(...args)) as KubeList<T>;
      },
      async *watch<T extends KubeObject>(type: Parameters<Client['watch']>[0], options: WatchOptions = {}) {
        places.push(options.resourceVersion);
        for await (const event of admin.watch(type, options)) {
          yield event as WatchEvent<T>;
          if (places.length < 3) throw new Error('broken');
        }
      },
    });
    const informer = new Informer({ ...cluster, client }, CONFIG_MAPS, { namespace });
    cluster.run(informer);
    await informer.synced;
    for (const name of ['a', 'b', 'c']) {
      await admin.create(CONFIG_MAPS, configMap(name));
      await cluster.clock.advance(60_000);
    }
    expect(informer.cache.size).toBe(3);
    expect(lists).toBe(1);
    expect(new Set(places).size).toBe(3);
  });

  it('lists again if the version has expired, and reports only differences', async () => {
    const { admin } = cluster;
    let broken = true;
    const client = with_({
      async *watch<T extends KubeObject>(type: Parameters<Client['watch']>[0], options: WatchOptions = {}) {
        if (broken) {
          broken = false;
          await admin.delete(CONFIG_MAPS, 'gone', { namespace });
          await admin.create(CONFIG_MAPS, configMap('new'));
          throw new KubeError(410, 'Expired', 'too old resource version');
        }
        yield* admin.watch(type, options) as AsyncIterable<WatchEvent<T>>;
      },
    });
    await admin.create(CONFIG_MAPS, configMap('kept'));
    await admin.create(CONFIG_MAPS, configMap('gone'));
    const informer = new Informer({ ...cluster, client }, CONFIG_MAPS, { namespace });
    const reported: string[] = [];
    informer.onChange(({ type, object }) => reported.push(`${type} ${object.metadata.name}`));
    cluster.run(informer);
    await cluster.clock.advance(1000);
    expect(reported).toEqual(['added gone', 'added kept', 'deleted gone', 'added new']);
  });

  it('retries with increasing delays if listing is forbidden', async () => {
    const client = cluster.clientFor({ name: 'nobody', groups: ['system:authenticated'] });
    const tries: number[] = [];
    const counted: Client = {
      ...client,
      list: async (...args) => {
        tries.push(cluster.clock.monotonic());
        return await client.list(...args);
      },
    };
    cluster.run(new Informer({ ...cluster, client: counted }, CONFIG_MAPS));
    await cluster.clock.advance(10 * 60_000);
    expect(tries.length).toBeGreaterThan(10);
    expect(tries.length).toBeLessThan(50);
    expect(cluster.log.entries.some(({ level }) => level === 'warn')).toBe(true);
  });

  it('lists large resources in pages', async () => {
    const { admin } = cluster;
    for (let i = 0; i < 1234; i++) await admin.create(CONFIG_MAPS, configMap(`c-${i}`));
    const pages: { readonly limit: number | undefined; readonly continued: boolean; readonly items: number }[] = [];
    const client = with_({
      list: async <T extends KubeObject>(...[type, options]: Parameters<Client['list']>) => {
        const page = (await admin.list(type, options)) as KubeList<T>;
        pages.push({ limit: options?.limit, continued: options?.continue !== undefined, items: page.items.length });
        return page;
      },
    });
    const informer = new Informer({ ...cluster, client }, CONFIG_MAPS, { namespace });
    cluster.run(informer);
    await informer.synced;
    expect(informer.cache.size).toBe(1234);
    expect(pages).toEqual([
      { limit: 500, continued: false, items: 500 },
      { limit: 500, continued: true, items: 500 },
      { limit: 500, continued: true, items: 234 },
    ]);
  });
});

describe('the informers of a process', () => {
  it('are shared by resource and selection, and start on demand', async () => {
    const informers = new Informers({ ...cluster, client: cluster.admin });
    const first = informers.of(CONFIG_MAPS);
    expect(informers.of(CONFIG_MAPS)).toBe(first);
    expect(informers.of(CONFIG_MAPS, { namespace })).not.toBe(first);
    expect(informers.unsynced).toEqual(['informer of configmaps', 'informer of configmaps']);
    cluster.run(informers);
    await first.synced;
    await cluster.until(() => informers.unsynced.length === 0);
    await informers.of(CONFIG_MAPS, { fieldSelector: 'metadata.name=x' }).synced;
  });
});
