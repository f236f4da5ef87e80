import { type FieldError, forbidden } from '#platform/base/field-error';
import { compare, tryParseQuantity } from '#platform/base/quantity';
import { storageClassWarnings } from '../deprecated-labels.ts';
import { same, validateUnchanged } from '../field-checks.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { fractionWarnings } from '../pod/pod-warnings.ts';
import { type ClaimSpec, validateClaimSpec } from './claim-spec.ts';

interface Claim {
  spec?: ClaimSpec;
  status?: { phase?: string; capacity?: Record<string, string> };
}

const SPEC_IMMUTABLE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

export const persistentVolumeClaims: KindStrategy<Claim> = {
  defaults(object) {
    const claim = object;
    (claim.spec ??= {}).volumeMode ??= 'Filesystem';
    (claim.status ??= {}).phase ??= 'Pending';
  },
  firstStatus: () => ({ phase: 'Pending' }),
  prepareCreate({ spec = {} }) {
    dropForeignSource(spec);
    settleSource(spec);
  },
  prepareUpdate({ spec = {} }, { spec: old = {} }) {
    if (!isForeign(old)) dropForeignSource(spec);
    settleSource(spec);
  },
  validate(object, old) {
    const { spec = {} } = object;
    const before = old;
    const causes = validateClaimSpec('spec', spec);
    return before === undefined ? causes : [...causes, ...validateChange(spec, before)];
  },
  warnings: ({ metadata, spec = {} }) => [
    ...storageClassWarnings(metadata.annotations),
    ...fractionWarnings('spec.resources.requests[storage]', spec.resources?.requests?.['storage'] ?? '0'),
  ],
};

const isForeign = ({ dataSourceRef }: ClaimSpec) => (dataSourceRef?.namespace ?? '') !== '';

/** Drops a source in another namespace, because the feature gate CrossNamespaceVolumeDataSource is off. */
function dropForeignSource(spec: ClaimSpec): void {
  if (isForeign(spec)) delete spec.dataSourceRef;
}

/** Aligns dataSource with dataSourceRef. A dataSource of an unsupported kind is dropped. */
function settleSource(spec: ClaimSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) {
    const group = dataSource.apiGroup ?? '';
    const claim = group === '' && dataSource.kind === 'PersistentVolumeClaim';
    const snapshot = group === 'snapshot.storage.k8s.io' && dataSource.kind === 'VolumeSnapshot';
    if (claim || snapshot) spec.dataSourceRef = { ...dataSource };
    else delete spec.dataSource;
  } else if (dataSource === undefined && dataSourceRef !== undefined && (dataSourceRef.namespace ?? '') === '') {
    spec.dataSource = { ...dataSourceRef };
  }
}

function validateChange(spec: ClaimSpec, { spec: old = {}, status = {} }: Claim): FieldError[] {
  const causes: FieldError[] = [];
  const kept: ClaimSpec = { ...spec };
  // The binding controller sets the volume name, and retroactive defaulting the class.
  if ((old.volumeName ?? '') === '') restore(kept, old, 'volumeName');
  if (old.storageClassName === undefined) restore(kept, old, 'storageClassName');
  const bound = status.phase === 'Bound';
  if (bound) {
    kept.resources = {
      ...spec.resources,
      ...(old.resources?.requests === undefined ? {} : { requests: old.resources.requests }),
    };
    restore(kept, old, 'volumeAttributesClassName');
  }
  if (!same(kept, old)) causes.push(forbidden('spec', SPEC_IMMUTABLE));
  if (isSmaller(spec, old, status.capacity?.['storage'])) {
    causes.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  }
  return [...causes, ...validateUnchanged('volumeMode', spec.volumeMode, old.volumeMode)];
}

function restore(
  spec: ClaimSpec,
  old: ClaimSpec,
  field: 'volumeName' | 'storageClassName' | 'volumeAttributesClassName',
): void {
  const value = old[field];
  if (value === undefined) delete spec[field];
  else spec[field] = value;
}

/** Reports whether a claim shrinks. It may revert a failed expansion, but not below its capacity. */
function isSmaller(spec: ClaimSpec, old: ClaimSpec, capacity: string | undefined): boolean {
  const [now, before] = [spec, old].map((each) => tryParseQuantity(each.resources?.requests?.['storage'] ?? '0'));
  const has = tryParseQuantity(capacity ?? '0');
  if (now === undefined || before === undefined || has === undefined || compare(now, before) >= 0) return false;
  return compare(now, has) <= 0;
}
