import 'reflect-metadata';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';

const KEYS = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Creates a certificate request in PEM that Kubernetes accepts. */
export async function certificateRequestPem(): Promise<string> {
  const keys = await crypto.subtle.generateKey(KEYS, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({ name: 'CN=fuzz', keys, signingAlgorithm: KEYS });
  return `${request.toString('pem')}\n`;
}
