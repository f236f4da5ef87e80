import { SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { inEveryNamespace } from './in-every-namespace.ts';

/** Creates the account that pods run as if they name no other. */
export const defaultServiceAccount = inEveryNamespace({
  controller: 'default service account',
  type: SERVICE_ACCOUNTS,
  name: 'default',
  object: { metadata: {} },
});
