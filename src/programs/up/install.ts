import { KINDS } from '#api/kinds';
import type { Client, ResourceType } from '#platform/kube/client';
import { NAMESPACES, SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, type ClusterRole, type PolicyRule } from '#platform/kube/kinds/rbac';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Kind } from '#platform/schema/kind';
import { withoutNamesOf, withVmShortName } from '#programs/cli/vm-short-name';
import { crdFor, OURS, waitForServed } from '#programs/install/crds';
import { scenarioPolicy } from '#programs/install/scenario-policy';
import { POLICIES, POLICY_BINDINGS, statusPolicy } from '#programs/install/status-policy';
import type { NodeChanges } from './align-nodes.ts';
import { type MovedShortName, movedShortName, withMovedShortName } from './moved-short-name.ts';

export const SYSTEM_NAMESPACE = 'vimana-system';

/** Identity of a component, and its permissions. */
export interface ComponentIdentity {
  /** Name of its ServiceAccount and ClusterRole. */
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

export interface InstallResult {
  readonly kinds: readonly Kind[];
  /** Group that the short name `vm` means. */
  readonly vmShortName: string;
  /** Current time in milliseconds. */
  readonly now: number;
  readonly actors: readonly ComponentIdentity[];
  /** Additional roles for users. */
  readonly roles: readonly ClusterRole[];
}

/** Changes of an installation that clients may have cached. */
export interface Changed {
  /** Last change of what the short name `vm` means, if clients may still know its earlier meaning. */
  readonly shortName?: MovedShortName;
  readonly nodes?: NodeChanges;
}

/**
 * Installs what the operator and the nodes require. Kinds of an earlier start that are not requested now stay with
 * their objects, and give up the names that they share with requested ones.
 */
export async function installComponents(client: Client, desired: InstallResult): Promise<Changed> {
  const { kinds, vmShortName, actors, roles } = desired;
  const apply = <T extends KubeObject>(type: ResourceType<T>, object: T) =>
    client.apply(type, object, { fieldManager: 'vimana-install', force: true });
  const { items } = await client.list(CUSTOM_RESOURCE_DEFINITIONS, { labelSelector: OURS });
  const before = new Map(items.map((definition) => [definition.metadata.name, definition]));
  const moved = movedShortName(items, vmShortName, desired.now);
  const definitions = withVmShortName(kinds, vmShortName).map((kind) => withMovedShortName(crdFor(kind), moved));
  const withheld = KINDS.filter((kind) => !kinds.includes(kind))
    .map((kind) => crdFor(withoutNamesOf(kinds, kind)))
    .filter(({ metadata }) => before.has(metadata.name));
  const applied = [...definitions, ...withheld];
  await Promise.all(applied.map((definition) => apply(CUSTOM_RESOURCE_DEFINITIONS, definition)));
  await apply(NAMESPACES, objectOf('v1', 'Namespace', SYSTEM_NAMESPACE));
  for (const { name, rules } of actors) {
    const subject = { kind: 'ServiceAccount', name, namespace: SYSTEM_NAMESPACE };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
    await apply(SERVICE_ACCOUNTS, objectOf('v1', 'ServiceAccount', name, SYSTEM_NAMESPACE));
    await apply(CLUSTER_ROLES, { ...objectOf(RBAC, 'ClusterRole', name), rules: [...rules] });
    await apply(CLUSTER_ROLE_BINDINGS, { ...objectOf(RBAC, 'ClusterRoleBinding', name), roleRef, subjects: [subject] });
  }
  for (const role of roles) await apply(CLUSTER_ROLES, role);
  // Policies follow the roles, since writers of statuses would otherwise be denied for a moment. Kinds that stay are
  // protected as well.
  const protecting = [...statusesOf(KINDS)].map(([group, plurals]) => statusPolicy(POLICY_NAME, group, plurals));
  for (const [policy, binding] of [...protecting, scenarioPolicy(POLICY_NAME)]) {
    await apply(POLICIES, policy);
    await apply(POLICY_BINDINGS, binding);
  }
  await Promise.all(applied.map(({ metadata: { name = '' } }) => waitForServed(client, name)));
  return moved === undefined ? {} : { shortName: moved };
}

const POLICY_NAME = 'vimana-operator';

/** Returns the kinds of each group that have a status. */
function statusesOf(kinds: readonly Kind[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { group, plural } of kinds) groups.set(group, [...(groups.get(group) ?? []), plural]);
  return groups;
}

const RBAC = 'rbac.authorization.k8s.io/v1';

const objectOf = (apiVersion: string, kind: string, name: string, namespace?: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});
