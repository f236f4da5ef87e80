import type { User } from '#control-plane/apiserver/access/user';
import { SYSTEM_NAMESPACE } from './install.ts';

/** Users that the components of `vimana up` act as. */

export const ADMIN: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
/** Identity that reads for all components together, so that each object is cached and each change is sent once. */
export const READER: User = { name: 'system:kube-controller-manager', groups: ['system:authenticated'] };
export const SCHEDULER: User = { name: 'system:kube-scheduler', groups: ['system:authenticated'] };

/** Names of ServiceAccounts. */
export const OPERATOR = 'vimana-operator';
export const NODE = 'vimana-node';
export const PROVISIONER = 'vimana-provisioner';
export const EXPORTER = 'vimana-exporter';
export const SCENARIO_RUNNER = 'vimana-scenario';

/** Returns the user of a node, who may read the Secrets and ConfigMaps that its pods refer to. */
export function nodeUser(node: string): User {
  return { name: `system:node:${node}`, groups: ['system:nodes', 'system:authenticated'] };
}

/** Lease of the operator. */
export const OPERATOR_LEASE = { namespace: SYSTEM_NAMESPACE, name: OPERATOR };

/** Returns the user of a ServiceAccount in the namespace of the components. */
export function serviceAccount(name: string): User {
  return {
    name: `system:serviceaccount:${SYSTEM_NAMESPACE}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${SYSTEM_NAMESPACE}`, 'system:authenticated'],
  };
}
