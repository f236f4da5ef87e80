import 'reflect-metadata';
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import * as x509 from '@peculiar/x509';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { realClock } from '#platform/base/clock';
import { ConfigError, ParseError } from '#platform/base/errors';
import { userOfCertificate } from './client-certificate.ts';
import { openPki } from './pki.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 15);
let directory: string;

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'pki-')), 'certs');
});
afterEach(() => rmSync(join(directory, '..'), { recursive: true }));

const open = (now = START, serverNames: string[] = []) =>
  openPki({ directory, clock: { now: () => now }, serverNames });
const read = (pem: string) => new X509Certificate(pem);

describe('the directory', () => {
  test('and its files can be read only by their owner', () => {
    open();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    const files = readdirSync(directory).sort();
    expect(files).toEqual(['admin.crt', 'admin.key', 'apiserver.crt', 'apiserver.key', 'ca.crt', 'ca.key']);
    for (const file of files) expect(statSync(join(directory, file)).mode & 0o777, file).toBe(0o600);
  });

  test('loses the permissions of other users if it had any', () => {
    open();
    chmodSync(directory, 0o755);
    open();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test('returns the same certificates when it is opened again', () => {
    const { caPem, server, admin } = open();
    expect(open(START + DAY)).toMatchObject({ caPem, server, admin });
  });
});

describe('a certificate', () => {
  test('of the server is valid for the names that clients use', () => {
    const certificate = read(open(START, ['api.example', '192.0.2.7', '2001:db8::1:2']).server.certPem);
    for (const host of ['localhost', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local', 'api.example']) {
      expect(certificate.checkHost(host), host).toBe(host);
    }
    for (const ip of ['127.0.0.1', '::1', '10.96.0.1', '192.0.2.7', '2001:db8:0:0:0:0:1:2']) {
      expect(certificate.checkIP(ip), ip).toBe(ip);
    }
    expect(certificate.checkHost('other.example')).toBeUndefined();
  });

  test('of the server is recreated if a name is missing, and kept if it has additional names', () => {
    const first = open().server.certPem;
    const second = open(START, ['api.example']).server.certPem;
    expect(second).not.toBe(first);
    expect(open().server.certPem).toBe(second);
  });

  test('for an invalid name is rejected', () => {
    expect(() => open(START, ['host:6443'])).toThrow('"host:6443" is neither a host name nor an address');
  });

  test('of a client is parsed as user and groups', () => {
    const { certPem } = open().clientCertificate({ user: 'jäne, O=x\n', groups: ['a', 'b=c'] });
    expect(userOfCertificate(read(certPem))).toMatchObject({
      name: 'jäne, O=x\n',
      groups: ['a', 'b=c', 'system:authenticated'],
    });
  });

  test('is parsed alike by another library', () => {
    const pki = open(START, ['2001:db8::5']);
    const certificate = new x509.X509Certificate(pki.server.certPem);
    const names = certificate.getExtension(x509.SubjectAlternativeNameExtension)?.names.toJSON();
    expect(names).toContainEqual({ type: 'ip', value: '2001:db8::5' });
    expect(certificate.getExtension(x509.BasicConstraintsExtension)?.ca).toBe(false);
    const authority = new x509.X509Certificate(pki.caPem);
    expect(authority.getExtension(x509.BasicConstraintsExtension)).toMatchObject({ ca: true, critical: true });
    expect(authority.getExtension(x509.KeyUsagesExtension)?.usages).toBe(
      x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment | x509.KeyUsageFlags.keyCertSign,
    );
  });

  test('that expires after 2049 keeps its date', () => {
    expect(read(open(Date.UTC(2055, 0, 1)).caPem).validToDate.getUTCFullYear()).toBe(2064);
  });
});

describe('rotation', () => {
  test('renews server and client certificates before they expire, and keeps the authority', () => {
    const first = open();
    const late = open(START + 300 * DAY);
    expect(first.renewAt).toBeLessThan(START + 300 * DAY);
    expect(late.caPem).toBe(first.caPem);
    expect(late.server.certPem).not.toBe(first.server.certPem);
    expect(late.admin.certPem).not.toBe(first.admin.certPem);
    expect(late.renewAt).toBeGreaterThan(START + 300 * DAY);
  });

  test('renews the authority with the same key, so that old certificates stay valid', () => {
    const first = open();
    const late = open(START + 9 * 365 * DAY);
    expect(late.caPem).not.toBe(first.caPem);
    expect(read(first.admin.certPem).verify(read(late.caPem).publicKey)).toBe(true);
    expect(read(late.server.certPem).checkIssued(read(first.caPem))).toBe(true);
  });

  test('never issues a certificate that outlives its authority', () => {
    const pki = open();
    const { certPem } = pki.clientCertificate({ user: 'x', lifetimeMs: 100 * 365 * DAY });
    expect(read(certPem).validToDate).toEqual(read(pki.caPem).validToDate);
  });
});

describe('a damaged directory', () => {
  test.each([
    ['ca.crt', 'garbage', 'ca.crt is not a certificate'],
    ['ca.key', 'garbage', 'ca.key is not a private key'],
    ['ca.key', undefined, 'ca.key is missing, but'],
  ])('with %s turned to %s is not silently replaced', (file, content, message) => {
    open();
    if (content === undefined) rmSync(join(directory, file));
    else writeFileSync(join(directory, file), content);
    expect(() => open()).toThrow(ConfigError);
    expect(() => open()).toThrow(message);
  });

  test('with the key of another authority reports that', () => {
    const { admin } = open();
    writeFileSync(join(directory, 'ca.key'), admin.keyPem);
    expect(() => open()).toThrow('ca.key is not the key of');
  });

  test('that lacks the certificate of its authority is completed with the same key', () => {
    open();
    const key = readFileSync(join(directory, 'ca.key'), 'utf8');
    rmSync(join(directory, 'ca.crt'));
    expect(read(open().caPem).checkPrivateKey(createPrivateKey(key))).toBe(true);
  });

  test.each(['apiserver.crt', 'apiserver.key', 'admin.crt', 'admin.key'])('recreates a damaged %s', (file) => {
    open();
    writeFileSync(join(directory, file), 'garbage');
    const pki = open();
    for (const { certPem, keyPem } of [pki.server, pki.admin]) {
      expect(read(certPem).checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
    }
  });

  test('recreates a certificate of another authority', () => {
    const { admin } = open();
    for (const file of ['ca.crt', 'ca.key']) rmSync(join(directory, file));
    const pki = open();
    expect(pki.admin.certPem).not.toBe(admin.certPem);
    expect(read(pki.admin.certPem).verify(read(pki.caPem).publicKey)).toBe(true);
  });
});

test('a client and a server that hold these certificates trust each other', async () => {
  const pki = openPki({ directory, clock: realClock });
  const trust = { requestCert: true, rejectUnauthorized: true, ca: pki.caPem };
  const server = createServer({ cert: pki.server.certPem, key: pki.server.keyPem, ...trust });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { certPem, keyPem } = pki.clientCertificate({ user: 'jane', groups: ['dev'] });
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, 'secureConnection') as Promise<[TLSSocket]>;
  const client = connect({ port, host: '127.0.0.1', ca: pki.caPem, cert: certPem, key: keyPem });
  const [socket] = await accepted;
  const peer = socket.getPeerX509Certificate();
  expect(socket.authorized).toBe(true);
  expect(peer && userOfCertificate(peer)?.groups).toEqual(['dev', 'system:authenticated']);
  client.destroy();
  socket.destroy();
  server.close();
});

describe('a certificate request', () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

  async function request(tamper = false): Promise<string> {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const other = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const made = await x509.Pkcs10CertificateRequestGenerator.create(
      {
        name: 'O=system:nodes,CN=system:node:n1',
        keys: tamper ? { publicKey: keys.publicKey, privateKey: other.privateKey } : keys,
        signingAlgorithm: algorithm,
        extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'n1.example' }])],
      },
      webcrypto,
    );
    return made.toString('pem');
  }

  test('is signed for the usages and time given, with its subject and names', async () => {
    const pki = open();
    const usages = ['digital signature', 'server auth', 'client auth'];
    const certificate = read(await pki.signRequest(await request(), { usages, expirationSeconds: 3600 }));
    expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:n1');
    expect(certificate.checkHost('n1.example')).toBe('n1.example');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    expect(certificate.validToDate.getTime()).toBe(START + 3_600_000);
    expect(certificate.verify(read(pki.caPem).publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
  });

  test('is valid for a year by default, and at most', async () => {
    const pki = open();
    for (const options of [{}, { expirationSeconds: 10 ** 9 }]) {
      const certificate = read(await pki.signRequest(await request(), { usages: ['client auth'], ...options }));
      expect(certificate.validToDate.getTime()).toBe(START + 365 * DAY);
    }
  });

  test('that is signed by another key is rejected', async () => {
    const signed = open().signRequest(await request(true), { usages: ['client auth'] });
    await expect(signed).rejects.toThrow('the certificate request is not signed by its own key');
  });

  test('that cannot be parsed, or has an unknown usage, is rejected', async () => {
    await expect(open().signRequest('garbage', { usages: [] })).rejects.toThrow(ParseError);
    const signed = open().signRequest(await request(), { usages: ['client auth', 'flying'] });
    await expect(signed).rejects.toThrow('unknown key usages: "flying"');
  });
});
