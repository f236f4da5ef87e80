import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fitCertificate, type ServingCertificate } from './serving-certificate.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const NAMES = ['hooks.system.svc', 'hooks.system'];

describe('the certificate of the operator', () => {
  it('is issued by its own CA for its DNS names', () => {
    const { ca, cert } = fitCertificate({}, NAMES, NOW);
    const [authority, leaf] = [new X509Certificate(ca), new X509Certificate(cert)];
    expect(leaf.verify(authority.publicKey)).toBe(true);
    expect(leaf.checkIssued(authority)).toBe(true);
    expect(NAMES.map((name) => leaf.checkHost(name))).toEqual(NAMES);
    expect(authority.ca).toBe(true);
  });

  it('is kept while it is valid', () => {
    const first = fitCertificate({}, NAMES, NOW);
    expect(fitCertificate(first, NAMES, NOW + 200 * DAY)).toEqual(first);
  });

  it('is renewed before it expires, by the same CA', () => {
    const first = fitCertificate({}, NAMES, NOW);
    const second = fitCertificate(first, NAMES, NOW + 300 * DAY);
    expect(second.cert).not.toBe(first.cert);
    expect(second.ca).toBe(first.ca);
  });

  it('stays valid for clients that trust the CA certificate before its renewal', () => {
    const first = fitCertificate({}, NAMES, NOW);
    const later = fitCertificate(first, NAMES, NOW + 9 * 365 * DAY);
    expect(later.ca).not.toBe(first.ca);
    expect(new X509Certificate(later.cert).verify(new X509Certificate(first.ca).publicKey)).toBe(true);
  });

  const other = fitCertificate({}, NAMES, NOW);
  it.each<[string, readonly string[], Partial<ServingCertificate>]>([
    ['another name', ['other.svc'], {}],
    ['a key that does not match', NAMES, { key: other.key }],
    ['text that is not a certificate', NAMES, { cert: 'x' }],
    ['a certificate of another CA', NAMES, { cert: other.cert, key: other.key }],
    ['a CA whose key is lost', NAMES, { caKey: '' }],
  ])('is replaced for %s', (_what, names, change) => {
    const stored = { ...fitCertificate({}, NAMES, NOW), ...change };
    const { cert, ca } = fitCertificate(stored, names, NOW);
    expect(cert).not.toBe(stored.cert);
    const leaf = new X509Certificate(cert);
    expect(leaf.verify(new X509Certificate(ca).publicKey)).toBe(true);
    expect(leaf.checkHost(names[0] ?? '')).toBe(names[0]);
  });
});
