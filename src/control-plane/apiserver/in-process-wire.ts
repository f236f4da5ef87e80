import { decodeUtf8, encodeUtf8 } from '#platform/base/bytes';
import { responseError, type Wire, type WireRequest } from '#platform/kube/http/wire';
import type { KubeError } from '#platform/kube/kube-error';
import type { User } from './access/user.ts';
import { ApiError, internal } from './api-error.ts';
import type { ApiRequest } from './http/api-request.ts';
import type { HttpResponse } from './http/response.ts';

export interface InProcessWireDeps {
  readonly handle: (request: ApiRequest) => Promise<HttpResponse>;
  readonly user: User;
  /** User agent of the requests. */
  readonly userAgent: string;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
}

/** Passes requests to the server as if they came over HTTP, in the same process. */
export function inProcessWire(parts: InProcessWireDeps): Wire {
  const response = async (sent: WireRequest): Promise<HttpResponse> => {
    try {
      return await parts.handle(requestOf(parts, sent));
    } catch (error) {
      throw refusalOf(error);
    }
  };
  return {
    async send(sent) {
      const answered = await response(sent);
      const text = await textOf(answered);
      if (answered.status < 300) return { status: answered.status, type: answered.type, text };
      throw responseError(answered.status, text);
    },
    async stream(sent) {
      const answered = await response(sent);
      if (answered.status >= 300) throw responseError(answered.status, await textOf(answered));
      return bytesOf(answered);
    },
  };
}

function requestOf({ user, userAgent, signal }: InProcessWireDeps, sent: WireRequest): ApiRequest {
  const [path = sent.path, query = ''] = sent.path.split('?');
  const headers: Record<string, string> = {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(sent.contentType === undefined ? {} : { 'content-type': sent.contentType }),
  };
  return {
    method: sent.method,
    path,
    query: new URLSearchParams(query),
    headers,
    header: (name) => headers[name],
    user,
    body: async () => encodeUtf8(sent.body ?? ''),
    signal: sent.signal === undefined ? signal : AbortSignal.any([sent.signal, signal]),
  };
}

async function textOf(response: HttpResponse): Promise<string> {
  if ('body' in response) return response.body;
  if ('bytes' in response) return decodeUtf8(response.bytes);
  let text = '';
  const decoder = new TextDecoder();
  if ('parts' in response) for (const part of response.parts) text += part;
  if ('pieces' in response || 'encoded' in response) {
    for await (const piece of 'pieces' in response ? response.pieces : response.encoded)
      text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
  }
  return text;
}

async function* bytesOf(response: HttpResponse): AsyncGenerator<Uint8Array> {
  if ('pieces' in response) {
    for await (const piece of response.pieces) yield typeof piece === 'string' ? encodeUtf8(piece) : piece;
  } else yield encodeUtf8(await textOf(response));
}

function refusalOf(error: unknown): KubeError {
  const { status, code } = error instanceof ApiError ? error : internal(error);
  return responseError(code, JSON.stringify(status));
}
