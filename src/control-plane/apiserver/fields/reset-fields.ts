import { type FieldFilter, NO_FILTER } from './field-filter.ts';
import { EMPTY, type FieldSet } from './field-set.ts';

const status: FieldFilter = { exclude: { 'f:status': EMPTY } };
const spec: FieldFilter = { exclude: { 'f:spec': EMPTY } };
const specAndMetadata: FieldFilter = { exclude: { 'f:metadata': EMPTY, 'f:spec': EMPTY } };

function specAndMeta(meta: FieldSet): FieldFilter {
  return { exclude: { 'f:metadata': meta, 'f:spec': EMPTY } };
}

/** Fields that status writes of built-in kinds do not change besides the spec, by group and kind. */
const STATUS: Readonly<Record<string, FieldFilter>> = {
  'apps/Deployment': specAndMeta({ 'f:labels': EMPTY }),
  '/Pod': specAndMeta({ 'f:deletionTimestamp': EMPTY, 'f:ownerReferences': EMPTY }),
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': specAndMetadata,
  'apiregistration.k8s.io/APIService': specAndMetadata,
  'flowcontrol.apiserver.k8s.io/FlowSchema': specAndMetadata,
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': specAndMetadata,
  'networking.k8s.io/ServiceCIDR': specAndMetadata,
  'resource.k8s.io/ResourceClaim': specAndMetadata,
  'storage.k8s.io/VolumeAttachment': specAndMetadata,
};

export interface WriteTarget {
  readonly group: string;
  readonly kind: string;
  /** Subresource; '' for the resource itself. */
  readonly subresource: string;
  readonly hasStatus: boolean;
  /** Set for a custom resource, whose status writes do not change any metadata. */
  readonly custom: boolean;
}

/** Returns the fields that a write to this resource or subresource cannot set. */
export function resetFields({ group, kind, subresource, hasStatus, custom }: WriteTarget): FieldFilter {
  if (subresource === '') return hasStatus ? status : NO_FILTER;
  if (subresource !== 'status') return NO_FILTER;
  return custom ? specAndMetadata : (STATUS[`${group}/${kind}`] ?? spec);
}
