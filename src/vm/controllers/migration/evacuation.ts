import { VMIMS, VMIS, type Vmi, type Vmim } from '#api/kubevirt/resources';
import { seededRandom } from '#platform/base/random';
import { NODES, type Node } from '#platform/kube/kinds/node';
import { PODS } from '#platform/kube/kinds/pod';
import { isAlreadyExists, isNamespaceTerminating } from '#platform/kube/kube-error';
import { byController, controllerKey, type Index } from '#platform/runtime/cache';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { Expectations } from '#platform/runtime/expectations';
import { keyOf } from '#platform/runtime/key';
import { isMigrationInFlight } from '#vm/engine/in-flight-migration';
import { activePod, instanceKey, instancesByNode, migrationsByInstance } from './indices.ts';
import { byAge } from './migration-queue.ts';
import { type DrainedNode, type EvacuationReason, needsWorkloadUpdate, planEvacuation } from './plan-evacuation.ts';
import {
  EVACUATION_LABEL,
  MIGRATION_FINALIZER,
  MIGRATION_SETTINGS,
  type MigrationLimits,
  WORKLOAD_UPDATE_LABEL,
} from './settings.ts';
import { isMigrationFinished, migrationOwnerReference } from './status.ts';

const DRAIN_TAINT = 'kubevirt.io/drain';
const MAX_LABEL_LENGTH = 63;
/** Requeue delay if the cache does not show an existing migration yet. */
const LAG_MS = 1000;

/** Indexes instances by the node that an eviction or a change of size makes them leave. */
const byLeaving: Index<Vmi> = {
  values: (vmi) => {
    const { evacuationNodeName = '', nodeName = '' } = vmi.status ?? {};
    const nodes = [evacuationNodeName, ...(needsWorkloadUpdate(vmi) ? [nodeName] : [])];
    return nodes.filter((node, at) => node !== '' && nodes.indexOf(node) === at);
  },
};

const isDraining = (node: Node | undefined) => (node?.spec?.taints ?? []).some(({ key }) => key === DRAIN_TAINT);

/** Migrates instances off drained nodes, and to launchers of their requested size, a few at a time. */
export function evacuations({ outboundPerNode }: Partial<MigrationLimits> = {}): Controller<Node> {
  const limit = outboundPerNode ?? MIGRATION_SETTINGS.outboundPerNode;
  const expectations = new Expectations();
  return {
    name: 'evacuation.kubevirt.io',
    for: NODES,
    reads: [PODS],
    watches: [
      watchSource(VMIS, concernedNodes),
      watchSource(VMIMS, (vmim, context) => {
        const vmi = context.cache(VMIS).get(instanceKey(vmim));
        return vmi !== undefined && isMigrationFinished(vmim) ? concernedNodes(vmi, context) : [];
      }),
    ],
    async reconcile(node, context) {
      const { cache } = context;
      const { name = '' } = node.metadata;
      if (!isDraining(node) && isEmpty(cache(VMIS).by(byLeaving, name))) return undefined;
      // A new migration triggers no reconcile here.
      if (!expectations.met(name, cache(VMIMS))) return { requeueAfterMs: 50 };
      const { migrate, requeueAfterMs } = planEvacuation(observeNode(node, context), limit);
      let soon = false;
      for (const { vmi, reason } of migrate) {
        const made = await createMigration(vmi, name, reason, context);
        if (made === undefined) soon = true;
        else expectations.wrote(name, made);
      }
      if (soon) return { requeueAfterMs: Math.min(requeueAfterMs ?? LAG_MS, LAG_MS) };
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
    },
    forget: (key) => expectations.forget(key),
  };
}

/** Returns the node that an instance must leave, if any. */
function concernedNodes(vmi: Vmi, { cache }: Pick<Context, 'cache'>): string[] {
  const { nodeName = '', evacuationNodeName } = vmi.status ?? {};
  if (nodeName === '') return [];
  const leaves = evacuationNodeName === nodeName || needsWorkloadUpdate(vmi) || isDraining(cache(NODES).get(nodeName));
  return leaves ? [nodeName] : [];
}

function observeNode(node: Node, { cache, clock }: Context): DrainedNode {
  const { name = '' } = node.metadata;
  return {
    node: name,
    draining: isDraining(node),
    instances: [...cache(VMIS).by(instancesByNode, name)],
    migrationsOf: (vmi) => [...cache(VMIMS).by(migrationsByInstance, keyOf(vmi))],
    activePodOf: (vmi) => activePod(vmi, cache(PODS).by(byController, controllerKey(vmi))),
    now: clock.now(),
  };
}

/** Creates a migration. Returns undefined if it exists already, or can no longer exist. */
async function createMigration(
  vmi: Vmi,
  node: string,
  reason: EvacuationReason,
  { cache, client, events }: Context,
): Promise<Vmim | undefined> {
  const earlier = [...cache(VMIMS).by(migrationsByInstance, keyOf(vmi))];
  try {
    const made = await client.create(VMIMS, evacuationOf(vmi, node, reason, earlier));
    const why = reason === EVACUATION_LABEL ? `leave node ${node}` : 'apply the new size';
    events.event(vmi, 'Normal', 'SuccessfulCreate', `Created Migration ${made.metadata.name} to ${why}`);
    return made;
  } catch (error) {
    // An earlier attempt created the migration without receiving the response.
    if (isAlreadyExists(error)) return undefined;
    // Somebody else has just created one.
    if (isMigrationInFlight(error)) return undefined;
    // The instance is deleted with its namespace, and must not block the evacuation of others.
    if (isNamespaceTerminating(error)) return undefined;
    throw error;
  }
}

const isEmpty = (items: Iterable<unknown>) => items[Symbol.iterator]().next().done === true;

const STEMS: Readonly<Record<EvacuationReason, string>> = {
  [EVACUATION_LABEL]: 'kubevirt-evacuation',
  [WORKLOAD_UPDATE_LABEL]: 'kubevirt-workload-update',
};

/**
 * Builds a migration named after the instance and its last migration, so that the same evacuation cannot be created
 * twice.
 */
function evacuationOf(vmi: Vmi, node: string, reason: EvacuationReason, earlier: readonly Vmim[]) {
  const { name, namespace, uid } = vmi.metadata;
  const last = earlier
    .map((vmim) => ({ vmim }))
    .sort(byAge)
    .at(-1);
  return {
    metadata: {
      name: `${STEMS[reason]}-${seededRandom(`${uid} ${last?.vmim.metadata.uid ?? ''}`).suffix()}`,
      namespace,
      labels: { [reason]: node.length <= MAX_LABEL_LENGTH ? node : '' },
      annotations: { [reason]: node },
      finalizers: [MIGRATION_FINALIZER],
      ownerReferences: [migrationOwnerReference(vmi)],
    },
    spec: { vmiName: name },
  };
}
