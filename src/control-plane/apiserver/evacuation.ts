import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import type { Evacuate } from './admission/launcher-eviction.ts';
import { noSuchResource } from './api-error.ts';
import type { Backend } from './backend.ts';
import type { RequestContext } from './request-context.ts';
import { MERGE_PATCH, patchObject } from './verbs/patch.ts';

/** Writes on instances that they have to leave their node, as the operator would. */
export function evacuation(backend: () => Backend, call: () => RequestContext): Evacuate {
  const { group, versions, plural } = virtualMachineInstance;
  return async (namespace, name, evacuationNodeName) => {
    const resource = backend().registry.find(group, versions[0], plural);
    if (resource === undefined) throw noSuchResource();
    const target = { resource, namespace, name, subresource: 'status' };
    await patchObject(backend(), target, MERGE_PATCH, { status: { evacuationNodeName } }, call());
  };
}
