import type { Authorize } from '../access/attributes.ts';
import { Impersonator } from '../access/impersonation.ts';
import { accessDenied } from '../access-denied.ts';
import { ApiError, badRequest, noSuchResource } from '../api-error.ts';
import { parsePath, type RequestPath, type ResourcePath } from '../request-path.ts';
import type { ApiRequest } from './api-request.ts';
import { listText, type TextFormat } from './list-text.ts';
import { type AcceptedFormat, negotiate } from './negotiation.ts';
import { attributesOf, impersonateUser } from './request-attributes.ts';
import {
  asPretty,
  asProtobuf,
  asYaml,
  type DraftResponse,
  type HttpResponse,
  plain,
  statusResponse,
} from './response.ts';

/** Handles a path that is not a resource. Returns undefined to let the next route try. */
export type Route = (request: ApiRequest) => HttpResponse | undefined | Promise<HttpResponse | undefined>;

export interface RouterDeps {
  readonly authorize: Authorize;
  readonly resources: (request: ApiRequest, path: ResourcePath) => Promise<DraftResponse>;
  readonly routes: readonly Route[];
  /** Called with internal errors, whose details the client does not see. */
  readonly onFault: (error: unknown, request: ApiRequest) => void;
}

/** Creates the handler of all requests. Any error becomes a Status. */
export function router({ authorize, resources, routes, onFault }: RouterDeps) {
  const impersonator = new Impersonator(authorize);
  return async (sent: ApiRequest): Promise<HttpResponse> => {
    let request = sent;
    try {
      const path = pathOf(sent.path);
      request = impersonateUser(impersonator, sent, path);
      const response = path.kind === 'resource' ? await resources(request, path) : await other(path, request);
      return formatResponse(response, request);
    } catch (error) {
      if (error instanceof ApiError) return formatResponse(statusResponse(error.status), request);
      onFault(error, request);
      throw error;
    }
  };

  async function other(path: RequestPath & { kind: 'other' }, request: ApiRequest): Promise<HttpResponse> {
    const attributes = attributesOf(request, path);
    const { allowed, reason } = authorize(attributes);
    if (!allowed) throw accessDenied(attributes, reason);
    // Nothing is served under an empty path segment.
    if (path.path.includes('//')) {
      if (/^\/(?:api|apis\/[^/]+\/[^/]+)\//.test(path.path)) throw noSuchResource();
      return plain(404, '404 page not found\n');
    }
    // Routes see the path that was authorized.
    const decoded = path.path === request.path ? request : at(request, path.path);
    for (const route of routes) {
      const response = await route(decoded);
      if (response !== undefined) return response;
    }
    return plain(404, '404 page not found\n');
  }
}

function at(request: ApiRequest, path: string): ApiRequest {
  return Object.create(request, { path: { value: path, enumerable: true } }) as ApiRequest;
}

function pathOf(path: string): RequestPath {
  try {
    return parsePath(path);
  } catch {
    throw badRequest(`the path ${JSON.stringify(path)} is not properly percent-encoded`);
  }
}

const BROWSERS = /^(curl|Wget|Mozilla)\//;

/** Formats a response, readable for people who send requests by hand. */
function formatResponse(response: DraftResponse, request: ApiRequest): HttpResponse {
  const isWhole = 'body' in response && response.type === 'application/json';
  if (!isWhole && !('head' in response)) return response;
  const accepted = negotiateResponse(request);
  const encoded = accepted === 'protobuf' ? asProtobuf(response) : undefined;
  if (encoded !== undefined) return encoded;
  const format = textFormat(accepted, request);
  if ('head' in response) return listText(response, format);
  if (format === 'yaml') return asYaml(response);
  return format === 'pretty' ? asPretty(response) : response;
}

function textFormat(accepted: AcceptedFormat['format'], request: ApiRequest): TextFormat {
  if (accepted === 'yaml') return 'yaml';
  const pretty = request.query.get('pretty');
  const desired =
    pretty === null ? BROWSERS.test(request.header('user-agent') ?? '') : pretty !== '0' && pretty !== 'false';
  return desired ? 'pretty' : 'json';
}

function negotiateResponse(request: ApiRequest): AcceptedFormat['format'] {
  try {
    return negotiate(request.header('accept')).format;
  } catch {
    return 'json';
  }
}
