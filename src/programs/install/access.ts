import type { Client } from '#platform/kube/client';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import { resourceType } from '#platform/kube/kinds/resource-type';
import type { KubeObject } from '#platform/kube/kube-object';

/** Access that a subject may have or not. */
export interface Access {
  readonly verb: string;
  readonly group: string;
  /** Resource, with its subresource after a slash. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

interface AccessReview extends KubeObject {
  readonly spec: { readonly resourceAttributes: object };
  readonly status?: { readonly allowed?: boolean };
}
interface SelfReview extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

const ACCESS_REVIEWS = resourceType<AccessReview>(
  'authorization.k8s.io/v1',
  'SelfSubjectAccessReview',
  'selfsubjectaccessreviews',
  'Cluster',
);
const SELF_REVIEWS = resourceType<SelfReview>(
  'authentication.k8s.io/v1',
  'SelfSubjectReview',
  'selfsubjectreviews',
  'Cluster',
);

/** Returns the accesses that the server denies us. */
export async function deniedAccess(client: Client, accesses: readonly Access[]): Promise<Access[]> {
  const answers = await Promise.all(accesses.map((access) => isAllowed(client, access)));
  return accesses.filter((_, at) => answers[at] !== true);
}

async function isAllowed(client: Client, { resource, ...access }: Access): Promise<boolean> {
  const [plural = '', subresource] = resource.split('/');
  const attributes = { ...access, resource: plural, ...(subresource === undefined ? {} : { subresource }) };
  const { status } = await client.create(ACCESS_REVIEWS, { metadata: {}, spec: { resourceAttributes: attributes } });
  return status?.allowed === true;
}

/** Returns the user that the server knows us as, or undefined if it does not report one. */
export async function whoAmI(client: Client): Promise<string | undefined> {
  const review = await client.create(SELF_REVIEWS, { metadata: {} }).catch(() => undefined);
  return review?.status?.userInfo?.username;
}

/** Returns everything that a rule of a role grants, in one namespace if it is given. */
export function grantedBy(rule: PolicyRule, namespace?: string): Access[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [undefined] } = rule;
  const where = namespace === undefined ? {} : { namespace };
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        resourceNames.map((name) => ({ verb, group, resource, ...where, ...(name === undefined ? {} : { name }) })),
      ),
    ),
  );
}

/** Formats accesses as lines, one per resource, in the words of `kubectl auth can-i`. */
export function accessLines(accesses: readonly Access[]): string[] {
  const verbs = new Map<string, string[]>();
  for (const { verb, group, resource, namespace, name } of accesses) {
    const what = `${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` "${name}"`}`;
    const line = `${what}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
    verbs.set(line, [...(verbs.get(line) ?? []), verb]);
  }
  return [...verbs].map(([line, some]) => `${some.join(', ')} ${line}`);
}
