import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { ParseError } from '#platform/base/errors';
import { type Issuer, isKeyUsage, issueCertificate } from './certificate.ts';

const ALTERNATIVE_NAMES = '2.5.29.17';

/** Signs a certificate request: its subject and names are taken from the request, its usages from the signer. */
export async function signRequest(
  requestPem: string,
  usages: readonly string[],
  times: { readonly notBefore: number; readonly notAfter: number },
  issuer: Issuer,
): Promise<string> {
  const request = readRequest(requestPem);
  if (!(await verifyRequest(request))) throw new ParseError('the certificate request is not signed by its own key');
  const unknown = usages.filter((usage) => !isKeyUsage(usage));
  if (unknown.length > 0)
    throw new ParseError(`unknown key usages: ${unknown.map((usage) => `"${usage}"`).join(', ')}`);
  const names = request.getExtension(ALTERNATIVE_NAMES);
  return issueCertificate(
    {
      ...times,
      subject: new Uint8Array(request.subjectName.toArrayBuffer()),
      publicKey: new Uint8Array(request.publicKey.rawData),
      usages: usages.filter(isKeyUsage),
      ...(names ? { alternativeNames: new Uint8Array(names.value) } : {}),
    },
    issuer,
  );
}

function readRequest(requestPem: string): Pkcs10CertificateRequest {
  try {
    return new Pkcs10CertificateRequest(requestPem);
  } catch (error) {
    throw new ParseError('not a certificate request in PEM', { cause: error });
  }
}

async function verifyRequest(request: Pkcs10CertificateRequest): Promise<boolean> {
  try {
    return await request.verify(webcrypto);
  } catch {
    return false;
  }
}
