import type { Authorize } from '../access/attributes.ts';
import { Impersonator } from '../access/impersonation.ts';
import { accessDenied } from '../access-denied.ts';
import { ApiError, badRequest, noSuchResource } from '../api-error.ts';
import { flowOf } from '../flow-control/flow.ts';
import type { Encoder, Encoding } from '../long-work.ts';
import { parsePath, type RequestPath, type ResourcePath } from '../request-path.ts';
import type { ApiRequest } from './api-request.ts';
import { asPretty, asProtobuf, asYaml } from './converted-response.ts';
import { type EncodingPlace, isLong, largeList, largeObject, measureList } from './large-response.ts';
import { listText, type TextFormat } from './list-text.ts';
import { type AcceptedFormat, negotiate } from './negotiation.ts';
import { attributesOf, impersonateUser } from './request-attributes.ts';
import {
  type DraftResponse,
  type HttpResponse,
  type ListResponse,
  plain,
  statusResponse,
  type WholeResponse,
} from './response.ts';

/** Handles a path that is not a resource. Returns undefined to let the next route try. */
export type Route = (request: ApiRequest) => HttpResponse | undefined | Promise<HttpResponse | undefined>;

export interface RouterDeps {
  readonly authorize: Authorize;
  readonly resources: (request: ApiRequest, path: ResourcePath) => Promise<DraftResponse>;
  readonly routes: readonly Route[];
  /** Encodes large responses. */
  readonly encoder: Encoder;
  /** Called with internal errors, whose details the client does not see. */
  readonly onFault: (error: unknown, request: ApiRequest) => void;
}

/** Creates the handler of all requests. Any error becomes a Status. */
export function router({ authorize, resources, routes, encoder, onFault }: RouterDeps) {
  const impersonator = new Impersonator(authorize);
  return async (sent: ApiRequest): Promise<HttpResponse> => {
    let request = sent;
    try {
      const path = pathOf(sent.path);
      request = impersonateUser(impersonator, sent, path);
      const response = path.kind === 'resource' ? await resources(request, path) : await other(path, request);
      return await formatResponse(response, request, encoder);
    } catch (error) {
      if (error instanceof ApiError) return await formatResponse(statusResponse(error.status), request, encoder);
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
async function formatResponse(response: DraftResponse, request: ApiRequest, encoder: Encoder): Promise<HttpResponse> {
  const isWhole = 'body' in response && response.type === 'application/json';
  if (!isWhole && !('head' in response)) return response;
  const accepted = negotiateResponse(request);
  const place = { encoder, flow: flowOf(request.user), work: request.work };
  const text = textFormat(accepted, request);
  if (accepted !== 'protobuf') return await asText(response, text, place);
  const { encoded, rest } = await convert(response, 'protobuf', place);
  return encoded ?? asProtobuf(rest) ?? (await asText(rest, text, place));
}

type Convertible = WholeResponse | ListResponse;

async function asText(response: Convertible, format: TextFormat, place: EncodingPlace): Promise<HttpResponse> {
  if (format === 'json') return 'head' in response ? listText(response, format) : response;
  const { encoded, rest } = await convert(response, format, place);
  if (encoded !== undefined) return encoded;
  if ('head' in rest) return listText(rest, format);
  return format === 'yaml' ? asYaml(rest) : asPretty(rest);
}

/** Converts a large response elsewhere. `rest` is the same response if it is short, for this thread to convert. */
async function convert(response: Convertible, format: Encoding, place: EncodingPlace) {
  if ('body' in response) {
    const encoded = isLong(response.body.length, format) ? await largeObject(response, format, place) : undefined;
    return { encoded, rest: response };
  }
  const { list, long } = measureList(response, format);
  return { encoded: long ? await largeList(list, format, place) : undefined, rest: list };
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
