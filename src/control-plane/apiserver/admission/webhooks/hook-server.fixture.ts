import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import { afterEach, beforeEach } from 'vitest';
import { type Cluster, testCluster } from '../chain.fixture.ts';
import { ADMISSION_GROUP } from '../matching.ts';
import type { AdmissionReviewRequest } from './review.ts';

type Review = { readonly apiVersion: string; readonly kind: string; readonly request: AdmissionReviewRequest };
/** Response of a webhook: fields of its response, or a whole response. */
export type Reply = (
  review: Review,
  id: string,
) => object | { readonly raw: string; readonly status?: number; readonly headers?: OutgoingHttpHeaders } | 'hang';

/** A webhook server on its own port. Each path is a webhook. */
export interface HookServer {
  readonly port: number;
  readonly caBundle: string;
  /** All requests so far. */
  readonly seen: { readonly path: string; readonly review: Review }[];
  reply: Reply;
  close(): void;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Creates a self-signed certificate for names such as localhost and addresses. */
async function selfSigned(names: readonly string[]): Promise<{ readonly key: string; readonly cert: string }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: 'CN=hook',
      keys,
      signingAlgorithm: algorithm,
      notAfter: new Date('2100-01-01'),
      extensions: [
        new SubjectAlternativeNameExtension(
          names.map((value) => ({ type: /^[\d.]+$/.test(value) ? ('ip' as const) : ('dns' as const), value })),
        ),
      ],
    },
    webcrypto,
  );
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return { key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----`, cert: certificate.toString('pem') };
}

export async function hookServer(
  names: readonly string[] = ['localhost', '127.0.0.1', 'hook.x.svc'],
): Promise<HookServer> {
  const tls = await selfSigned(names);
  const seen: HookServer['seen'] = [];
  const server: Server = createServer(tls, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(parts).toString()) as Review;
      seen.push({ path: request.url ?? '', review });
      const reply = made.reply(review, (request.url ?? '').slice(1).split('?')[0] ?? '');
      if (reply === 'hang') return;
      if ('raw' in reply) {
        response.writeHead(reply.status ?? 200, reply.headers).end(reply.raw);
        return;
      }
      const { apiVersion, kind } = review;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ apiVersion, kind, response: { uid: review.request.uid, allowed: true, ...reply } }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const made: HookServer = {
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(tls.cert).toString('base64'),
    seen,
    reply: () => ({}),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return made;
}

/** Builds a response with a patch. */
export function patch(...operations: object[]): object {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

/** Sets up a cluster and a webhook server for each test of a file, with helpers. */
export function hookWorld() {
  let server: HookServer;
  let cluster: Cluster;
  beforeEach(async () => {
    server = await hookServer();
    cluster = await testCluster();
  });
  afterEach(() => server.close());
  return {
    get server() {
      return server;
    },
    get cluster() {
      return cluster;
    },
    async restart(options: Parameters<typeof testCluster>[0]) {
      cluster = await testCluster(options);
    },
    configure: (kind: 'validating' | 'mutating', hooks: object[], name?: string, by = server) =>
      configureHooks(cluster, by, kind, hooks, name),
    create: (metadata: object = {}, how = {}) =>
      cluster.create('configmaps/x', { metadata: { name: 'c', ...metadata } }, how),
  };
}

/** Prefix of every error of calling the first webhook. */
export const CALL_FAILED = 'Internal error occurred: failed calling webhook "h0.example.com": ';
/** Prefix of the error for an invalid response. */
export const INVALID_ANSWER = `${CALL_FAILED}received invalid webhook response: `;

export const CONFIG_MAPS = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] };

/** Stores a configuration whose webhooks a server implements: /h0, /h1 and so on, by default for ConfigMaps. */
export async function configureHooks(
  cluster: Cluster,
  server: HookServer,
  kind: 'validating' | 'mutating',
  hooks: readonly object[],
  name = 'w',
): Promise<void> {
  const webhooks = hooks.map((hook, i) => ({
    name: `h${i}.example.com`,
    clientConfig: { url: `https://localhost:${server.port}/h${i}`, caBundle: server.caBundle },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 30,
    rules: [CONFIG_MAPS],
    ...hook,
  }));
  await cluster.create(`${kind}webhookconfigurations.${ADMISSION_GROUP}`, { metadata: { name }, webhooks });
}
