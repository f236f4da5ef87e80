import { webcrypto } from 'node:crypto';

/**
 * Returns the groups of a certificate request. Undefined unless the text is exactly one valid request signed by its own
 * key, because a signer might read another request in it or certify a foreign key.
 */
export async function requestedOrganizations(pem: string): Promise<readonly string[] | undefined> {
  if ((pem.match(/-----BEGIN /g) ?? []).length !== 1) return undefined;
  // The library is loaded on the first request, because it would take a fifth of the startup time.
  await import('reflect-metadata');
  const { Pkcs10CertificateRequest } = await import('@peculiar/x509');
  try {
    const read = new Pkcs10CertificateRequest(pem.slice(pem.indexOf('-----BEGIN ')));
    return (await read.verify(webcrypto)) ? read.subjectName.getField('O') : undefined;
  } catch {
    return undefined;
  }
}
