import { type Access, checkBindingWrite, checkRoleWrite, type Escalation } from '../access/rbac-escalation.ts';
import type { ClusterRole, RoleBinding } from '../access/rbac-objects.ts';
import { RBAC_GROUP } from '../access/rbac-objects.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import { ApiError, notFound } from '../api-error.ts';
import { admissionDenial } from './denial.ts';

/**
 * Rejects grants of permissions that the writer does not have. Like in Kubernetes, it runs after all mutations and
 * before the validation of the object.
 */
export function roleEscalation(access: Access): AdmissionPlugin {
  return {
    name: 'RoleEscalation',
    mutate(write) {
      if (write.resource.group !== RBAC_GROUP || (write.operation !== 'CREATE' && write.operation !== 'UPDATE')) return;
      const found = escalationOf(access, write);
      if (found?.reason === 'NotFound') throw notFound(write.resource, found.name);
      if (found?.reason === 'Unsupported') throw new ApiError(500, '', found.detail);
      if (found !== undefined) throw admissionDenial(write, found.detail);
    },
  };
}

function escalationOf(
  access: Access,
  { resource, namespace, name, operation, object, old, call }: AdmissionAttributes,
) {
  const { plural } = resource;
  const common = { user: call.user, namespace };
  let found: Escalation | undefined;
  if (plural === 'roles' || plural === 'clusterroles') {
    const before = old === undefined ? {} : { old: old as unknown as ClusterRole };
    const requestName = operation === 'CREATE' ? '' : name;
    const role = object as unknown as ClusterRole;
    found = checkRoleWrite(access, { ...common, resource: plural, requestName, role, ...before });
  } else if (plural === 'rolebindings' || plural === 'clusterrolebindings') {
    const before = old === undefined ? {} : { old: old as unknown as RoleBinding };
    found = checkBindingWrite(access, {
      ...common,
      resource: plural,
      binding: object as unknown as RoleBinding,
      ...before,
    });
  }
  return found;
}
