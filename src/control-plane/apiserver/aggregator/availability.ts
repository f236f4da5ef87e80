import type { ExtensionResource } from '#platform/kube/api-extension';
import { conditionOf, type KubeCondition, withCondition } from '#platform/kube/kinds/condition';
import type { KubeObject } from '#platform/kube/kube-object';

/** APIService of a group version that another server serves. */
export interface RemoteApiService extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly version: string;
    readonly groupPriorityMinimum?: number;
    readonly versionPriority?: number;
    readonly service: { readonly namespace: string; readonly name: string; readonly port?: number };
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
  };
  readonly status?: { readonly conditions?: readonly KubeCondition[] };
}

/** Result of a look at another server. */
export type Availability =
  | { readonly isAvailable: true; readonly resources: readonly ExtensionResource[] }
  | { readonly isAvailable: false; readonly reason: string; readonly message: string };

export function isRemote(object: KubeObject): object is RemoteApiService {
  return (object['spec'] as { service?: object } | undefined)?.service !== undefined;
}

/** Returns the conditions of an APIService after a look, undefined if they stay as they are. */
export function availabilityConditions(
  { status }: RemoteApiService,
  found: Availability,
  now: string,
): KubeCondition[] | undefined {
  const condition: KubeCondition = found.isAvailable
    ? { type: 'Available', status: 'True', reason: 'Passed', message: 'all checks passed' }
    : { type: 'Available', status: 'False', reason: found.reason, message: found.message };
  const before = conditionOf(status?.conditions, 'Available');
  const isSame =
    before?.status === condition.status && before.reason === condition.reason && before.message === condition.message;
  return isSame ? undefined : withCondition(status?.conditions, condition, now);
}
