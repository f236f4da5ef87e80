import { AUTHENTICATED, MASTERS, type User } from './access/user.ts';
import type { RequestContext } from './request-context.ts';

/** User of the administrator's token, and of in-process clients that name no other. */
export const ADMIN: User = { name: 'kubernetes-admin', groups: [MASTERS] };
/** User that the server itself writes as. */
const SYSTEM: User = { name: 'system:apiserver', groups: [MASTERS, AUTHENTICATED] };

/** Returns the context of a write by the server itself. */
export function systemContext(signal: AbortSignal): RequestContext {
  return { user: SYSTEM, fieldManager: 'vimana', dryRun: false, fieldValidation: 'Ignore', warnings: [], signal };
}
