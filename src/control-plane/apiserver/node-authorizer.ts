import { type Attributes, type Authorize, type Decision, isPath } from './access/attributes.ts';
import { NODES, splitNode } from './access/user.ts';
import type { Pod } from './kinds/pod/pod-spec.ts';
import { podRefersTo } from './pod-references.ts';

/** Resources that a node reads for its pods, and that no role lets it read. */
const KINDS = { secrets: 'Secret', configmaps: 'ConfigMap', persistentvolumeclaims: 'PersistentVolumeClaim' } as const;
const READING = new Set(['get', 'list', 'watch']);

/**
 * Adds what the Node authorizer of Kubernetes grants to the decisions of roles: a node, the user system:node:X in the
 * group system:nodes, may read a Secret, ConfigMap or PersistentVolumeClaim by name if a pod that is bound to it refers to that object.
 */
export function withNodeAuthorizer(byRoles: Authorize, podsIn: (namespace: string) => Iterable<Pod>): Authorize {
  return (attributes) => {
    const problem = attributes.user.groups.includes(NODES) ? nodeProblem(attributes, podsIn) : NOT_OF_A_NODE;
    if (problem === undefined) return ALLOWED;
    const decision = byRoles(attributes);
    if (decision.allowed || problem === NOT_OF_A_NODE) return decision;
    return { allowed: false, reason: decision.reason === '' ? problem : `${problem}\n${decision.reason}` };
  };
}

const ALLOWED: Decision = { allowed: true, reason: '' };
const NOT_OF_A_NODE = '';

/** Returns why a node may not read an object, undefined if it may, and '' if the request is none of these. */
function nodeProblem(attributes: Attributes, podsIn: (namespace: string) => Iterable<Pod>): string | undefined {
  const node = splitNode(attributes.user.name);
  if (node === undefined || isPath(attributes)) return NOT_OF_A_NODE;
  const { verb, group, resource, subresource = '', namespace = '', name = '' } = attributes;
  if (group !== '' || !isReadForPods(resource)) return NOT_OF_A_NODE;
  if (!READING.has(verb)) return 'can only read resources of this type';
  if (subresource !== '') return 'cannot read subresource';
  if (namespace === '') return 'can only read namespaced object of this type';
  if (name === '') return 'No Object name found';
  for (const pod of podsIn(namespace)) {
    if (pod.spec.nodeName === node && podRefersTo(pod, KINDS[resource], name)) return undefined;
  }
  return `no relationship found between node '${node}' and this object`;
}

function isReadForPods(resource: string): resource is keyof typeof KINDS {
  return Object.hasOwn(KINDS, resource);
}
