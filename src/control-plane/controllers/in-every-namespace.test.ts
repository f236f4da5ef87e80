import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '#platform/kube/client';
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { type Cluster, startCluster } from '#testing/cluster';
import { runController } from '#testing/controller-deps';
import { defaultServiceAccount } from './default-service-account.ts';
import { rootCaPublisher } from './root-ca-publisher.ts';

let cluster: Cluster;
let admin: Client;
beforeEach(async () => {
  cluster = await startCluster();
  ({ admin } = cluster);
});
afterEach(() => cluster.stop());

const named = async (type: typeof CONFIG_MAPS, name: string) => {
  const { items } = await admin.list(type);
  return items.filter(({ metadata }) => metadata.name === name).map(({ metadata }) => metadata.namespace);
};
const FIRST = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

describe('every namespace', () => {
  it('has a default service account, which is recreated if it is deleted', async () => {
    runController(cluster, 'service-account-controller', defaultServiceAccount);
    const present = () => named(SERVICE_ACCOUNTS, 'default');
    await cluster.until(async () => (await present()).length === 4);
    expect(await present()).toEqual(FIRST);
    await admin.create(NAMESPACES, { metadata: { name: 'new' } });
    await cluster.until(async () => (await present()).includes('new'));
    await admin.delete(SERVICE_ACCOUNTS, 'default', { namespace: 'new' });
    await cluster.until(async () => (await present()).includes('new'));
    expect(cluster.log.entries.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('has the root certificate, which is restored if it is changed', async () => {
    const name = 'kube-root-ca.crt';
    const present = () => named(CONFIG_MAPS, name);
    const place = { namespace: 'default' };
    await admin.create(CONFIG_MAPS, { metadata: { name, ...place }, data: { 'ca.crt': 'of long ago' } });
    runController(cluster, 'root-ca-cert-publisher', rootCaPublisher('PEM'));
    await cluster.until(async () => (await present()).length === 4);
    const data = async () => (await admin.get(CONFIG_MAPS, name, place)).data;
    await cluster.until(async () => (await data())?.['ca.crt'] === 'PEM');
    await admin.patch(CONFIG_MAPS, name, { type: 'merge', body: { data: { 'ca.crt': 'x', more: 'y' } } }, place);
    await cluster.until(async () => (await data())?.['ca.crt'] === 'PEM');
    expect(await data()).toEqual({ 'ca.crt': 'PEM' });
    await admin.patch(CONFIG_MAPS, name, { type: 'merge', body: { metadata: { labels: { mine: 'yes' } } } }, place);
    await cluster.settle();
    expect((await admin.get(CONFIG_MAPS, name, place)).metadata.labels).toEqual({ mine: 'yes' });
    await admin.delete(CONFIG_MAPS, name, place);
    await cluster.until(async () => (await present()).length === 4);
  });

  it('that is terminating gets no new objects', async () => {
    runController(cluster, 'service-account-controller', defaultServiceAccount);
    await admin.create(NAMESPACES, { metadata: { name: 'ending', finalizers: ['example.com/held'] } });
    await cluster.until(async () => (await named(SERVICE_ACCOUNTS, 'default')).includes('ending'));
    await admin.delete(NAMESPACES, 'ending');
    await admin.delete(SERVICE_ACCOUNTS, 'default', { namespace: 'ending' });
    await cluster.settle();
    expect(await named(SERVICE_ACCOUNTS, 'default')).not.toContain('ending');
  });
});
