import type { X509Certificate } from 'node:crypto';
import { AUTHENTICATED, type User } from './user.ts';

const USER_ID = '1.3.6.1.4.1.57683.2';

/**
 * Caches the users of certificates: a connection presents the same one with every request, and parsing is not cheap.
 */
const known = new WeakMap<X509Certificate, User | undefined>();

/**
 * Returns the user of a client certificate: common name and organizations. Undefined if it names nobody. The TLS
 * handshake decides whether the certificate is trusted.
 */
export function userOfCertificate(certificate: X509Certificate): User | undefined {
  if (known.has(certificate)) return known.get(certificate);
  const user = readUser(certificate);
  known.set(certificate, user);
  return user;
}

function readUser(certificate: X509Certificate): User | undefined {
  // The plain `subject` is escaped text; this form has the raw values.
  const subject = certificate.toLegacyObject().subject as unknown as Record<string, string | string[] | undefined>;
  const name = [subject['CN'] ?? []].flat().at(-1) ?? '';
  if (name === '') return undefined;
  const uid = [subject[USER_ID] ?? []].flat().at(-1);
  const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
  return {
    name,
    ...(uid ? { uid } : {}),
    groups: [...[subject['O'] ?? []].flat(), AUTHENTICATED],
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
  };
}
