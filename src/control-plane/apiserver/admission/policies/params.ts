import type { KubeObject } from '#platform/kube/kube-object';
import { labelSelectorOf } from '#platform/kube/selectors/label-selector';
import type { AdmissionAttributes } from '../../admission-plugin.ts';
import type { ObjectSource } from '../../object-source.ts';
import { keyOf, type Resource } from '../../resource.ts';
import type { ParamRef, PolicySpec } from './policy.ts';

/** Reason why a policy or one of its bindings cannot be evaluated at all. */
export class PolicyConfigurationError extends Error {}

/** Returns the resource of a policy's parameters, undefined if it has none. */
export function paramResource({ paramKind }: PolicySpec, { registry }: ObjectSource): Resource | undefined {
  if (paramKind === undefined) return undefined;
  const { apiVersion, kind } = paramKind;
  const resource = registry.ofKind(apiVersion, kind);
  if (resource !== undefined) return resource;
  const shown = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  throw new PolicyConfigurationError(
    `failed to configure policy: failed to find resource referenced by paramKind: '${shown}, Kind=${kind}'`,
  );
}

/** Returns the parameters that a binding refers to, or a single undefined if the policy is evaluated without any. */
export function paramsOf(
  resource: Resource | undefined,
  ref: ParamRef | undefined,
  write: AdmissionAttributes,
  source: ObjectSource,
): readonly (KubeObject | undefined)[] {
  if (resource === undefined) return [undefined];
  if (ref === undefined) return [undefined];
  const found = find(resource, ref, namespaceFor(resource, ref, write), source);
  if (found.length > 0 || ref.parameterNotFoundAction === 'Allow') return found;
  throw new PolicyConfigurationError(
    'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
  );
}

function namespaceFor(resource: Resource, { namespace = '' }: ParamRef, write: AdmissionAttributes): string {
  if (!resource.namespaced) {
    if (namespace === '') return '';
    throw new PolicyConfigurationError(
      'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    );
  }
  const chosen = namespace || write.namespace;
  if (chosen !== '') return chosen;
  throw new PolicyConfigurationError(
    'failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
}

function find(resource: Resource, { name, selector }: ParamRef, namespace: string, source: ObjectSource): KubeObject[] {
  const { store, parsed } = source;
  if (name !== undefined && name !== '') {
    const entry = store.get(keyOf(resource, namespace, name));
    return entry === undefined ? [] : [parsed.get(entry)];
  }
  const chosen = labelSelectorOf(selector ?? {});
  return store
    .range({ prefix: keyOf(resource, namespace, '') })
    .entries.map((entry) => parsed.get(entry))
    .filter(({ metadata }) => chosen.matches(metadata.labels));
}
