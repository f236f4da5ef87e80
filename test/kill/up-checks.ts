import { OPERATIONS, type Operation } from '#api/hypersdk/operation-resources';
import { VM_SNAPSHOTS } from '#api/hypersdk/snapshot-resources';
import { VMIMS, VMIS, VMS, type Vm, type Vmi, type Vmim } from '#api/kubevirt/resources';
import { CREATED_BY_LABEL, MIGRATION_LABEL } from '#api/launcher';
import type { Client } from '#platform/kube/client';
import { conditionOf } from '#platform/kube/kinds/condition';
import { NODES, type Node } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { CLUSTER_ROLES, type ClusterRole } from '#platform/kube/kinds/rbac';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '#platform/kube/kinds/storage';
import type { KubeObject } from '#platform/kube/kube-object';
import { AGGREGATED, MACHINES } from './up-activity.ts';

/** All relevant objects at about the same time. */
export interface Scene {
  readonly vms: readonly Vm[];
  readonly vmis: readonly Vmi[];
  readonly pods: readonly Pod[];
  readonly migrations: readonly Vmim[];
  readonly operations: readonly Operation[];
  readonly snapshots: readonly KubeObject[];
  readonly claims: readonly KubeObject[];
  readonly volumes: readonly (KubeObject & { readonly spec: { readonly claimRef?: { readonly uid?: string } } })[];
  readonly nodes: readonly Node[];
  readonly roles: readonly ClusterRole[];
}

export async function sceneOf(client: Client): Promise<Scene> {
  const items = async <T>(list: Promise<{ readonly items: readonly T[] }>) => (await list).items;
  return {
    // The order matters: the reason of a pod exists before it, and is read after it.
    pods: await items(client.list(PODS)),
    migrations: await items(client.list(VMIMS)),
    vmis: await items(client.list(VMIS)),
    vms: await items(client.list(VMS)),
    operations: await items(client.list(OPERATIONS)),
    snapshots: await items(client.list(VM_SNAPSHOTS)),
    claims: await items(client.list(PERSISTENT_VOLUME_CLAIMS)),
    volumes: await items(client.list(PERSISTENT_VOLUMES)),
    nodes: await items(client.list(NODES)),
    roles: await items(client.list(CLUSTER_ROLES)),
  };
}

const isOver = (phase: string | undefined) => phase === 'Succeeded' || phase === 'Failed' || phase === 'Cancelled';
const livePods = ({ metadata }: Vmi, pods: readonly Pod[]) =>
  pods.filter((pod) => pod.metadata.labels?.[CREATED_BY_LABEL] === metadata.uid && !isOver(pod.status?.phase));

/** Checks what must never happen: a VM in two pods, or a launcher that neither runs a VM nor belongs to a migration. */
export function doubled({ vmis, pods, migrations }: Scene): string[] {
  const wrong: string[] = [];
  for (const vmi of vmis) {
    const { name } = vmi.metadata;
    const active = vmi.status?.activePods ?? {};
    if (Object.keys(active).length > 1) wrong.push(`${name} runs in ${Object.keys(active).length} pods`);
    const isExplained = ({ metadata }: Pod) =>
      active[metadata.uid ?? ''] !== undefined ||
      metadata.deletionTimestamp !== undefined ||
      migrations.some(
        (each) =>
          each.metadata.uid === metadata.labels?.[MIGRATION_LABEL] ||
          each.status?.migrationState?.sourcePod === metadata.name,
      );
    const unexplained = livePods(vmi, pods).filter((pod) => !isExplained(pod));
    // A VM that is not running yet has a launcher that it does not name yet.
    const begins = Object.keys(active).length === 0 ? 1 : 0;
    if (unexplained.length > begins)
      wrong.push(`${name} has launchers for nothing: ${unexplained.map(({ metadata }) => metadata.name).join(', ')}`);
  }
  return wrong;
}

/** Checks what must not exist after everything has settled. */
export function unsettled(scene: Scene): string[] {
  const { vms, vmis, pods, migrations, operations, snapshots, claims, nodes } = scene;
  const wrong: string[] = [];
  for (const { metadata, status } of migrations) {
    if (!isOver(status?.phase)) wrong.push(`migration ${metadata.name} is ${status?.phase ?? 'Pending'}`);
  }
  for (const { metadata, spec, status } of operations) {
    if (!isOver(status?.phase)) wrong.push(`${metadata.name} (${spec.operation}) is ${status?.phase ?? 'Pending'}`);
    if ((metadata.finalizers ?? []).length > 0) wrong.push(`${metadata.name} (${spec.operation}) is held`);
  }
  for (const name of MACHINES) {
    const vmi = vmis.find(({ metadata }) => metadata.name === name);
    const ready = conditionOf(vmi?.status?.conditions, 'Ready')?.status;
    if (vmi?.status?.phase !== 'Running' || ready !== 'True') wrong.push(`${name} is ${vmi?.status?.phase}, ${ready}`);
    const live = vmi === undefined ? [] : livePods(vmi, pods);
    if (live.length !== 1) wrong.push(`${name} has ${live.length} launchers`);
    if (live[0]?.spec.nodeName !== vmi?.status?.nodeName) wrong.push(`${name} is not where its launcher is`);
  }
  for (const each of [...vms, ...vmis, ...pods, ...migrations, ...operations, ...snapshots, ...claims]) {
    if (each.metadata.deletionTimestamp !== undefined) wrong.push(`${each.kind} ${each.metadata.name} does not go`);
  }
  for (const { metadata, spec } of nodes) {
    for (const { key } of spec?.taints ?? []) wrong.push(`${metadata.name} has taint ${key}`);
  }
  return [...wrong, ...leftOvers(scene), ...unaggregated(scene)];
}

/** Returns pods, claims and volumes whose VM was deleted. */
function leftOvers({ vms, vmis, pods, claims, volumes }: Scene): string[] {
  const uids = new Set([...vms, ...vmis].map(({ metadata }) => metadata.uid));
  const isOrphan = ({ metadata }: KubeObject) =>
    !(metadata.ownerReferences ?? []).some(({ uid }) => uids.has(uid)) &&
    metadata.name?.startsWith('disk-vm-') !== true;
  const bound = new Set(claims.map(({ metadata }) => metadata.uid));
  const all = [...pods.filter(isOrphan), ...vmis.filter(isOrphan), ...claims.filter(isOrphan)];
  return [
    ...all.map(({ kind, metadata }) => `${kind} ${metadata.name} is left over`),
    ...volumes
      .filter(({ spec }) => !bound.has(spec.claimRef?.uid))
      .map(({ metadata }) => `${metadata.name} is left over`),
  ];
}

/** Checks that the role view aggregates exactly the labeled roles. */
function unaggregated({ roles }: Scene): string[] {
  const view = roles.find(({ metadata }) => metadata.name === 'view');
  const wanted = roles
    .filter(({ metadata }) => metadata.labels?.[AGGREGATED] === 'true')
    .flatMap(({ rules = [] }) => rules);
  const texts = (rules: readonly object[]) => new Set(rules.map((rule) => JSON.stringify(rule)));
  const [has, shall] = [texts(view?.rules ?? []), texts(wanted)];
  const wrong = [...shall].filter((rule) => !has.has(rule)).length + [...has].filter((rule) => !shall.has(rule)).length;
  return wrong === 0 ? [] : [`the role view differs by ${wrong} rules from what it is made of`];
}
