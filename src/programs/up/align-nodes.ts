import { PLAYED_UID_LABEL } from '#fleet/simulation/runner/played-label';
import { parseCidr } from '#platform/base/cidr';
import { jsonEqual } from '#platform/base/json-equal';
import type { Client } from '#platform/kube/client';
import { NODES, type Node } from '#platform/kube/kinds/node';
import { ignoreNotFound } from '#platform/kube/kube-error';
import { type NodeShape, nodeLabels } from '#vm/node/simulated/node-object';
import { type NodePool, shapesOf } from '#vm/node/simulated/node-pool';

/** Changes to the nodes of an earlier start that are necessary before the requested nodes can run. */
export interface NodeChanges {
  /** Nodes that are not requested any more. */
  readonly deleted: readonly string[];
  /** Nodes whose labels, annotations, taints or resources are requested differently. */
  readonly patches: readonly { readonly name: string; readonly spec: object; readonly status: object }[];
}

/** Plans the changes. Whatever others have changed in a node stays as it is. */
export function planNodeChanges(
  present: readonly Node[],
  before: readonly NodePool[],
  desired: readonly NodePool[],
): NodeChanges {
  const [earlier, now] = [byName(before), byName(desired)];
  const names = present.map(({ metadata }) => metadata.name ?? '');
  return {
    deleted: names.filter((name) => !now.has(name)),
    patches: names.flatMap((name) => {
      const [was, is] = [earlier.get(name), now.get(name)];
      if (was === undefined || is === undefined) return [];
      const patch = { name, spec: specPatch(was, is), status: statusPatch(was, is) };
      return jsonEqual(patch, { name, spec: {}, status: {} }) ? [] : [patch];
    }),
  };
}

/** Carries out the changes, and returns them. */
export async function alignNodes(
  client: Client,
  before: readonly NodePool[],
  desired: readonly NodePool[],
): Promise<NodeChanges> {
  const labelSelector = `vimana.io/runtime=simulated,!${PLAYED_UID_LABEL}`;
  const { items } = await client.list(NODES, { labelSelector });
  const changes = planNodeChanges(items, before, desired);
  for (const name of changes.deleted) await ignoreNotFound(client.delete(NODES, name));
  for (const { name, spec, status } of changes.patches) {
    await client.patch(NODES, name, { type: 'merge', body: spec });
    await client.patch(NODES, name, { type: 'merge', body: status }, { subresource: 'status' });
  }
  return changes;
}

/** Describes the changes for the user. */
export function formatNodeChanges({ deleted, patches }: NodeChanges): string[] {
  const named = (names: readonly string[]) => `${names.slice(0, 3).join(', ')}${names.length > 3 ? ', ...' : ''}`;
  const count = (names: readonly string[]) => `${names.length} node${names.length === 1 ? '' : 's'}`;
  const changed = patches.map(({ name }) => name);
  return [
    ...(deleted.length === 0
      ? []
      : [
          `deleted ${count(deleted)} of the previous start (${named(deleted)}); their VMs restart elsewhere when --node-lost-after has passed`,
        ]),
    ...(changed.length === 0 ? [] : [`changed ${count(changed)} of the previous start (${named(changed)})`]),
  ];
}

const byName = (pools: readonly NodePool[]) =>
  new Map(shapesOf(pools, parseCidr('10.246.0.0/16')).map((shape) => [shape.name, shape]));

function specPatch(was: NodeShape, is: NodeShape): object {
  const labels = differences(nodeLabels(was), nodeLabels(is));
  const annotations = differences(was.annotations, is.annotations);
  const metadata = { ...(labels && { labels }), ...(annotations && { annotations }) };
  return {
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(jsonEqual(was.taints, is.taints) ? {} : { spec: { taints: is.taints } }),
  };
}

/** Returns what removes resources that the node no longer has. The node itself reports the others. */
function statusPatch(was: NodeShape, is: NodeShape): object {
  const gone = Object.keys(was.resources).filter((name) => is.resources[name] === undefined);
  if (gone.length === 0) return {};
  const resources = Object.fromEntries(gone.map((name) => [name, null]));
  return { status: { capacity: resources, allocatable: resources } };
}

type Texts = Readonly<Record<string, string>>;

/** Returns the merge patch from one map to another, or undefined if they are equal. */
function differences(was: Texts, is: Texts): Record<string, string | null> | undefined {
  const removed = Object.keys(was).filter((name) => is[name] === undefined);
  const set = Object.entries(is).filter(([name, value]) => was[name] !== value);
  if (removed.length === 0 && set.length === 0) return undefined;
  return { ...Object.fromEntries(removed.map((name) => [name, null])), ...Object.fromEntries(set) };
}
