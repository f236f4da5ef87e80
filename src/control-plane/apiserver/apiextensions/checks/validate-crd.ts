import { type FieldError, invalid } from '#platform/base/field-error';
import { deepEqual } from '#platform/structural/deep-equal';
import { type Crd, isTrue } from '../crd.ts';
import { validateApproval } from './approval.ts';
import { validateSpec } from './crd-spec.ts';
import { validateNames } from './names.ts';
import { validateStoredVersion } from './stored-versions.ts';

/** Returns all causes why a CRD is rejected, in the words of the API server. `old` is the stored one on update. */
export function validateCrd(definition: Crd, old?: Crd): readonly FieldError[] {
  const { metadata, spec, status } = definition;
  if ((spec.versions as unknown) === null) return causesWithoutVersions(definition, old);
  const accepted = validateNames(status?.acceptedNames ?? {}, 'status.acceptedNames');
  // Only the status or the metadata changed, and the rest was validated before.
  if (old !== undefined && deepEqual(spec, old.spec)) return accepted;
  const name = `${spec.names.plural}.${spec.group}`;
  const misnamed = old === undefined && (metadata.name ?? '') !== '' && metadata.name !== name;
  return [
    ...(misnamed ? [invalid('metadata.name', metadata.name ?? '', 'must be spec.names.plural+"."+spec.group')] : []),
    ...validateSpec(definition, old),
    ...(old === undefined ? [] : validateImmutable(spec, old)),
    ...accepted,
    ...validateStoredVersion(definition),
    ...validateApproval(definition, old),
    ...(spec.preserveUnknownFields === true && old?.spec.preserveUnknownFields !== true ? [PRESERVED] : []),
  ];
}

/** Validates a CRD without versions. Decoding leaves null for an absent list, which causes quote as such. */
function causesWithoutVersions(definition: Crd, old: Crd | undefined): FieldError[] {
  const empty = { ...definition, spec: { ...definition.spec, versions: [] } };
  return validateCrd(empty, old).map((cause) => (cause.field === 'spec.versions' ? { ...cause, value: null } : cause));
}

const PRESERVED = invalid(
  'spec.preserveUnknownFields',
  true,
  'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
);

/** Rejects changes to fields by which stored objects are identified. */
function validateImmutable(spec: Crd['spec'], old: Crd): FieldError[] {
  const { spec: before } = old;
  const causes: FieldError[] = [];
  const keep = (path: string, now: unknown, then: unknown): void => {
    if (now !== then) causes.push(invalid(path, now, 'field is immutable'));
  };
  if (isTrue(old, 'Established')) {
    keep('spec.scope', spec.scope, before.scope);
    keep('spec.names.kind', spec.names.kind, before.names.kind);
  }
  keep('spec.group', spec.group, before.group);
  keep('spec.names.plural', spec.names.plural, before.names.plural);
  return causes;
}
