import { readdirSync, readFileSync, statSync } from 'node:fs';
import { KINDS } from '../api/kinds.ts';
import type { DialectName } from '../cli/up.ts';
import type { ResourceType } from '../kube/client.ts';
import { NAMESPACES, SERVICE_ACCOUNTS } from '../kube/kinds/core.ts';
import { DEFINITIONS } from '../kube/kinds/definitions.ts';
import { resourceOfKind } from '../kube/kinds/machines.ts';
import { NODES } from '../kube/kinds/node.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../kube/kinds/rbac.ts';
import { resourceType } from '../kube/kinds/resource-type.ts';
import type { KubeObject } from '../kube/kube-object.ts';
import { readManifest } from '../kube/manifest.ts';
import { POLICIES, POLICY_BINDINGS } from '../kube/status-policy.ts';
import { kwokNodes } from '../node/simulated/kwok/manifests.ts';
import { STAGES } from '../node/simulated/kwok/stages.ts';
import type { NodePool } from '../node/simulated/node-pool.ts';
import { definitionOf, GROUPS, kindsOf } from './definitions.ts';

/** An object that a cluster is to hold. */
export interface Wanted {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

const RBAC = 'rbac.authorization.k8s.io/v1';
export const ROLES = resourceType(RBAC, 'Role', 'roles');
export const STAGE_OBJECTS = resourceType('kwok.x-k8s.io/v1alpha1', 'Stage', 'stages', 'Cluster');
const ROLE_BINDINGS = resourceType(RBAC, 'RoleBinding', 'rolebindings');
/** Of all that an operator in a cluster takes, what one that runs elsewhere takes too. */
const OF_RIGHTS = [
  NAMESPACES,
  SERVICE_ACCOUNTS,
  CLUSTER_ROLES,
  CLUSTER_ROLE_BINDINGS,
  ROLES,
  ROLE_BINDINGS,
  POLICIES,
  POLICY_BINDINGS,
];

const ROOT = new URL('../../', import.meta.url);

/** What to apply for the first machines of a group. */
export const FIRST_MACHINES: Readonly<Record<DialectName, string>> = {
  kubevirt: 'examples/kubevirt/vm-running.yaml',
  hypersdk: 'examples/hypersdk/vm-from-image.yaml',
  novacron: 'examples/novacron/vm-minimal.yaml',
  simulation: 'examples/simulation/vms/',
};

/** By which the namespace, nodes and stages are found again that came by `vimana install`. */
export const INSTALLED = { label: 'app.kubernetes.io/managed-by', value: 'vimana-install' };

export function wantedDefinitions(dialects: readonly DialectName[]): Wanted[] {
  return kindsOf(dialects).map((kind) => ({ type: DEFINITIONS, object: definitionOf(kind) }));
}

/** The accounts, roles and policies of deploy/operator, those for users and statuses only of the chosen groups. */
export function wantedRights(dialects: readonly DialectName[]): Wanted[] {
  const left = Object.entries(GROUPS).flatMap(([name, group]) =>
    // Users of every group see the instances that their machines run as.
    name === 'kubevirt' || dialects.includes(name as DialectName) ? [] : [group],
  );
  const isLeft = (name = '') => left.some((group) => name.startsWith(`${group}:`) || name.endsWith(`.status.${group}`));
  return objectsIn('deploy/operator/operator.yaml', OF_RIGHTS)
    .filter(({ object }) => !isLeft(object.metadata.name))
    .map(({ type, object }) => ({ type, object: type === NAMESPACES ? installed(object) : object }));
}

export function wantedNodes(pools: readonly NodePool[]): Wanted[] {
  return kwokNodes(pools).map((node) => ({ type: NODES, object: installed(node) }));
}

/** What KWOK is to do with nodes and their pods, for a KWOK that reads it from the cluster. */
export function wantedStages(): Wanted[] {
  return STAGES.map((stage) => ({ type: STAGE_OBJECTS, object: installed({ ...stage }) }));
}

export function wantedExamples(dialects: readonly DialectName[], namespace: string): Wanted[] {
  const types = KINDS.map(resourceOfKind);
  return dialects.flatMap((dialect) =>
    filesAt(FIRST_MACHINES[dialect])
      .flatMap((file) => objectsIn(file, types))
      .map(({ type, object }) => ({ type, object: { ...object, metadata: { ...object.metadata, namespace } } })),
  );
}

const installed = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, [INSTALLED.label]: INSTALLED.value } },
});

function filesAt(path: string): string[] {
  if (!statSync(new URL(path, ROOT)).isDirectory()) return [path];
  const names = readdirSync(new URL(path, ROOT)).filter((name) => name.endsWith('.yaml'));
  return names.sort().map((name) => `${path}${name}`);
}

/** The objects of a manifest of ours that are of some types. */
function objectsIn(file: string, types: readonly ResourceType[]): Wanted[] {
  const { documents } = readManifest(readFileSync(new URL(file, ROOT), 'utf8'));
  return documents.flatMap((document) => {
    const object = document.object as KubeObject;
    const { group, version } = resourceType(object.apiVersion, object.kind, '');
    const type = types.find((each) => each.kind === object.kind && each.group === group);
    if (type === undefined) return [];
    return [{ type: type.version === version ? type : { ...type, version }, object }];
  });
}
