import { SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { inEveryNamespace } from './in-every-namespace.ts';

/** The account that pods run as when they name no other. */
export const defaultServiceAccount = inEveryNamespace({
  controller: 'default service account',
  type: SERVICE_ACCOUNTS,
  name: 'default',
  object: { metadata: {} },
});
