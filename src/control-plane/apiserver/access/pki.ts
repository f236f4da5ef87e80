import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '#platform/base/clock';
import { ConfigError } from '#platform/base/errors';
import { createPrivateDirectory, writePrivateFile } from '#platform/kube/kubeconfig/private-file';
import {
  type CertificateContent,
  holdsNames,
  type Issuer,
  issueCertificate,
  type KeyUsage,
  publicKeyOf,
  subjectName,
} from './certificate.ts';
import { readIfExists } from './read-if-exists.ts';
import { MASTERS } from './user.ts';

export interface PkiOptions {
  /** Directory of keys and certificates; created if it does not exist. */
  readonly directory: string;
  readonly clock: Pick<Clock, 'now'>;
  /** DNS names and IP addresses of the server, in addition to those that every API server has. */
  readonly serverNames?: readonly string[];
}

/** Holds a certificate and its private key as PEM. */
export interface Credentials {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface SigningOptions {
  readonly usages: readonly string[];
  /** Lifetime. Defaults to a year, and never exceeds that of the authority. */
  readonly expirationSeconds?: number;
}

/** Holds the certificates of a control plane. */
export interface Pki {
  /** CA certificate by which clients trust the server, and the server trusts clients. */
  readonly caPem: string;
  readonly server: Credentials;
  /** Credentials of a client that may do everything. */
  readonly admin: Credentials;
  /** Time at which to open it again, because a certificate is about to expire (milliseconds since 1970). */
  readonly renewAt: number;
  /** Issues a client certificate for a user and groups. */
  clientCertificate(client: { user: string; groups?: readonly string[]; lifetimeMs?: number }): Credentials;
  /** Signs a certificate request (PEM). Rejects with a ParseError if it is malformed or not signed by its key. */
  signRequest(requestPem: string, options: SigningOptions): Promise<string>;
}

const AUTHORITY_NAME = 'kubernetes';
const DAY = 86_400_000;
const YEAR = 365 * DAY;
const AUTHORITY_LIFETIME = 10 * YEAR;
/** Ratio of the remaining lifetime at which a certificate is replaced. */
const RENEWED_FROM = 0.2;
/** Time by which certificates are backdated, because the clocks of two hosts may differ by that much. */
const BACKDATE = 5 * 60_000;

const SERVER_NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '127.0.0.1',
  '::1',
  '10.96.0.1',
];

/** Opens the certificates of a control plane, creating those that are missing, unusable or about to expire. */
export function openPki({ directory, clock, serverNames = [] }: PkiOptions): Pki {
  createPrivateDirectory(directory);
  const now = clock.now();
  const authority = openAuthority(directory, now);
  const names = [...new Set([...SERVER_NAMES, ...serverNames])];
  const leafUsages: KeyUsage[] = ['digital signature', 'key encipherment'];
  const server = openLeaf(directory, 'apiserver', authority, now, {
    subject: subjectName('kube-apiserver'),
    usages: [...leafUsages, 'server auth'],
    names,
  });
  const admin = openLeaf(directory, 'admin', authority, now, {
    subject: subjectName('kubernetes-admin', [MASTERS]),
    usages: [...leafUsages, 'client auth'],
  });
  const certificates = [authority.certificate, server.certificate, admin.certificate];
  return {
    caPem: authority.certificate.toString(),
    server: server.credentials,
    admin: admin.credentials,
    renewAt: Math.min(...certificates.map(renewalOf)),
    clientCertificate({ user, groups = [], lifetimeMs = YEAR }) {
      const subject = subjectName(user, groups);
      const usages: KeyUsage[] = [...leafUsages, 'client auth'];
      return newLeaf(authority, clock.now(), { subject, usages }, lifetimeMs);
    },
    async signRequest(requestPem, options) {
      const { signRequest } = await import('./certificate-request.ts');
      const times = lifetime(authority, clock.now(), YEAR, options.expirationSeconds);
      return signRequest(requestPem, options.usages, times, issuerOf(authority.key));
    },
  };
}

interface Authority {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/** Holds a file's text and its parsed content. */
interface Stored<T> {
  readonly text: string;
  readonly value: T;
}

type LeafContent = Pick<CertificateContent, 'subject' | 'usages' | 'names'>;

function openAuthority(directory: string, now: number): Authority {
  const keyFile = join(directory, 'ca.key');
  const certFile = join(directory, 'ca.crt');
  const stored = readPem(certFile, (text) => new X509Certificate(text));
  const storedKey = readPem(keyFile, createPrivateKey);
  // Another authority would lock out every client of this one, so nothing is replaced that a person has to check.
  if (stored === 'unreadable') throw unfit(certFile, 'is not a certificate');
  if (storedKey === 'unreadable') throw unfit(keyFile, 'is not a private key');
  if (stored && !storedKey) throw unfit(keyFile, `is missing, but required by ${certFile}`);
  if (stored && storedKey && !stored.value.checkPrivateKey(storedKey.value)) {
    throw unfit(keyFile, `is not the key of ${certFile}`);
  }
  const key = storedKey?.value ?? newKey();
  if (stored && now < renewalOf(stored.value)) return { certificate: stored.value, key };
  if (!storedKey) writePrivateFile(keyFile, pem(key));
  // The key and name stay the same, so that certificates it has signed, and clients that trust the old one, stay valid.
  const issuer = issuerOf(key);
  const content: CertificateContent = {
    subject: issuer.name,
    publicKey: issuer.publicKey,
    notBefore: now - BACKDATE,
    notAfter: now + AUTHORITY_LIFETIME,
    authority: true,
    usages: ['digital signature', 'key encipherment', 'cert sign'],
  };
  const certPem = issueCertificate(content, issuer);
  writePrivateFile(certFile, certPem);
  return { certificate: new X509Certificate(certPem), key };
}

/** Opens a certificate of the directory if it is usable; else creates one, which has no cost for its holder. */
function openLeaf(directory: string, name: string, authority: Authority, now: number, content: LeafContent) {
  const certFile = join(directory, `${name}.crt`);
  const keyFile = join(directory, `${name}.key`);
  const cert = readPem(certFile, (text) => new X509Certificate(text));
  const key = readPem(keyFile, createPrivateKey);
  if (cert && cert !== 'unreadable' && key && key !== 'unreadable' && isFit(cert.value, key.value, authority, now)) {
    if (holdsNames(cert.value, content.names ?? [])) {
      return { certificate: cert.value, credentials: { certPem: cert.text, keyPem: key.text } };
    }
  }
  const credentials = newLeaf(authority, now, content, YEAR);
  writePrivateFile(keyFile, credentials.keyPem);
  writePrivateFile(certFile, credentials.certPem);
  return { certificate: new X509Certificate(credentials.certPem), credentials };
}

function isFit(certificate: X509Certificate, key: KeyObject, authority: Authority, now: number): boolean {
  const inTime = certificate.validFromDate.getTime() <= now && now < renewalOf(certificate);
  return inTime && certificate.checkPrivateKey(key) && certificate.verify(authority.certificate.publicKey);
}

function newLeaf(authority: Authority, now: number, content: LeafContent, lifetimeMs: number): Credentials {
  const key = newKey();
  const times = lifetime(authority, now, lifetimeMs);
  const certPem = issueCertificate({ ...content, ...times, publicKey: publicKeyOf(key) }, issuerOf(authority.key));
  return { certPem, keyPem: pem(key) };
}

function issuerOf(key: KeyObject): Issuer {
  return { name: subjectName(AUTHORITY_NAME), publicKey: publicKeyOf(key), key };
}

/** Returns a validity from a little before now to the end of the lifetime, but not past the end of the authority. */
function lifetime(authority: Authority, now: number, longest: number, seconds = Number.POSITIVE_INFINITY) {
  const notAfter = now + Math.min(longest, seconds * 1000);
  return { notBefore: now - BACKDATE, notAfter: Math.min(notAfter, authority.certificate.validToDate.getTime()) };
}

function renewalOf(certificate: X509Certificate): number {
  const from = certificate.validFromDate.getTime();
  const to = certificate.validToDate.getTime();
  return to - (to - from) * RENEWED_FROM;
}

function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' });
}

/** Reads a file; undefined if it does not exist. */
function readPem<T>(file: string, parse: (text: string) => T): Stored<T> | 'unreadable' | undefined {
  const text = readIfExists(file);
  if (text === undefined) return undefined;
  try {
    return { text, value: parse(text) };
  } catch {
    return 'unreadable';
  }
}

function unfit(file: string, problem: string): ConfigError {
  return new ConfigError(`${file} ${problem}`, {
    hint: 'Restore it from a backup, or delete ca.crt and ca.key to create a new authority, which invalidates existing kubeconfigs.',
  });
}
