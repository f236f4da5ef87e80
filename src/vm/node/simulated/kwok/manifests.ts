import { stringify } from 'yaml';
import { parseCidr } from '#platform/base/cidr';
import type { Node } from '#platform/kube/kinds/node';
import { type NodeShape, nodeObject } from '../node-object.ts';
import { type NodePool, shapesOf } from '../node-pool.ts';
import { STAGES } from './stages.ts';

/** Renders the nodes of some pools and KWOK's stages for them as YAML, for `kubectl apply` to a real cluster. */
export function kwokManifests(pools: readonly NodePool[]): string {
  return [...kwokNodes(pools), ...STAGES].map((object) => stringify(object, { lineWidth: 0 })).join('---\n');
}

/** Returns the nodes of some pools as KWOK simulates them. */
export function kwokNodes(pools: readonly NodePool[], nodeRange = '10.246.0.0/16'): Node[] {
  return shapesOf(pools, parseCidr(nodeRange)).map(kwokNode);
}

/** Omits what a node agent reports: KWOK manages the node, so the label of a Vimana node agent would be wrong. */
function kwokNode(shape: NodeShape): Node {
  const { apiVersion, kind, metadata, spec, status } = nodeObject(shape, 0);
  const { 'vimana.io/runtime': _, ...labels } = metadata.labels ?? {};
  const { addresses, capacity = {}, allocatable = {} } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, labels },
    ...(spec === undefined || shape.taints.length === 0 ? {} : { spec }),
    status: { addresses, capacity, allocatable },
  };
}
