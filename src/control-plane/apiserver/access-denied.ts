import type { Attributes } from './access/attributes.ts';
import { forbiddenMessage } from './access/forbidden.ts';
import { ApiError } from './api-error.ts';

/** Returned for a request that no role allows. The reason is the authorizer's. */
export function accessDenied(attributes: Attributes, reason: string): ApiError {
  const message = forbiddenMessage(attributes, reason);
  if ('path' in attributes) return new ApiError(403, 'Forbidden', message, {});
  const { name = '', group, resource: kind } = attributes;
  return new ApiError(403, 'Forbidden', message, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind,
  });
}
