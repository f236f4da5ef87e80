import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionOperation, ObjectKind } from '../admission-plugin.ts';
import type { Status } from '../api-error.ts';
import { admit, type Backend, mutate } from '../backend.ts';
import type { RequestContext } from '../request-context.ts';
import type { Subresource } from '../resource.ts';
import type { Target } from '../verbs/target.ts';

/**
 * Performs a POST to a subresource, and returns the object that the API defines for it. It runs admission on its body
 * once it knows that it can perform the action, and before it does.
 */
export type SubresourceAction = (
  backend: Backend,
  target: Target,
  body: KubeObject,
  call: RequestContext,
  admit: (body: KubeObject) => Promise<void>,
) => Promise<KubeObject | Status>;

/** Response to an action that has no other result. */
export const DONE: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/** Lets admission mutate the body of a POST to a subresource, and performs the action. */
export async function performAction(
  backend: Backend,
  act: SubresourceAction,
  target: Target,
  kind: ObjectKind,
  body: KubeObject,
  call: RequestContext,
): Promise<KubeObject | Status> {
  if (target.resource.namespaced) body.metadata.namespace ??= target.namespace;
  const write = { ...writeOf('CREATE', target, kind, call), object: body };
  const admitted = (await mutate(backend, write)) ?? body;
  return await act(backend, target, admitted, call, (object) => admit(backend, { ...write, object }));
}

/** Runs admission for a connection to a subresource; its options are the object. */
export async function admitConnection(
  backend: Backend,
  target: Target,
  kind: ObjectKind,
  options: object,
  call: RequestContext,
): Promise<void> {
  const write = { ...writeOf('CONNECT', target, kind, call), object: options as KubeObject };
  await admit(backend, { ...write, object: (await mutate(backend, write)) ?? write.object });
}

/** Runs admission for an object that is evaluated at once and never stored. */
export async function admitCreation(
  backend: Backend,
  target: Target,
  object: KubeObject,
  call: RequestContext,
): Promise<KubeObject> {
  const write = { ...writeOf('CREATE', target, undefined, call), object };
  const admitted = (await mutate(backend, write)) ?? object;
  await admit(backend, { ...write, object: admitted });
  return admitted;
}

function writeOf(operation: AdmissionOperation, target: Target, kind: ObjectKind | undefined, call: RequestContext) {
  const { resource, namespace, name, subresource } = target;
  const write = { operation, resource, subresource, namespace, name, old: undefined, options: {}, call };
  return kind === undefined ? write : { ...write, kind };
}

/** Returns the kind that a subresource accepts; those of the core group omit their version. */
export function kindOf({ group, version, kind }: Subresource): ObjectKind {
  return { group, version: version === '' ? 'v1' : version, kind };
}
