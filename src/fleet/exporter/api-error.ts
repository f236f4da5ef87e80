import { SIMULATED_VMS } from '#fleet/library/simulated-vm';
import { type FieldError, forbidden } from '#platform/base/field-error';
import { KubeError } from '#platform/kube/kube-error';
import { RejectedError } from './fleet-backend.ts';

/** Message of admission webhooks without dry-run support. Their decision only shows when a VM is created. */
const NO_DRY_RUN = 'does not support dry run';

/** Returns the API server's rejection of one VM, or undefined if the error has another cause. */
export function apiErrorOf(error: unknown, path: string): FieldError | undefined {
  if (!(error instanceof KubeError) || (error.code !== 422 && error.code !== 400)) return undefined;
  return forbidden(path, error.message);
}

export const isDryRunUnsupported = (error: unknown) => error instanceof KubeError && error.message.includes(NO_DRY_RUN);

/**
 * Converts an error to a rejection if the API server rejected the whole request, and returns it unchanged otherwise.
 */
export function asApiError(error: unknown, namespace: string): unknown {
  if (!(error instanceof KubeError)) return error;
  if (error.code === 403) return new RejectedError([forbidden('', error.message)], 403);
  if (error.code !== 404) return error;
  const { group, kind } = SIMULATED_VMS;
  const missing = error.details.kind === 'namespaces' || error.message.startsWith('namespaces ');
  const why = missing
    ? `namespace ${namespace} not found`
    : `the cluster does not serve ${kind} of ${group}: install its CRD with vimana install --dialects simulation`;
  return new RejectedError([forbidden('', why)]);
}
