import { type FieldError, invalid as invalidField } from '#platform/base/field-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Attributes, Authorize } from './access/attributes.ts';
import type { Authenticator } from './access/authenticate.ts';
import type { Rbac } from './access/rbac.ts';
import { rulesReview } from './access/rules-review.ts';
import type { User } from './access/user.ts';
import { badRequest, invalid } from './api-error.ts';

/** Handles a kind that is evaluated and never stored. The returned object holds the result in its status. */
export type Review = (object: KubeObject, user: User, namespace: string) => KubeObject | Promise<KubeObject>;

type TokenReviewer = Pick<Authenticator, 'review'>;

interface AccessSpec {
  readonly resourceAttributes?: {
    readonly namespace?: string;
    readonly verb?: string;
    readonly group?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
  };
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Decides on requests, and lists the rules that roles give to a user. */
export interface ReviewedAccess {
  readonly authorize: Authorize;
  readonly rulesFor: Rbac['rulesFor'];
}

/** Returns the reviews by `group/plural`. */
export function reviews(
  given: ReviewedAccess,
  authenticator: TokenReviewer,
  now: () => string,
): ReadonlyMap<string, Review> {
  return new Map<string, Review>([
    ['authorization.k8s.io/selfsubjectaccessreviews', (object, user) => access(given, object, user)],
    ['authorization.k8s.io/subjectaccessreviews', (object) => access(given, object, undefined)],
    [
      'authorization.k8s.io/localsubjectaccessreviews',
      (object, _user, namespace) => access(given, object, undefined, namespace),
    ],
    ['authorization.k8s.io/selfsubjectrulesreviews', (object, user) => rules(given, object, user)],
    ['authentication.k8s.io/selfsubjectreviews', (object, user) => self(object, user, now())],
    ['authentication.k8s.io/tokenreviews', (object) => token(authenticator, object)],
  ]);
}

function access(
  { authorize }: ReviewedAccess,
  object: KubeObject,
  self: User | undefined,
  namespace?: string,
): KubeObject {
  const spec = (object['spec'] ?? {}) as AccessSpec;
  const causes = [
    ...validateAccess(spec),
    ...(self === undefined ? validateSubject(spec) : []),
    ...(namespace === undefined ? [] : validateLocal(spec, namespace)),
  ];
  if (causes.length > 0) throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', causes);
  const { user: name = '', groups = [], uid, extra } = spec;
  const user = self ?? {
    name,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
  const { allowed, reason } = authorize(attributesOf(spec, user));
  return { ...object, status: { allowed, ...(reason === '' ? {} : { reason }) } };
}

function validateAccess({ resourceAttributes, nonResourceAttributes }: AccessSpec): FieldError[] {
  const both = resourceAttributes !== undefined && nonResourceAttributes !== undefined;
  if (both) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    return [invalidField('spec.nonResourceAttributes', inGo(nonResourceAttributes), detail)];
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    return [invalidField('spec.resourceAttributes', null, detail)];
  }
  return [];
}

/** Validates that a review within a namespace concerns only that namespace. */
function validateLocal({ resourceAttributes, nonResourceAttributes }: AccessSpec, namespace: string): FieldError[] {
  const causes: FieldError[] = [];
  const requested = resourceAttributes?.namespace ?? '';
  if (resourceAttributes !== undefined && requested !== namespace) {
    causes.push(invalidField('spec.resourceAttributes.namespace', requested, 'must match metadata.namespace'));
  }
  if (nonResourceAttributes !== undefined) {
    const detail = 'disallowed on this kind of request';
    causes.push(invalidField('spec.nonResourceAttributes', inGo(nonResourceAttributes), detail));
  }
  return causes;
}

/** Formats the attributes as Go prints them in an error message. */
const inGo = ({ path = '', verb = '' }: NonNullable<AccessSpec['nonResourceAttributes']>) => ({
  Path: path,
  Verb: verb,
});

function validateSubject({ user = '', groups = [] }: AccessSpec): FieldError[] {
  if (user !== '' || groups.length > 0) return [];
  return [invalidField('spec.user', user, 'at least one of user or group must be specified')];
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: AccessSpec, user: User): Attributes {
  if (resourceAttributes === undefined) {
    return { user, verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' };
  }
  const { verb = '', group = '', resource = '', subresource = '', namespace = '', name = '' } = resourceAttributes;
  return { user, verb, group, resource, subresource, namespace, name };
}

function rules({ rulesFor }: ReviewedAccess, object: KubeObject, user: User): KubeObject {
  const { namespace = '' } = (object['spec'] ?? {}) as { readonly namespace?: string };
  if (namespace === '') throw badRequest('no namespace on request');
  return { ...object, spec: {}, status: rulesReview(rulesFor(user, namespace)) };
}

function self(object: KubeObject, { name, uid, groups, extra }: User, now: string): KubeObject {
  const userInfo = {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  };
  return { ...object, metadata: { ...object.metadata, creationTimestamp: now }, status: { userInfo } };
}

async function token(authenticator: TokenReviewer, object: KubeObject): Promise<KubeObject> {
  const spec = (object['spec'] ?? {}) as { readonly token?: string; readonly audiences?: readonly string[] };
  if ((spec.token ?? '') === '') throw badRequest('token is required for TokenReview in authentication');
  return { ...object, status: await authenticator.review(spec.token ?? '', spec.audiences) };
}
