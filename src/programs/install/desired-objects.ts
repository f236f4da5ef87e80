import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type DialectName, GROUPS } from '#api/groups';
import { KINDS } from '#api/kinds';
import { resourceTypeFor } from '#api/kubevirt/resources';
import type { ResourceType } from '#platform/kube/client';
import { NAMESPACES, SERVICE_ACCOUNTS } from '#platform/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { NODES } from '#platform/kube/kinds/node';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '#platform/kube/kinds/rbac';
import { resourceType } from '#platform/kube/kinds/resource-type';
import type { KubeObject } from '#platform/kube/kube-object';
import { readManifest } from '#platform/kube/manifest';
import { withVmShortName } from '#programs/cli/vm-short-name';
import { POLICIES, POLICY_BINDINGS } from '#programs/install/status-policy';
import { REGISTRATIONS } from '#vm/dialects/registrations';
import { kwokNodes } from '#vm/node/simulated/kwok/manifests';
import { STAGES } from '#vm/node/simulated/kwok/stages';
import type { NodePool } from '#vm/node/simulated/node-pool';
import { crdFor, kindsOf } from './crds.ts';

/** Object that a cluster should hold. */
export interface DesiredObject {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

const RBAC = 'rbac.authorization.k8s.io/v1';
export const ROLES = resourceType(RBAC, 'Role', 'roles');
export const STAGE_OBJECTS = resourceType('kwok.x-k8s.io/v1alpha1', 'Stage', 'stages', 'Cluster');
const ROLE_BINDINGS = resourceType(RBAC, 'RoleBinding', 'rolebindings');
/** Types of objects that an operator outside the cluster requires as well as one inside. */
const PERMISSION_TYPES = [
  NAMESPACES,
  SERVICE_ACCOUNTS,
  CLUSTER_ROLES,
  CLUSTER_ROLE_BINDINGS,
  ROLES,
  ROLE_BINDINGS,
  POLICIES,
  POLICY_BINDINGS,
];

const ROOT = new URL('../../../', import.meta.url);

/** Label of the namespace, nodes and stages that `vimana install` created. */
export const INSTALLED = { label: 'app.kubernetes.io/managed-by', value: 'vimana-install' };

/** Returns the CRDs of the chosen groups. Only VMs of one group have the short name `vm`. */
export function desiredCrds(dialects: readonly DialectName[], vmShortName: string): DesiredObject[] {
  return withVmShortName(kindsOf(dialects), vmShortName).map((kind) => ({
    type: CUSTOM_RESOURCE_DEFINITIONS,
    object: crdFor(kind),
  }));
}

/**
 * Returns the accounts, roles and policies of deploy/operator. Those for users and statuses cover only the chosen
 * groups.
 */
export function desiredPermissions(dialects: readonly DialectName[]): DesiredObject[] {
  const left = Object.entries(GROUPS).flatMap(([name, group]) =>
    // Users of every group may see the instances that their VMs run as.
    name === 'kubevirt' || dialects.includes(name as DialectName) ? [] : [group],
  );
  const isLeft = (name = '') => left.some((group) => name.startsWith(`${group}:`) || name.endsWith(`.status.${group}`));
  return objectsIn('deploy/operator/operator.yaml', PERMISSION_TYPES)
    .filter(({ object }) => !isLeft(object.metadata.name))
    .map(({ type, object }) => ({ type, object: type === NAMESPACES ? withInstallLabel(object) : object }));
}

export function desiredNodes(pools: readonly NodePool[]): DesiredObject[] {
  return kwokNodes(pools).map((node) => ({ type: NODES, object: withInstallLabel(node) }));
}

/** Returns the KWOK stages for nodes and their pods, for a KWOK that reads them from the cluster. */
export function desiredStages(): DesiredObject[] {
  return STAGES.map((stage) => ({ type: STAGE_OBJECTS, object: withInstallLabel({ ...stage }) }));
}

export function desiredExamples(dialects: readonly DialectName[], namespace: string): DesiredObject[] {
  const types = KINDS.map(resourceTypeFor);
  return dialects.flatMap((dialect) =>
    filesAt(REGISTRATIONS[dialect].example)
      .flatMap((file) => objectsIn(file, types))
      .map(({ type, object }) => ({ type, object: { ...object, metadata: { ...object.metadata, namespace } } })),
  );
}

const withInstallLabel = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, [INSTALLED.label]: INSTALLED.value } },
});

function filesAt(path: string): string[] {
  if (!statSync(new URL(path, ROOT)).isDirectory()) return [path];
  const names = readdirSync(new URL(path, ROOT)).filter((name) => name.endsWith('.yaml'));
  return names.sort().map((name) => `${path}${name}`);
}

/** Returns the objects of some types in one of our manifests. */
function objectsIn(file: string, types: readonly ResourceType[]): DesiredObject[] {
  const { documents } = readManifest(readFileSync(new URL(file, ROOT), 'utf8'));
  return documents.flatMap((document) => {
    const object = document.object as KubeObject;
    const { group, version } = resourceType(object.apiVersion, object.kind, '');
    const type = types.find((each) => each.kind === object.kind && each.group === group);
    if (type === undefined) return [];
    return [{ type: type.version === version ? type : { ...type, version }, object }];
  });
}
