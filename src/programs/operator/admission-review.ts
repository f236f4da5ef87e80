import { KINDS } from '#api/kinds';
import { virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import { invalid, type Status } from '#control-plane/apiserver/api-error';
import { jsonEqual } from '#platform/base/json-equal';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Lookup, MigrationsOf } from '#vm/admission/admitter';
import type { FindAdmission } from '#vm/dialects/admitters';

/** Request of the API server to a webhook. */
export interface ReviewRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly subResource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[]; readonly extra?: object };
  readonly object?: KubeObject | null;
  readonly oldObject?: KubeObject | null;
  readonly dryRun?: boolean;
}

export interface ReviewResponse {
  readonly allowed: boolean;
  readonly status?: Partial<Status>;
  readonly patch?: readonly object[];
  readonly warnings?: readonly string[];
}

const ALLOWED: ReviewResponse = { allowed: true };

export interface ReviewDeps {
  readonly find: FindAdmission;
  readonly lookup: Lookup;
  /** Absent if migrations are not managed. */
  readonly migrationsOf?: MigrationsOf;
  /** Reports whether the requester has the verb `operate` on the object. If absent, nobody has. */
  readonly operates?: boolean;
}

/** Reports whether a review depends on other permissions of the requester. */
export function requiresVerb({ kind, operation, subResource = '' }: ReviewRequest): boolean {
  const isInstance = kind.group === virtualMachineInstance.group && kind.kind === virtualMachineInstance.kind;
  return isInstance && subResource === '' && (operation === 'CREATE' || operation === 'UPDATE');
}

/**
 * Returns the admission result for one of our objects. It runs before the API server checks the schema, and reports all
 * errors at once, as the embedded control plane does; it never blocks a deletion.
 */
export function reviewObject(request: ReviewRequest, phase: 'mutate' | 'validate', parts: ReviewDeps): ReviewResponse {
  const { operation, object, oldObject: old, kind, subResource: subresource = '' } = request;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return ALLOWED;
  if (object === undefined || object === null || object.metadata.deletionTimestamp !== undefined) return ALLOWED;
  const admit = parts.find(`${kind.group}/${kind.version}`, kind.kind);
  const schema = KINDS.find((each) => each.group === kind.group && each.kind === kind.kind)?.schema;
  if (admit === undefined || schema === undefined) return ALLOWED;
  const { username = '', groups = [] } = request.userInfo ?? {};
  const verdict = admit({
    operation,
    // Admission replaces only top-level fields.
    object: { ...object },
    ...(old === undefined || old === null ? {} : { old: old as unknown as ObjectOf<Kind> }),
    ...(subresource === '' ? {} : { subresource }),
    // The API server has pruned and defaulted the object by its own schema, which may have more fields than this one.
    readBy: schema,
    user: { name: username, groups },
    operates: () => parts.operates === true,
    lookup: parts.lookup,
    ...(parts.migrationsOf === undefined ? {} : { migrationsOf: parts.migrationsOf }),
  });
  if (verdict.causes.length > 0) {
    const { name, generateName } = object.metadata;
    return { allowed: false, status: invalid(kind, name || generateName || '', verdict.causes).status };
  }
  if (phase === 'validate') return { allowed: true, warnings: verdict.warnings };
  return { allowed: true, patch: patchOf(object, verdict.object as unknown as KubeObject) };
}

/** Builds the JSON patch for the changes of admission, which fills in the spec and adds a finalizer. */
function patchOf(before: KubeObject, after: KubeObject): object[] {
  const patch: object[] = [];
  if (!jsonEqual(before['spec'], after['spec'])) patch.push({ op: 'add', path: '/spec', value: after['spec'] });
  const { finalizers } = after.metadata;
  if (!jsonEqual(before.metadata.finalizers ?? [], finalizers ?? [])) {
    patch.push({ op: 'add', path: '/metadata/finalizers', value: finalizers });
  }
  return patch;
}

/** Builds the AdmissionReview of a response. */
export function reviewBody(uid: string, { allowed, status, patch = [], warnings = [] }: ReviewResponse): object {
  const changes = {
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
  };
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed,
      ...(status === undefined ? {} : { status }),
      ...(patch.length === 0 ? {} : changes),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}
