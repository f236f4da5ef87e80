import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A registry of OCI artifacts on loopback, which keeps all in memory. */
export interface Registry {
  readonly host: string;
  stop(): Promise<void>;
}

const digestOf = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** Starts a registry that knows as much of the OCI distribution specification as pushing and pulling takes. */
export async function startRegistry(): Promise<Registry> {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<string, { readonly type: string; readonly content: Buffer }>();

  const send = (response: ServerResponse, status: number, headers: Record<string, string> = {}, content?: Buffer) => {
    response.writeHead(status, { 'content-length': String(content?.length ?? 0), ...headers });
    response.end(content);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = request;
    const { pathname, searchParams } = new URL(url, 'http://registry');
    const body = await buffer(request);
    const [, name = '', kind = '', rest = ''] = /^\/v2\/(.+)\/(blobs|manifests)\/(.*)$/.exec(pathname) ?? [];
    const isReading = method === 'GET' || method === 'HEAD';
    if (pathname === '/v2/') return send(response, 200);
    if (kind === 'blobs' && method === 'POST') return send(response, 202, { location: `/v2/${name}/blobs/uploads/1` });
    if (kind === 'blobs' && method === 'PUT') {
      const digest = searchParams.get('digest') ?? '';
      if (digest !== digestOf(body)) return send(response, 400);
      blobs.set(digest, body);
      return send(response, 201, { location: `/v2/${name}/blobs/${digest}`, 'docker-content-digest': digest });
    }
    if (kind === 'manifests' && method === 'PUT') {
      const stored = { type: request.headers['content-type'] ?? '', content: body };
      const digest = digestOf(body);
      for (const reference of [rest, digest]) manifests.set(`${name}@${reference}`, stored);
      return send(response, 201, { location: `/v2/${name}/manifests/${digest}`, 'docker-content-digest': digest });
    }
    const manifest = manifests.get(`${name}@${rest}`);
    const found = kind === 'blobs' ? blobs.get(rest) : manifest?.content;
    if (!isReading || found === undefined) return send(response, 404);
    const headers = {
      'content-type': manifest?.type ?? 'application/octet-stream',
      'docker-content-digest': digestOf(found),
      'content-length': String(found.length),
    };
    return send(response, 200, headers, method === 'HEAD' ? undefined : found);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    stop: () => new Promise((stopped) => server.close(() => stopped())),
  };
}
