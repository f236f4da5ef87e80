import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes } from '../../admission-plugin.ts';
import type { ObjectSource } from '../../object-source.ts';
import type { Resource } from '../../resource.ts';
import { Authorizer } from '../cel/authorizer.ts';
import type { Inputs } from '../cel/expression.ts';
import { requestJson } from '../cel/request.ts';
import { namespaceObject, namespaceOf } from '../matching.ts';
import { inVersion } from '../versions.ts';
import { reviewRequest } from '../webhooks/review.ts';

/** Builds the inputs of policy expressions for a write, in the version of its resource that the policy matches. */
export async function inputsOf(
  write: AdmissionAttributes,
  shownAs: Resource,
  object: KubeObject | undefined,
  source: ObjectSource,
): Promise<Inputs> {
  const { resource, subresource, name, old, call } = write;
  const shown = object && (await inVersion(write, object, shownAs));
  const oldObject = old && (await inVersion(write, old, shownAs));
  const namespace = namespaceOf(write);
  const requested = { group: resource.group, resource: resource.plural, subresource, namespace, name };
  return {
    object: shown,
    oldObject,
    request: requestJson(reviewRequest(write, shownAs, '', shown, oldObject)),
    authorizer: new Authorizer(call.user, requested),
    namespaceObject: resource.namespaced ? (namespaceObject(source, namespace) ?? null) : null,
  };
}
