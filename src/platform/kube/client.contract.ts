import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client, ResourceType, WatchEvent } from './client.ts';
import { isAlreadyExists, isConflict, isGone, isInvalid, isNotFound, KubeError } from './kube-error.ts';
import type { KubeObject } from './kube-object.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const configMaps: ResourceType<ConfigMap> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
const namespaces: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
const deployments: ResourceType = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
const serviceAccounts: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
};

export interface ClientSubject {
  readonly client: Client;
  /** Compacts the history, so that old versions are gone. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}

/** Tests the behavior that every Client must have, regardless of its server and transport. */
export function clientContract(name: string, open: () => Promise<ClientSubject>): void {
  describe(name, () => {
    let subject: ClientSubject;
    let client: Client;
    let count = 0;
    const namespace = 'default';
    const inDefault = { namespace };
    const fresh = () => `contract-${++count}`;
    const configMap = (label: string, data: Record<string, string> = {}) => ({
      metadata: { name: label, namespace, labels: { app: label } },
      data,
    });

    beforeAll(async () => {
      subject = await open();
      client = subject.client;
    });
    afterAll(() => subject.stop());

    it('creates an object and returns it as stored', async () => {
      const label = fresh();
      const created = await client.create(configMaps, configMap(label, { a: '1' }));
      expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } });
      expect(created.metadata).toMatchObject({ name: label, namespace, uid: expect.any(String) });
      expect(await client.get(configMaps, label, inDefault)).toEqual(created);
    });

    it('does not change or keep its argument', async () => {
      const given = configMap(fresh(), { a: '1' });
      const created = await client.create(configMaps, given);
      given.data['a'] = 'changed';
      expect(given.metadata).not.toHaveProperty('uid');
      expect((await client.get(configMaps, created.metadata.name ?? '', inDefault)).data).toEqual({ a: '1' });
    });

    it('generates a name from a generateName', async () => {
      const { metadata } = await client.create(configMaps, { metadata: { generateName: 'some-', namespace } });
      expect(metadata.name).toMatch(/^some-[a-z0-9]{5}$/);
    });

    it('reports an error of the server with reason, code and causes', async () => {
      const label = fresh();
      await client.create(configMaps, configMap(label));
      await expect(client.create(configMaps, configMap(label))).rejects.toSatisfy(isAlreadyExists);
      await expect(client.get(configMaps, 'nobody', inDefault)).rejects.toSatisfy(isNotFound);
      const bad = client.create(configMaps, configMap('Not_A_Name'));
      await expect(bad).rejects.toSatisfy(isInvalid);
      const error = (await bad.catch((caught: unknown) => caught)) as KubeError;
      expect(error).toBeInstanceOf(KubeError);
      expect(error.code).toBe(422);
      expect(error.details.causes?.[0]).toMatchObject({ field: 'metadata.name', reason: 'FieldValueInvalid' });
      const unknown = { group: 'nowhere.io', version: 'v1', plural: 'nothings', kind: 'Nothing', namespaced: true };
      await expect(client.list(unknown)).rejects.toMatchObject({ code: 404 });
    });

    it('updates only the version that was read', async () => {
      const created = await client.create(configMaps, configMap(fresh(), { a: '1' }));
      const updated = await client.update(configMaps, { ...created, data: { a: '2' } });
      expect(Number(updated.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
      await expect(client.update(configMaps, { ...created, data: { a: '3' } })).rejects.toSatisfy(isConflict);
      expect((await client.get(configMaps, created.metadata.name ?? '', inDefault)).data).toEqual({ a: '2' });
    });

    it('supports each type of patch', async () => {
      const label = fresh();
      await client.create(configMaps, configMap(label, { a: '1', b: '2' }));
      await client.patch(configMaps, label, { type: 'merge', body: { data: { a: null, c: '3' } } }, inDefault);
      await client.patch(
        configMaps,
        label,
        { type: 'json', body: [{ op: 'add', path: '/data/d', value: '4' }] },
        inDefault,
      );
      const { data } = await client.patch(
        configMaps,
        label,
        { type: 'strategic', body: { data: { e: '5' } } },
        inDefault,
      );
      expect(data).toEqual({ b: '2', c: '3', d: '4', e: '5' });
    });

    it('changes nothing on a dry run', async () => {
      const label = fresh();
      await client.create(configMaps, configMap(label), { dryRun: true });
      await expect(client.get(configMaps, label, inDefault)).rejects.toSatisfy(isNotFound);
    });

    it('lists by selector and in pages of one resource version', async () => {
      const prefix = fresh();
      const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${prefix}-${letter}`);
      const labels = { set: prefix };
      for (const each of names) await client.create(configMaps, { metadata: { name: each, namespace, labels } });
      const labelSelector = `set=${prefix}`;
      const first = await client.list(configMaps, { namespace, labelSelector, limit: 2 });
      expect(first.items.map(({ metadata }) => metadata.name)).toEqual(names.slice(0, 2));
      await client.create(configMaps, { metadata: { name: `${prefix}-bb`, namespace, labels } });
      await client.delete(configMaps, `${prefix}-e`, inDefault);
      const rest = await client.list(configMaps, {
        namespace,
        labelSelector,
        limit: 10,
        continue: first.metadata.continue ?? '',
      });
      expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(names.slice(2));
      expect(rest.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
      const everywhere = await client.list(configMaps, { labelSelector });
      expect(everywhere.items).toHaveLength(5);
      const one = await client.list(configMaps, { namespace, fieldSelector: `metadata.name=${names[2]}` });
      expect(one.items.map(({ metadata }) => metadata.name)).toEqual([names[2]]);
    });

    it('watches from a resource version, and ends with its signal', async () => {
      const label = fresh();
      const { metadata } = await client.list(configMaps, inDefault);
      const stop = new AbortController();
      const seen: WatchEvent<ConfigMap>[] = [];
      const watching = (async () => {
        const options = { ...metadata, namespace, labelSelector: `app=${label}`, signal: stop.signal };
        for await (const event of client.watch(configMaps, options)) {
          seen.push(event);
          if (seen.length === 3) stop.abort();
        }
      })();
      await client.create(configMaps, configMap(label, { a: '1' }));
      await client.patch(configMaps, label, { type: 'merge', body: { data: { a: '2' } } }, inDefault);
      await client.delete(configMaps, label, inDefault);
      await watching;
      expect(seen.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
      expect(seen.map(({ object }) => object.data)).toEqual([{ a: '1' }, { a: '2' }, { a: '2' }]);
      const versions = seen.map(({ object }) => Number(object.metadata.resourceVersion));
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
    });

    it('sends initial events if requested, and marks their end', async () => {
      const label = fresh();
      await client.create(configMaps, configMap(label));
      const stop = new AbortController();
      const types: string[] = [];
      const options = {
        namespace,
        labelSelector: `app=${label}`,
        sendInitialEvents: true,
        allowWatchBookmarks: true,
        signal: stop.signal,
      };
      for await (const { type, object } of client.watch(configMaps, options)) {
        types.push(type);
        if (object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true') stop.abort();
      }
      expect(types).toEqual(['ADDED', 'BOOKMARK']);
    });

    it('reports an expired resource version', async () => {
      const label = fresh();
      await client.create(configMaps, configMap(label));
      await subject.compact();
      await client.patch(configMaps, label, { type: 'merge', body: { data: { a: '2' } } }, inDefault);
      const watching = (async () => {
        for await (const _event of client.watch(configMaps, { namespace, resourceVersion: '2' })) return;
      })();
      await expect(watching).rejects.toSatisfy(isGone);
    });

    it('deletes at once, or only marks an object that has finalizers', async () => {
      const label = fresh();
      const created = await client.create(configMaps, {
        ...configMap(label),
        metadata: { name: label, namespace, finalizers: ['example.com/wait'] },
      });
      const wrong = { preconditions: { uid: 'other' }, ...inDefault };
      await expect(client.delete(configMaps, label, wrong)).rejects.toSatisfy(isConflict);
      const marked = await client.delete(configMaps, label, {
        preconditions: { uid: created.metadata.uid ?? '' },
        ...inDefault,
      });
      expect(marked?.metadata.deletionTimestamp).toBeDefined();
      const body = { metadata: { finalizers: null } };
      await client.patch(configMaps, label, { type: 'merge', body }, inDefault);
      await expect(client.get(configMaps, label, inDefault)).rejects.toSatisfy(isNotFound);
      const plain = fresh();
      await client.create(configMaps, configMap(plain));
      expect(await client.delete(configMaps, plain, inDefault)).toBeUndefined();
      await client.create(serviceAccounts, { metadata: { name: plain, namespace } });
      expect(await client.delete(serviceAccounts, plain, inDefault)).toBeUndefined();
    });

    it('deletes all objects that a selector matches, and no others', async () => {
      const [gone, kept] = [fresh(), fresh()];
      await client.create(configMaps, configMap(gone));
      await client.create(configMaps, configMap(kept));
      await client.deleteCollection(configMaps, { namespace, labelSelector: `app=${gone}` });
      await expect(client.get(configMaps, gone, inDefault)).rejects.toSatisfy(isNotFound);
      await client.get(configMaps, kept, inDefault);
    });

    it('writes the status through its subresource, and nothing else', async () => {
      const label = fresh();
      const labels = { app: label };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      const spec = { replicas: 1, selector: { matchLabels: labels }, template };
      await client.create(deployments, { metadata: { name: label, namespace }, spec });
      const body = { status: { replicas: 7 }, spec: { replicas: 9 } };
      const options = { ...inDefault, subresource: 'status' };
      const patched = await client.patch(deployments, label, { type: 'merge', body }, options);
      expect(patched).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 7 } });
    });

    it('calls subresources that are not part of the object', async () => {
      const label = fresh();
      await client.create(serviceAccounts, { metadata: { name: label, namespace } });
      const request = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 600 },
      };
      const response = await client.act(serviceAccounts, label, 'token', request, inDefault);
      expect(response).toMatchObject({ kind: 'TokenRequest', status: { token: expect.stringMatching(/^ey.*\..*\./) } });
    });

    it('reads paths that are not resources', async () => {
      expect(JSON.parse(await client.raw('/version'))).toMatchObject({ major: '1' });
      expect(await client.raw('/healthz')).toBe('ok');
    });

    it('sends any method to any path, and returns the status and the body', async () => {
      const label = fresh();
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      const created = await client.request({ method: 'POST', path, body: { metadata: { name: label } } });
      expect(created).toMatchObject({ status: 201, body: { kind: 'ConfigMap', metadata: { name: label } } });
      const body = { metadata: { name: label }, data: { a: '1' } };
      expect(await client.request({ method: 'PUT', path: `${path}/${label}`, body })).toMatchObject({ status: 200 });
      const merge = 'application/merge-patch+json';
      const change = { data: { b: 'ü' } };
      await client.request({ method: 'PATCH', path: `${path}/${label}`, body: change, contentType: merge });
      const chosen = await client.request({ method: 'GET', path: `${path}?fieldSelector=metadata.name%3D${label}` });
      expect(chosen).toMatchObject({ status: 200, body: { items: [{ data: { a: '1', b: 'ü' } }] } });
      await client.request({ method: 'DELETE', path: `${path}/${label}` });
      await expect(client.request({ method: 'GET', path: `${path}/${label}` })).rejects.toSatisfy(isNotFound);
      expect(await client.request({ method: 'GET', path: '/healthz' })).toEqual({ status: 200, body: 'ok' });
      await expect(client.request({ method: 'GET', path: '/nowhere' })).rejects.toMatchObject({ code: 404 });
    });

    it('supports cluster-scoped resources', async () => {
      expect((await client.get(namespaces, 'default')).metadata.name).toBe('default');
    });
  });
}
