import { type FieldError, index, invalid } from '#platform/base/field-error';
import { isHeadless, type ServiceSpec } from '../../kinds/service/service-spec.ts';

const FAMILIES = ['IPv4', 'IPv6'];

/** Reports whether a service is headless without a selector, so that its user chooses its families. */
function isUserManaged(spec: ServiceSpec): boolean {
  return isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;
}

/** Validates that a service requests only what a single-family cluster has. */
export function validateFamily(spec: ServiceSpec): FieldError[] {
  if (isUserManaged(spec)) return [];
  if (spec.ipFamilyPolicy === 'RequireDualStack') {
    const detail = 'this cluster is not configured for dual-stack services';
    return [invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, detail)];
  }
  const families = (spec.ipFamilies ?? []).flatMap((family, i) =>
    family === 'IPv6' ? [invalid(index('spec.ipFamilies', i), family, 'not configured on this cluster')] : [],
  );
  if (families.length > 0) return families;
  return (spec.clusterIPs ?? []).flatMap((ip, i) =>
    ip.includes(':')
      ? [invalid(index('spec.clusterIPs', i), spec.clusterIPs, 'IPv6 is not configured on this cluster')]
      : [],
  );
}

/** Sets the families that the writer left open. */
export function settleFamilies(spec: ServiceSpec): void {
  if (isUserManaged(spec)) {
    spec.ipFamilyPolicy ??= 'RequireDualStack';
    const desired = spec.ipFamilyPolicy === 'SingleStack' ? ['IPv4'] : FAMILIES;
    const given = spec.ipFamilies ?? [];
    spec.ipFamilies = [...given, ...desired.filter((family) => !given.includes(family))].slice(
      0,
      Math.max(desired.length, given.length),
    );
    return;
  }
  spec.ipFamilyPolicy ??= 'SingleStack';
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = ['IPv4'];
}
