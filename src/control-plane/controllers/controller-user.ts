/** Whom a client speaks for. */
export interface ControllerUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** The ServiceAccount that a controller acts as; its rights are those of the ClusterRole system:controller:<name>. */
export function controllerUser(name: string): ControllerUser {
  return {
    name: `system:serviceaccount:kube-system:${name}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  };
}

/** The user that reads for all controllers together. */
export const INFORMER_USER: ControllerUser = {
  name: 'system:kube-controller-manager',
  groups: ['system:authenticated'],
};
