import { deepEqual } from '#platform/structural/deep-equal';
import type { Crd, CrdVersion } from '../crd.ts';

type Part = 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields';

/**
 * A CRD as the API server validates it: parts that all versions share are outside of the versions, and causes refer to
 * them there.
 */
export interface SharedParts {
  readonly shared: Pick<CrdVersion, Part>;
  readonly versions: readonly CrdVersion[];
}

export function shareParts({ spec }: Crd): SharedParts {
  const { versions } = spec;
  const [first] = versions;
  if (first === undefined) return { shared: {}, versions };
  const same = (part: Part): boolean => versions.every((version) => deepEqual(version[part], first[part]));
  const sameSchema = same('schema');
  const parts: Part[] = (['subresources', 'additionalPrinterColumns'] as const).filter(same);
  if (sameSchema) parts.push('schema');
  if (same('selectableFields')) parts.push('selectableFields');
  const shared: Partial<Pick<CrdVersion, Part>> = {};
  for (const part of parts) if (first[part] !== undefined) Object.assign(shared, { [part]: first[part] });
  const own = versions.map((version) => {
    const copy = { ...version };
    for (const part of parts) delete copy[part];
    return copy;
  });
  return { shared, versions: own };
}
