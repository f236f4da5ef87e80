import { encodeUtf8 } from '#platform/base/bytes';
import type { ServiceAccountTokens } from '../access/service-account-tokens.ts';
import { ApiError, methodNotAllowed } from '../api-error.ts';
import type { ApiRequest } from './api-request.ts';
import type { BytesResponse } from './response.ts';
import type { Route } from './router.ts';

const CACHED = { 'cache-control': 'public, max-age=3600' };

/** Serves what others need to verify service account tokens: the issuer and its keys. */
export function openidRoute(
  tokens: Pick<ServiceAccountTokens, 'jwks' | 'openidConfiguration'>,
  address: () => string,
): Route {
  return (request) => {
    switch (request.path.replace(/\/$/, '')) {
      case '/.well-known/openid-configuration':
        return document(request, 'application/json', tokens.openidConfiguration(address()));
      case '/openid/v1/jwks':
        return document(request, 'application/jwk-set+json', tokens.jwks());
      default:
        return undefined;
    }
  };
}

/** Returns a document that may be cached for a while and has a single format. */
function document(request: ApiRequest, type: string, content: object): BytesResponse {
  if (request.method !== 'GET') throw methodNotAllowed();
  if (!accepts(request.header('accept'), type)) {
    const message = `406: Not Acceptable\n\nAvailable representations: ${type}`;
    throw new ApiError(406, 'NotAcceptable', message, {});
  }
  return { status: 200, type, bytes: encodeUtf8(JSON.stringify(content)), headers: CACHED };
}

function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept === '') return true;
  return accept.split(',').some((part) => ['*/*', 'application/*', type].includes(part.split(';')[0]?.trim() ?? ''));
}
