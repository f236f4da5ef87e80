import { X509Certificate } from 'node:crypto';

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** Returns in Go's words why a bundle (base64 of PEM) has no usable certificates, undefined if it has some. */
export function bundleProblem(bundle: string): string | undefined {
  const text = Buffer.from(bundle, 'base64').toString('utf8');
  const blocks = [...text.matchAll(BLOCK)];
  if (blocks.length === 0) return 'unable to parse bytes as PEM block';
  const certificates = blocks.filter(([, type]) => type === 'CERTIFICATE');
  if (certificates.length === 0) return 'data does not contain any valid RSA or ECDSA certificates';
  return certificates.every(([certificate]) => isCertificate(certificate)) ? undefined : 'x509: malformed certificate';
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
