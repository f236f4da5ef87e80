import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { openPki } from './access/pki.ts';
import { isCertificate } from './is-certificate.ts';

const directory = mkdtempSync(join(tmpdir(), 'vimana-'));
const pki = openPki({ directory, clock: realClock, serverNames: ['localhost'] });
afterAll(() => rmSync(directory, { recursive: true }));

function nodeAccepts(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

const encoded = (der: Uint8Array) =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE-----`;

describe('a certificate', () => {
  it.each([pki.caPem, pki.server.certPem])('is recognized', (pem) => {
    expect(nodeAccepts(pem)).toBe(true);
    expect(isCertificate(pem)).toBe(true);
  });

  it.each([
    '',
    'not PEM',
    '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----',
    '-----BEGIN CERTIFICATE-----\nbm90IERFUg==\n-----END CERTIFICATE-----',
    '-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----',
    pki.caPem.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST'),
  ])('is not recognized in %j', (pem) => {
    expect(nodeAccepts(pem)).toBe(false);
    expect(isCertificate(pem)).toBe(false);
  });

  it('is not recognized if it is truncated, as by Node.js', () => {
    const { raw } = new X509Certificate(pki.caPem);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: raw.length - 1 }), (length) => {
        const pem = encoded(raw.subarray(0, length));
        expect(nodeAccepts(pem)).toBe(false);
        expect(isCertificate(pem)).toBe(false);
      }),
    );
  });
});
