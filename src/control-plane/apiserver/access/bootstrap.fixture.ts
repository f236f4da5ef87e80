import { readFileSync } from 'node:fs';
import { Rbac } from './rbac.ts';
import type { ClusterRole, Role, RoleBinding } from './rbac-objects.ts';

interface BootstrapRoles {
  readonly clusterroles: readonly ClusterRole[];
  readonly roles: readonly Role[];
  readonly clusterrolebindings: readonly RoleBinding[];
  readonly rolebindings: readonly RoleBinding[];
}

/** Returns the roles and bindings of a new control plane. */
export function bootstrapRoles(): BootstrapRoles {
  const file = new URL('../kubernetes/bootstrap-objects.data.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { rbac: BootstrapRoles }).rbac;
}

/** Returns an authorizer with these roles and bindings. */
export function bootstrapRbac(): Rbac {
  const roles = bootstrapRoles();
  const rbac = new Rbac();
  for (const role of roles.clusterroles) rbac.upsert('ClusterRole', role);
  for (const role of roles.roles) rbac.upsert('Role', role);
  for (const binding of roles.clusterrolebindings) rbac.upsert('ClusterRoleBinding', binding);
  for (const binding of roles.rolebindings) rbac.upsert('RoleBinding', binding);
  return rbac;
}
