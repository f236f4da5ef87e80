import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import {
  holdsNames,
  type Issuer,
  issueCertificate,
  publicKeyOf,
  subjectName,
} from '#control-plane/apiserver/access/certificate';

/** CA and a server certificate that it has signed, with their keys, as PEM. */
export interface ServingCertificate {
  readonly ca: string;
  readonly caKey: string;
  readonly cert: string;
  readonly key: string;
}

const AUTHORITY = 'vimana-operator-ca';
const YEAR = 365 * 86_400_000;
const AUTHORITY_LIFETIME = 10 * YEAR;
/** Remaining ratio of a lifetime at which a certificate is replaced. */
const RENEWED_FROM = 0.2;
/** Tolerated clock skew between two hosts. */
const BACKDATE = 5 * 60_000;

/**
 * Returns the stored certificate if it is valid for the names and for a while. Otherwise renews only the parts that are
 * not.
 */
export function fitCertificate(
  stored: Partial<ServingCertificate>,
  names: readonly string[],
  now: number,
): ServingCertificate {
  const authority = fitAuthority(stored, now);
  const leaf = read(stored.cert, stored.key);
  const isFit =
    leaf !== undefined &&
    inTime(leaf.certificate, now) &&
    holdsNames(leaf.certificate, names) &&
    leaf.certificate.verify(authority.certificate.publicKey);
  const { cert, key } = isFit ? leaf : newLeaf(authority, names, now);
  return { ca: authority.cert, caKey: authority.key, cert, key };
}

interface Pair {
  readonly cert: string;
  readonly key: string;
  readonly certificate: X509Certificate;
  readonly privateKey: KeyObject;
}

function fitAuthority({ ca, caKey }: Partial<ServingCertificate>, now: number): Pair {
  const stored = read(ca, caKey);
  if (stored !== undefined && inTime(stored.certificate, now)) return stored;
  // The CA keeps its key and name, so that its signatures and the trust in the previous certificate stay valid.
  const privateKey = stored?.privateKey ?? newKey();
  const issuer = issuerOf(privateKey);
  const cert = issueCertificate(
    {
      subject: issuer.name,
      publicKey: issuer.publicKey,
      notBefore: now - BACKDATE,
      notAfter: now + AUTHORITY_LIFETIME,
      authority: true,
      usages: ['digital signature', 'cert sign'],
    },
    issuer,
  );
  return { cert, key: pem(privateKey), certificate: new X509Certificate(cert), privateKey };
}

function newLeaf(
  authority: Pair,
  names: readonly string[],
  now: number,
): { readonly cert: string; readonly key: string } {
  const key = newKey();
  const cert = issueCertificate(
    {
      subject: subjectName(names[0] ?? AUTHORITY),
      publicKey: publicKeyOf(key),
      notBefore: now - BACKDATE,
      notAfter: Math.min(now + YEAR, authority.certificate.validToDate.getTime()),
      usages: ['digital signature', 'key encipherment', 'server auth'],
      names,
    },
    issuerOf(authority.privateKey),
  );
  return { cert, key: pem(key) };
}

/** Returns undefined if either is missing or unreadable, or they do not match. */
function read(cert: string | undefined, key: string | undefined): Pair | undefined {
  if (cert === undefined || key === undefined) return undefined;
  try {
    const [certificate, privateKey] = [new X509Certificate(cert), createPrivateKey(key)];
    return certificate.checkPrivateKey(privateKey) ? { cert, key, certificate, privateKey } : undefined;
  } catch {
    return undefined;
  }
}

function inTime({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return from <= now && now < to - (to - from) * RENEWED_FROM;
}

function issuerOf(key: KeyObject): Issuer {
  return { name: subjectName(AUTHORITY), publicKey: publicKeyOf(key), key };
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' });
