import { readFileSync } from 'node:fs';
import type { Client } from '#platform/kube/client';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, type PolicyRule } from '#platform/kube/kinds/rbac';
import { resourceType } from '#platform/kube/kinds/resource-type';
import type { KubeObject } from '#platform/kube/kube-object';

/** One request in the audit log of the API server. */
export interface Call {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  /** Resource with its subresource. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
}

interface AuditLine {
  readonly verb: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

export function callsIn(auditLog: string): Call[] {
  const lines = readFileSync(auditLog, 'utf8').split('\n');
  // The last line may be incomplete.
  return lines.slice(0, -1).flatMap((line) => {
    const { verb, user, objectRef, responseStatus } = JSON.parse(line) as AuditLine;
    if (objectRef?.resource === undefined) return [];
    const { apiGroup = '', resource, subresource, namespace = '', name = '' } = objectRef;
    return {
      user: user?.username ?? '',
      verb,
      group: apiGroup,
      resource: subresource === undefined ? resource : `${resource}/${subresource}`,
      namespace,
      name,
      code: responseStatus?.code ?? 0,
    };
  });
}

/** Permission for one verb on one resource. */
export interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly names?: readonly string[];
  /** Absent for all namespaces. */
  readonly namespace?: string;
}

interface Binding extends KubeObject {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}
interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[];
}
const RBAC = 'rbac.authorization.k8s.io/v1';
const ROLES = resourceType<Role>(RBAC, 'Role', 'roles');
const ROLE_BINDINGS = resourceType<Binding>(RBAC, 'RoleBinding', 'rolebindings');

/** Returns every permission of a ServiceAccount by name. Permissions of all accounts do not count. */
export async function rightsOf(
  client: Client,
  account: { readonly namespace: string; readonly name: string },
): Promise<Right[]> {
  const isFor = ({ subjects = [] }: Binding) =>
    subjects.some(
      ({ kind, name, namespace }) =>
        kind === 'ServiceAccount' && name === account.name && namespace === account.namespace,
    );
  const rights: Right[] = [];
  for (const binding of (await client.list(CLUSTER_ROLE_BINDINGS)).items.filter(isFor)) {
    const { rules = [] } = await client.get(CLUSTER_ROLES, binding.roleRef.name);
    rights.push(...rules.flatMap((rule) => each(rule)));
  }
  for (const { roleRef, metadata } of (await client.list(ROLE_BINDINGS)).items.filter(isFor)) {
    const { namespace = '' } = metadata;
    const { rules = [] } = await client.get(ROLES, roleRef.name, { namespace });
    rights.push(...rules.flatMap((rule) => each(rule, namespace)));
  }
  return rights;
}

function each(rule: PolicyRule, namespace?: string): Right[] {
  const { apiGroups = [], resources = [], verbs, resourceNames: names } = rule;
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({
        group,
        resource,
        verb,
        ...(names === undefined ? {} : { names }),
        ...(namespace === undefined ? {} : { namespace }),
      })),
    ),
  );
}

/** Reports whether a request uses this permission, and no narrower one would suffice. */
export function usesOf(right: Right, rights: readonly Right[], calls: readonly Call[]): Call[] {
  const narrower = isNarrow(right) ? [] : rights.filter(isNarrow);
  return calls.filter((call) => isUse(right, call) && !narrower.some((other) => isUse(other, call)));
}

const isNarrow = ({ names, namespace }: Right) => names !== undefined || namespace !== undefined;

function isUse(right: Right, call: Call): boolean {
  const { group, resource, verb, names, namespace } = right;
  if (call.group !== group || call.resource !== resource || call.verb !== verb) return false;
  if (namespace !== undefined && call.namespace !== namespace) return false;
  return names === undefined || names.includes(call.name);
}

export const rightText = ({ group, resource, verb, namespace }: Right) =>
  `${verb} ${resource}${group === '' ? '' : `.${group}`}${namespace === undefined ? '' : ` in ${namespace}`}`;
