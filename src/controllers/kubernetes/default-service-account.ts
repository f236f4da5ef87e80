import { SERVICE_ACCOUNTS } from '../../kube/kinds/core.ts';
import { inEveryNamespace } from './in-every-namespace.ts';

/** The account that pods run as when they name no other. */
export const defaultServiceAccount = inEveryNamespace({
  controller: 'default service account',
  type: SERVICE_ACCOUNTS,
  name: 'default',
  object: { metadata: {} },
});
