import type { Backend } from '../backend.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { type BytesResponse, type HttpResponse, JSON_TYPE, plain } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { Documents, type OpenApiDocument } from './documents.ts';
import { storedSchemas } from './stored-schema.ts';

const YEAR = 365 * 24 * 60 * 60 * 1000;
const INDEX = '/openapi/v3';

/** Kubernetes version that this server is compatible with. */
const VERSION = '1.36';

/** Serves /openapi/v2, /openapi/v3 and the documents below it for the resources of a server. */
export function openApiRoute(
  backend: Pick<Backend, 'registry' | 'stores' | 'parsed' | 'clock'>,
  digest: (content: Uint8Array) => string,
): Route {
  const { registry, clock } = backend;
  const documents = new Documents({ registry, version: VERSION, digest, customSchema: storedSchemas(backend) });
  return documentRoute(documents, () => clock.now());
}

/** Serves any documents. `now` is in milliseconds. */
export function documentRoute(documents: Documents, now: () => number): Route {
  return (request) => {
    const { path } = request;
    if (path === '/openapi/v2')
      return documentResponse(request, documents.v2(), 'v2', { vary: 'Accept-Encoding, Accept' });
    if (path === INDEX) return plain(200, documents.index());
    if (!path.startsWith(`${INDEX}/`)) return undefined;
    const document = documents.v3(path.slice(INDEX.length + 1));
    return document === undefined ? empty(404, {}) : versionedResponse(request, document, now);
  };
}

/** Responds with a document by its hash, which never changes. An old hash redirects to the new one. */
function versionedResponse(request: ApiRequest, document: OpenApiDocument, now: () => number): HttpResponse {
  const { path, query } = request;
  const requested = query.get('hash');
  const vary = { vary: 'Accept' };
  if (requested === null || requested === '') return documentResponse(request, document, 'v3', vary);
  if (requested !== document.hash) {
    if (formatFor(request, 'v3') === undefined) return empty(406, vary);
    return empty(301, { ...vary, etag: etagOf(document), location: `${path}?hash=${document.hash}` });
  }
  const expires = new Date(now() + YEAR).toUTCString();
  return documentResponse(request, document, 'v3', { ...vary, 'cache-control': 'public, immutable', expires });
}

function documentResponse(
  request: ApiRequest,
  document: OpenApiDocument,
  version: Version,
  headers: Readonly<Record<string, string>>,
): BytesResponse {
  const format = formatFor(request, version);
  if (format === undefined) return empty(406, { vary: headers['vary'] ?? 'Accept' });
  const tagged = { ...headers, etag: etagOf(document) };
  const type = format === 'json' ? JSON_TYPE : protobufType(version, '.');
  // Clients apply these headers to the cached response, so the type is that of the full response.
  if (isKnown(request, tagged.etag)) return { ...empty(304, tagged), type };
  return { status: 200, type, bytes: format === 'json' ? document.json : document.protobuf(), headers: tagged };
}

type Version = 'v2' | 'v3';

const protobufType = (version: Version, separator: '@' | '.') =>
  `application/com.github.proto-openapi.spec.${version}${separator}v1.0+protobuf`;

/** Returns the format that a client prefers. Both spellings of the protobuf type are in use. */
function formatFor(request: ApiRequest, version: Version): 'json' | 'protobuf' | undefined {
  const accept = request.header('accept');
  if (accept === undefined || accept.trim() === '') return 'json';
  const desired = accept
    .split(',')
    .map((clause) => {
      const [media = '', ...parameters] = clause.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { media, quality: quality === undefined ? 1 : Number(quality) };
    })
    .sort((a, b) => b.quality - a.quality);
  for (const { media } of desired) {
    if (media === 'application/json' || media === 'application/*' || media === '*/*') return 'json';
    if (media === protobufType(version, '@') || media === protobufType(version, '.')) return 'protobuf';
  }
  return undefined;
}

function isKnown(request: ApiRequest, etag: string): boolean {
  const known = request.header('if-none-match');
  if (known === undefined) return false;
  return known.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag);
}

const etagOf = ({ hash }: OpenApiDocument) => `"${hash}"`;

function empty(status: number, headers: Readonly<Record<string, string>>): BytesResponse {
  return { status, type: JSON_TYPE, bytes: new Uint8Array(0), headers };
}
