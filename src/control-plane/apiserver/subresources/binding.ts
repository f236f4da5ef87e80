import { type FieldError, formatFieldError, notSupported, required } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import { ApiError, badRequest, conflict } from '../api-error.ts';
import { timestamp } from '../backend.ts';
import { guaranteedUpdate } from '../verbs/guaranteed-update.ts';
import { DONE, type SubresourceAction } from './subresource-action.ts';

interface Status {
  readonly conditions?: readonly Condition[];
  readonly nominatedNodeName?: string;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

/** Handles pods/binding: the scheduler assigns a pod to a node, once. */
export const bind: SubresourceAction = async (backend, target, body, call, admit) => {
  const { name = '' } = body.metadata;
  if (name !== target.name) throw badRequest('name in URL does not match name in Binding object');
  const node = (body['target'] ?? {}) as { readonly kind?: string; readonly name?: string };
  const causes = validateBinding(node);
  if (causes.length > 0) {
    const texts = causes.map(formatFieldError).join(', ');
    throw new ApiError(500, '', causes.length === 1 ? texts : `[${texts}]`);
  }
  await admit(body);
  const onPod = { ...target, subresource: 'binding' };
  const change = (pod: KubeObject) => withNode(pod, node.name ?? '', body, timestamp(backend.clock));
  await guaranteedUpdate(backend, onPod, change, call, { recorded: true, admitted: true, validated: true });
  return DONE;
};

/** Handles bindings: does the same by an object of its own, which is never stored. */
export const bindNamed: SubresourceAction = async (backend, target, body, call, admit) => {
  const resource = backend.registry.find('', 'v1', 'pods');
  const { name = '' } = body.metadata;
  if (name === '' || resource === undefined) throw badRequest('Name parameter required.');
  return await bind(backend, { ...target, resource, name }, body, call, admit);
};

function validateBinding({ kind = '', name = '' }: { readonly kind?: string; readonly name?: string }): FieldError[] {
  return [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [required('target.name')] : []),
  ];
}

function withNode(pod: KubeObject, node: string, { metadata }: KubeObject, now: string): KubeObject {
  const spec = (pod['spec'] ?? {}) as { readonly nodeName?: string; readonly schedulingGates?: readonly unknown[] };
  const refuse = (why: string) => conflict({ group: '', plural: 'pods/binding' }, pod.metadata.name ?? '', why);
  if (pod.metadata.deletionTimestamp !== undefined)
    throw refuse(`pod ${pod.metadata.name} is being deleted, cannot be assigned to a host`);
  if ((spec.nodeName ?? '') !== '')
    throw refuse(`pod ${pod.metadata.name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  if ((spec.schedulingGates ?? []).length > 0)
    throw refuse(`pod ${pod.metadata.name} has non-empty .spec.schedulingGates`);
  // A pod on a node no longer waits for another.
  const { nominatedNodeName: _waitedFor, ...status } = (pod['status'] ?? {}) as Status;
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now };
  const annotations = { ...pod.metadata.annotations, ...metadata.annotations };
  return {
    ...pod,
    metadata: { ...pod.metadata, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
    spec: { ...spec, nodeName: node },
    status: { ...status, conditions: [...others, scheduled] },
  };
}
