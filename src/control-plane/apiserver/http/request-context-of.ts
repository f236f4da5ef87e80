import type { RequestContext } from '../request-context.ts';
import type { ApiRequest } from './api-request.ts';
import { writeOptions } from './options.ts';

interface SentRequest {
  readonly request: ApiRequest;
  /** Warnings to send to the client with any response. */
  readonly warnings: string[];
}

/** Returns the context of a write and its parsed options; `kind` names them, such as CreateOptions. */
export function requestContextOf({ request, warnings }: SentRequest, kind: string, needsManager = false) {
  const options = writeOptions(request.query, kind, needsManager);
  const call: RequestContext = {
    user: request.user,
    fieldManager: options.fieldManager ?? managerOf(request.header('user-agent')),
    dryRun: options.dryRun,
    fieldValidation: options.fieldValidation,
    sent: options.sent,
    warnings,
    signal: request.signal,
    ...workOf(request),
  };
  return { call, options };
}

/** Announces long work on behalf of the sender. */
export const workOf = ({ work }: ApiRequest) => (work === undefined ? {} : { work });

/** Derives the default field manager from the user agent. */
function managerOf(userAgent = ''): string {
  return (userAgent.split('/')[0] ?? '').slice(0, 128) || 'unknown';
}
