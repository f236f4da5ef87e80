import { timestamp } from '#platform/base/timestamp';
import type { KubeObject } from '#platform/kube/kube-object';
import type { ServiceAccountTokens } from '../access/service-account-tokens.ts';
import { type TokenRequestSpec, tokenLifetime, tokenSubject, validateTokenRequest } from '../access/token-request.ts';
import { ApiError, invalid, notFound } from '../api-error.ts';
import { type Backend, storeOf } from '../backend.ts';
import { keyOf } from '../resource.ts';
import type { SubresourceAction } from './subresource-action.ts';

const CODES = { BadRequest: 400, NotFound: 404, Conflict: 409 } as const;

/** Handles serviceaccounts/token: issues a token for a ServiceAccount, bound to a pod, secret or node if requested. */
export function issueToken(tokens: ServiceAccountTokens): SubresourceAction {
  return async (backend, { resource, namespace, name }, body, _call, admit) => {
    const entry = storeOf(backend, resource).get(keyOf(resource, namespace, name));
    if (entry === undefined) throw notFound(resource, name);
    const spec = (body['spec'] ?? {}) as TokenRequestSpec;
    const causes = validateTokenRequest(spec);
    if (causes.length > 0) throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', causes);
    const { uid = '' } = backend.parsed.get(entry).metadata;
    const subject = tokenSubject({ namespace, name, uid }, spec, lookupIn(backend, namespace));
    if ('reason' in subject)
      throw new ApiError(CODES[subject.reason], subject.reason, subject.message, subject.details);
    await admit(body);
    const lifetime = tokenLifetime(spec, subject, tokens.issuer);
    const audiences = spec.audiences?.length ? spec.audiences : [tokens.issuer];
    const { token } = tokens.issue(subject, { audiences, ...lifetime });
    const expires = backend.clock.now() + (spec.expirationSeconds ?? lifetime.expirationSeconds) * 1000;
    return {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, uid, creationTimestamp: timestamp(backend.clock.now()) },
      spec: {
        audiences,
        expirationSeconds: spec.expirationSeconds ?? lifetime.expirationSeconds,
        boundObjectRef: spec.boundObjectRef ?? null,
      },
      status: { token, expirationTimestamp: timestamp(expires) },
    };
  };
}

function lookupIn(backend: Backend, namespace: string) {
  const find = (plural: string, place: string, name: string): KubeObject | undefined => {
    const resource = backend.registry.find('', 'v1', plural);
    const entry = resource === undefined ? undefined : storeOf(backend, resource).get(keyOf(resource, place, name));
    return entry === undefined ? undefined : backend.parsed.get(entry);
  };
  const named = (object: KubeObject | undefined) =>
    object === undefined ? undefined : { name: object.metadata.name ?? '', uid: object.metadata.uid ?? '' };
  return {
    pod: (name: string) => {
      const pod = find('pods', namespace, name);
      const known = named(pod);
      if (pod === undefined || known === undefined) return undefined;
      const { serviceAccountName = '', nodeName } = pod['spec'] as { serviceAccountName?: string; nodeName?: string };
      return { ...known, serviceAccountName, ...(nodeName === undefined ? {} : { nodeName }) };
    },
    secret: (name: string) => named(find('secrets', namespace, name)),
    node: (name: string) => named(find('nodes', '', name)),
  };
}
