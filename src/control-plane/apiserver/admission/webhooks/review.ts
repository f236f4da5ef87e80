import type { KubeObject } from '#platform/kube/kube-object';
import type { AdmissionAttributes, ObjectKind } from '../../admission-plugin.ts';
import type { Resource } from '../../resource.ts';
import { namespaceOf } from '../matching.ts';

interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Request of an AdmissionReview. */
export interface AdmissionReviewRequest {
  readonly uid: string;
  readonly kind: ObjectKind;
  readonly resource: ResourceName;
  readonly subResource?: string;
  readonly requestKind: ObjectKind;
  readonly requestResource: ResourceName;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: string;
  readonly userInfo: Readonly<Record<string, unknown>>;
  readonly object: KubeObject | null;
  readonly oldObject: KubeObject | null;
  readonly dryRun: boolean;
  /** Options of the request, null for CONNECT, whose options are the object. */
  readonly options: Readonly<Record<string, unknown>> | null;
}

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/** Builds the review of a write, in the version of its resource that the webhook requested. */
export function reviewRequest(
  write: AdmissionAttributes,
  shownAs: Resource,
  uid: string,
  object: KubeObject | undefined,
  oldObject: KubeObject | undefined,
): AdmissionReviewRequest {
  const { resource, subresource, operation, name, call } = write;
  const namespace = namespaceOf(write);
  return {
    uid,
    kind: kindOf(write.kind ?? shownAs),
    resource: resourceOf(shownAs),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: kindOf(write.kind ?? resource),
    requestResource: resourceOf(resource),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: userInfo(write),
    object: object ?? null,
    oldObject: oldObject ?? null,
    dryRun: call.dryRun,
    options: optionsOf(write),
  };
}

const kindOf = ({ group, version, kind }: ObjectKind): ObjectKind => ({ group, version, kind });
const resourceOf = ({ group, version, plural }: Resource): ResourceName => ({ group, version, resource: plural });

function userInfo({ call: { user } }: AdmissionAttributes): Readonly<Record<string, unknown>> {
  const { name, uid, groups, extra } = user;
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function optionsOf({ operation, options, call }: AdmissionAttributes): AdmissionReviewRequest['options'] {
  if (operation === 'CONNECT') return null;
  return {
    ...options,
    kind: OPTIONS[operation],
    apiVersion: 'meta.k8s.io/v1',
    ...(operation === 'DELETE' ? {} : call.sent),
    ...(call.dryRun ? { dryRun: ['All'] } : {}),
  };
}
