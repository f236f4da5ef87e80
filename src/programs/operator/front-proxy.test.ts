import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, NAMESPACES } from '#platform/kube/kinds/core';
import { type Cluster, startCluster } from '#testing/cluster';
import { FRONT_PROXY, followFrontProxy, readFrontProxy } from './front-proxy.ts';

const { name, namespace } = FRONT_PROXY;
const DATA = {
  'requestheader-client-ca-file': 'CA',
  'requestheader-allowed-names': '["front-proxy-client"]',
  'requestheader-username-headers': '["X-Remote-User"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
};

describe('the front proxy configuration of a cluster', () => {
  it('is read', () => {
    expect(readFrontProxy(DATA)).toEqual({
      ca: 'CA',
      allowedNames: ['front-proxy-client'],
      usernameHeaders: ['X-Remote-User'],
      groupHeaders: ['X-Remote-Group'],
      extraPrefixes: ['X-Remote-Extra-'],
    });
  });

  it('may be missing or incomplete', () => {
    expect(readFrontProxy({})).toBeUndefined();
    expect(readFrontProxy({ ...DATA, 'requestheader-client-ca-file': '' })).toBeUndefined();
    expect(readFrontProxy({ 'requestheader-client-ca-file': 'CA', 'requestheader-allowed-names': '{}' })).toMatchObject(
      {
        allowedNames: [],
        usernameHeaders: [],
      },
    );
  });
});

describe('the front proxy of a cluster', () => {
  let cluster: Cluster;
  let changes: number;
  beforeEach(async () => {
    cluster = await startCluster();
    changes = 0;
    await cluster.admin.create(NAMESPACES, { metadata: { name: namespace } }).catch(() => {});
    // The API server of the test publishes its own configuration, which a cluster may have without a front proxy.
    await cluster.admin.delete(CONFIG_MAPS, name, { namespace });
  });
  afterEach(() => cluster.stop());

  it('is polled until it is known, and reloaded when its CA changes', async () => {
    const { admin, clock, log } = cluster;
    const watch = followFrontProxy({ client: admin, clock, log }, () => changes++);
    cluster.run(watch);
    await cluster.settle();
    expect(watch.current).toBeUndefined();
    await admin.create(CONFIG_MAPS, { metadata: { name, namespace }, data: DATA });
    await clock.advance(2000);
    await cluster.until(() => watch.current?.ca === 'CA');
    expect(changes).toBe(1);
    await clock.advance(60_000);
    expect(changes).toBe(1);
    const data = { 'requestheader-client-ca-file': 'ANOTHER' };
    await admin.patch(CONFIG_MAPS, name, { type: 'merge', body: { data } }, { namespace });
    await clock.advance(60_000);
    await cluster.until(() => watch.current?.ca === 'ANOTHER');
    expect(changes).toBe(2);
  });
});
