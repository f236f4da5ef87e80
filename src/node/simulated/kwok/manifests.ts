import { stringify } from 'yaml';
import { parseCidr } from '../../../base/cidr.ts';
import { type NodeShape, nodeObject } from '../node-object.ts';
import { type NodePool, shapesOf } from '../node-pool.ts';
import { STAGES } from './stages.ts';

/** The nodes of some pools and what KWOK is to do with them, as YAML for `kubectl apply` to a real cluster. */
export function kwokManifests(pools: readonly NodePool[], nodeRange = '10.246.0.0/16'): string {
  const nodes = shapesOf(pools, parseCidr(nodeRange)).map(kwokNode);
  return [...nodes, ...STAGES].map((object) => stringify(object, { lineWidth: 0 })).join('---\n');
}

/** Without what the node itself tells: there KWOK speaks for it, and no agent of ours, which the label would promise. */
function kwokNode(shape: NodeShape): object {
  const { apiVersion, kind, metadata, spec, status } = nodeObject(shape, 0);
  const { 'vimana.io/runtime': _, ...labels } = metadata?.labels ?? {};
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, labels },
    ...(shape.taints.length === 0 ? {} : { spec }),
    status: { addresses: status?.['addresses'], capacity: status?.capacity, allocatable: status?.allocatable },
  };
}
