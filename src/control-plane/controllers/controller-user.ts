/** User that a client impersonates. */
export interface ControllerUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/**
 * Returns the ServiceAccount that a controller acts as. Its permissions are those of the ClusterRole
 * system:controller:<name>.
 */
export function controllerUser(name: string): ControllerUser {
  return {
    name: `system:serviceaccount:kube-system:${name}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  };
}

/** User that reads for all controllers together. */
export const INFORMER_USER: ControllerUser = {
  name: 'system:kube-controller-manager',
  groups: ['system:authenticated'],
};
