import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { ControlPlane } from '#control-plane/apiserver/control-plane';
import { realClock } from '#platform/base/clock';
import { noopLogger } from '#platform/base/logger';
import { systemRandom } from '#platform/base/random';
import { formatKubeconfig } from '#platform/kube/kubeconfig/format-kubeconfig';
import { startVmControlPlane } from '#programs/embedded/control-plane';
import { WAIT } from '#testing/wait';

const NAMESPACE = 'default';

const folder = mkdtempSync(join(tmpdir(), 'vimana-clients-'));
let plane: ControlPlane;
let config: KubeConfig;
let core: CoreV1Api;

const start = (port = 0) =>
  startVmControlPlane({
    dataDir: folder,
    store: 'lmdb',
    port,
    clock: realClock,
    random: systemRandom(),
    log: noopLogger,
  });

beforeAll(async () => {
  plane = await start();
  const { caPem, admin } = plane.pki;
  config = new KubeConfig();
  config.loadFromString(
    formatKubeconfig({
      name: 'vimana',
      server: plane.url,
      caPem,
      clientCert: admin.certPem,
      clientKey: admin.keyPem,
    }),
  );
  core = config.makeApiClient(CoreV1Api);
});

afterAll(async () => {
  await plane.stop();
  rmSync(folder, { recursive: true, force: true });
});

const configMap = (name: string, data: Record<string, string>) => ({
  namespace: NAMESPACE,
  body: { metadata: { name, labels: { app: 'informed' } }, data },
});

it("keeps the official JavaScript client's informer informed, also over a restart of the server", async () => {
  await core.createNamespacedConfigMap(configMap('first', { a: '1' }));
  const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
  const listed = () => core.listNamespacedConfigMap({ namespace: NAMESPACE, labelSelector: 'app=informed' });
  const informer = makeInformer(config, path, listed, 'app=informed');
  const told: string[] = [];
  for (const verb of ['add', 'update', 'delete'] as const) {
    informer.on(verb, ({ metadata, data }) => told.push(`${verb} ${metadata?.name} ${data?.['a']}`));
  }
  // According to the documentation, the user of an informer restarts it after an error.
  let stopped = false;
  informer.on('error', () => {
    void realClock.sleep(100).then(() => (stopped ? undefined : informer.start()));
  });
  await informer.start();
  await vi.waitFor(() => expect(told).toEqual(['add first 1']), WAIT);

  await core.createNamespacedConfigMap(configMap('second', { a: '2' }));
  const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  await core.patchNamespacedConfigMap({ name: 'first', namespace: NAMESPACE, body: { data: { a: '3' } } }, merge);
  await core.deleteNamespacedConfigMap({ name: 'second', namespace: NAMESPACE });
  await vi.waitFor(() => expect(told.slice(1)).toEqual(['add second 2', 'update first 3', 'delete second 2']), WAIT);

  told.length = 0;
  await plane.stop();
  plane = await start(plane.port);
  await core.createNamespacedConfigMap(configMap('third', { a: '4' }));
  await vi.waitFor(() => expect(told.filter((line) => line.includes('third'))).toEqual(['add third 4']), WAIT);
  await core.deleteNamespacedConfigMap({ name: 'first', namespace: NAMESPACE });
  await vi.waitFor(() => expect(told.at(-1)).toBe('delete first 3'), WAIT);
  expect(informer.list().map(({ metadata }) => metadata?.name)).toEqual(['third']);
  stopped = true;
  await informer.stop();
});

it('applies, reads and rejects through the official JavaScript client', async () => {
  const apply = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply);
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { a: '1' } };
  const request = { name: 'applied', namespace: NAMESPACE, body, fieldManager: 'js', force: true };
  const applied = await core.patchNamespacedConfigMap(request, apply);
  expect(applied.metadata?.managedFields?.[0]).toMatchObject({ manager: 'js', operation: 'Apply' });
  expect(applied.metadata?.creationTimestamp).toBeInstanceOf(Date);
  await expect(core.readNamespacedConfigMap({ name: 'nobody', namespace: NAMESPACE })).rejects.toMatchObject({
    code: 404,
  });
  const custom = config.makeApiClient(CustomObjectsApi);
  const nothing = { group: 'nowhere.io', version: 'v1', plural: 'nothings' };
  await expect(custom.listClusterCustomObject(nothing)).rejects.toMatchObject({ code: 404 });
});
