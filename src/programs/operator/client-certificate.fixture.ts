import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type Issuer, issueCertificate, publicKeyOf, subjectName } from '#control-plane/apiserver/access/certificate';
import { realClock } from '#platform/base/clock';

const HOUR = 3_600_000;
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' });

/** Certificate of a client. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Authority that signs client certificates for TLS, which uses the real time. */
export interface ClientAuthority {
  readonly ca: string;
  /** Issues a certificate that expired `endedMs` ago. Defaults to one that is valid for an hour. */
  client(name: string, endedMs?: number): ClientCertificate;
}

export function clientAuthority(name = 'front-proxy-ca'): ClientAuthority {
  const now = realClock.now();
  const key = newKey();
  const issuer: Issuer = { name: subjectName(name), publicKey: publicKeyOf(key), key };
  const ca = issueCertificate(
    {
      subject: issuer.name,
      publicKey: issuer.publicKey,
      notBefore: now - 48 * HOUR,
      notAfter: now + 48 * HOUR,
      authority: true,
      usages: ['digital signature', 'cert sign'],
    },
    issuer,
  );
  return {
    ca,
    client(common, endedMs = -HOUR) {
      const own = newKey();
      const cert = issueCertificate(
        {
          subject: subjectName(common),
          publicKey: publicKeyOf(own),
          notBefore: now - 24 * HOUR,
          notAfter: now - endedMs,
          usages: ['digital signature', 'client auth'],
        },
        issuer,
      );
      return { cert, key: pem(own) };
    },
  };
}
