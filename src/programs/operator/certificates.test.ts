import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '#platform/base/fake-clock';
import { resourceType } from '#platform/kube/kinds/resource-type';
import { type Cluster, startCluster } from '#testing/cluster';
import { waitUntil } from '#testing/wait';
import { type Credentials, directoryCertificates, sharedCertificates } from './certificates.ts';
import { fitCertificate, type ServingCertificate } from './serving-certificate.ts';

const SECRETS = resourceType('v1', 'Secret', 'secrets');
const SECRET = { namespace: 'default', name: 'hooks-cert' };
const NAMES = ['hooks.default.svc'];
const YEAR = 365 * 86_400_000;

describe('the serving certificate', () => {
  let cluster: Cluster;
  let shown: Credentials[];
  beforeEach(async () => {
    cluster = await startCluster();
    shown = [];
  });
  afterEach(() => cluster.stop());

  const start = () => {
    const { admin: client, clock, log } = cluster;
    const found = sharedCertificates({ client, clock, log, onChange: (each) => shown.push(each) }, SECRET, NAMES);
    return { found, stop: cluster.run(found) };
  };
  const stored = async () =>
    ((await cluster.admin.get(SECRETS, SECRET.name, { namespace: SECRET.namespace }))['data'] ?? {}) as Readonly<
      Record<string, string>
    >;
  const text = (base64 = '') => Buffer.from(base64, 'base64').toString('utf8');
  const makeSecret = (of?: ServingCertificate) => {
    const parts =
      of === undefined ? {} : { 'ca.crt': of.ca, 'ca.key': of.caKey, 'tls.crt': of.cert, 'tls.key': of.key };
    const data = Object.fromEntries(
      Object.entries(parts).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    return cluster.admin.create(SECRETS, { metadata: SECRET, data });
  };

  it('is issued once, and shared by all replicas', async () => {
    await makeSecret();
    const servers = [start(), start(), start()];
    await cluster.until(() => servers[0]?.found.current !== undefined);
    // Of those that issue at the same time, the first wins and the others read again.
    await cluster.clock.advance(2000);
    await cluster.until(() => servers.every(({ found }) => found.current !== undefined));
    const data = await stored();
    expect(new Set(servers.map(({ found }) => found.current?.cert))).toEqual(new Set([text(data['tls.crt'])]));
    expect(new Set(servers.map(({ found }) => found.current?.ca))).toEqual(new Set([text(data['ca.crt'])]));
  });

  it('is reused, and renewed in time by the CA that is already trusted', async () => {
    // Four fifths of its year will have passed half a minute from now.
    const old = fitCertificate({}, NAMES, cluster.clock.now() - 0.8 * YEAR + 90_000);
    await makeSecret(old);
    const { found } = start();
    await cluster.until(() => found.current !== undefined);
    expect(found.current).toEqual({ cert: old.cert, key: old.key, ca: old.ca });
    await cluster.clock.advance(60_000);
    await cluster.until(() => shown.length === 2);
    expect(found.current?.ca).toBe(old.ca);
    const leaf = new X509Certificate(found.current?.cert ?? '');
    expect(leaf.serialNumber).not.toBe(new X509Certificate(old.cert).serialNumber);
    expect(leaf.verify(new X509Certificate(old.ca).publicKey)).toBe(true);
    expect(leaf.validToDate.getTime()).toBeGreaterThan(cluster.clock.now() + 0.9 * YEAR);
    expect(text((await stored())['tls.crt'])).toBe(found.current?.cert);
  });

  it('is replaced if it has expired or is damaged', async () => {
    const old = fitCertificate({}, NAMES, cluster.clock.now() - 2 * YEAR);
    await makeSecret(old);
    const { found } = start();
    await cluster.until(() => found.current !== undefined);
    expect(found.current?.cert).not.toBe(old.cert);
    const before = found.current?.cert;
    const body = { data: { 'tls.key': Buffer.from('corrupted').toString('base64') } };
    await cluster.admin.patch(SECRETS, SECRET.name, { type: 'merge', body }, { namespace: SECRET.namespace });
    await cluster.clock.advance(60_000);
    await cluster.until(() => found.current?.cert !== before);
  });

  it('is read from a directory, and reloaded when its files change', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'vimana-certificates-'));
    try {
      const put = (cert: string, key: string) => {
        writeFileSync(join(directory, 'tls.crt'), cert);
        writeFileSync(join(directory, 'tls.key'), key);
      };
      put('one', 'key one');
      const { log } = cluster;
      const stop = new AbortController();
      const clock = new FakeClock();
      const found = directoryCertificates({ clock, log, onChange: (each) => shown.push(each) }, directory);
      const ended = found.run(stop.signal);
      // Files are read in real time, between two polls.
      await waitUntil(() => clock.pending === 1);
      expect(found.current).toEqual({ cert: 'one', key: 'key one' });
      put('two', 'key two');
      await clock.advance(60_000);
      await waitUntil(() => clock.pending === 1);
      expect(found.current).toEqual({ cert: 'two', key: 'key two' });
      stop.abort();
      await ended;
      expect(shown.map(({ cert }) => cert)).toEqual(['one', 'two']);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('is not shared without a Secret, and then no CA bundle is set', async () => {
    const { found } = start();
    await cluster.until(() => found.current !== undefined);
    expect(found.current?.ca).toBeUndefined();
    expect(new X509Certificate(found.current?.cert ?? '').checkHost('hooks.default.svc')).toBe('hooks.default.svc');
  });
});
