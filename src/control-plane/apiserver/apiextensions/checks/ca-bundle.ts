import { textFromBase64 } from '#platform/base/base64';
import { isCertificate } from '../../is-certificate.ts';

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** Returns in Go's words why a bundle (base64 of PEM) has no usable certificates, undefined if it has some. */
export function bundleProblem(bundle: string): string | undefined {
  const text = textFromBase64(bundle);
  const blocks = [...text.matchAll(BLOCK)];
  if (blocks.length === 0) return 'unable to parse bytes as PEM block';
  const certificates = blocks.filter(([, type]) => type === 'CERTIFICATE');
  if (certificates.length === 0) return 'data does not contain any valid RSA or ECDSA certificates';
  return certificates.every(([certificate]) => isCertificate(certificate)) ? undefined : 'x509: malformed certificate';
}
