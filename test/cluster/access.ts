import { join } from 'node:path';
import type { Credentials } from '#control-plane/apiserver/access/pki';
import type { HttpClient } from '#platform/kube/http/http-client';
import { SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { type KubeconfigContent, writeKubeconfig } from '#platform/kube/kubeconfig/format-kubeconfig';
import { clientOf } from './client-of.ts';

export interface AccessParts {
  readonly url: string;
  /** Used in kubeconfigs. */
  readonly folder: string;
  /** Certificate authority of the server and its clients. */
  readonly pki: {
    readonly caPem: string;
    clientCertificate(client: { user: string; groups?: readonly string[] }): Credentials;
  };
}

/** Ways to access an API server as any user. */
export class Access {
  /** Path of a kubeconfig with all permissions. */
  readonly kubeconfig: string;
  readonly #parts: AccessParts;
  readonly #clients: HttpClient[] = [];
  #tokens = 0;

  constructor(parts: AccessParts) {
    this.#parts = parts;
    this.kubeconfig = this.certified('kubernetes-admin', ['system:masters']);
  }

  /** Creates a kubeconfig for a user with a certificate. */
  certified(user: string, groups: readonly string[] = []): string {
    const { certPem: clientCert, keyPem: clientKey } = this.#parts.pki.clientCertificate({ user, groups });
    return this.#write(user.replaceAll(':', '-'), { clientCert, clientKey });
  }

  /** Creates a kubeconfig with a token. */
  kubeconfigFor(token: string, namespace?: string): string {
    return this.#write(`token-${++this.#tokens}`, { token, ...(namespace === undefined ? {} : { namespace }) });
  }

  /** Creates a client. It has all permissions if no token is given. */
  async client(token?: string): Promise<HttpClient> {
    const made = await clientOf(token === undefined ? this.kubeconfig : this.kubeconfigFor(token));
    this.#clients.push(made);
    return made;
  }

  /** Creates a token of an existing ServiceAccount. */
  async tokenFor({ namespace, name }: { readonly namespace: string; readonly name: string }): Promise<string> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const asked = await (await this.client()).act(SERVICE_ACCOUNTS, name, 'token', body, { namespace });
    return (asked as { status?: { token?: string } }).status?.token ?? '';
  }

  /** Closes all clients. */
  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  #write(name: string, content: Omit<KubeconfigContent, 'name' | 'server'>): string {
    const { url, folder, pki } = this.#parts;
    const path = join(folder, `${name}.kubeconfig`);
    writeKubeconfig(path, { name, server: url, caPem: pki.caPem, ...content });
    return path;
  }
}
