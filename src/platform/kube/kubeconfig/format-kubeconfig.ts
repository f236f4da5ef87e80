import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { createDirectory } from '#platform/base/directory';
import { writePrivateFile } from './private-file.ts';

export interface KubeconfigContent {
  /** Name of the cluster, user and context. */
  readonly name: string;
  readonly server: string;
  readonly caPem?: string;
  readonly namespace?: string;
  /** Client certificate (PEM), used with its key instead of a token. */
  readonly clientCert?: string;
  readonly clientKey?: string;
  readonly token?: string;
}

/** Formats a self-contained kubeconfig with one context: certificates are embedded, and no other file is needed. */
export function formatKubeconfig(content: KubeconfigContent): string {
  const { name, server, caPem, namespace, clientCert, clientKey, token } = content;
  const cluster = { server, ...(caPem === undefined ? {} : { 'certificate-authority-data': base64(caPem) }) };
  const user = {
    ...(clientCert === undefined ? {} : { 'client-certificate-data': base64(clientCert) }),
    ...(clientKey === undefined ? {} : { 'client-key-data': base64(clientKey) }),
    ...(token === undefined ? {} : { token }),
  };
  const context = { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) };
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster }],
      users: [{ name, user }],
      contexts: [{ name, context }],
      'current-context': name,
    },
    // All text is quoted, because readers differ in what they read as a number or a boolean: no, 0o7, 1:30.
    { version: '1.1', lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' },
  );
}

/** Writes a kubeconfig that only its owner may read, and creates its directory if needed. */
export function writeKubeconfig(path: string, content: KubeconfigContent): void {
  createDirectory(dirname(path), 0o700);
  writePrivateFile(path, formatKubeconfig(content));
}

function base64(pem: string): string {
  return Buffer.from(pem).toString('base64');
}
