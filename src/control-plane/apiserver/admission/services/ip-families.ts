import { type FieldError, index, invalid } from '#platform/base/field-error';
import { isHeadless, type ServiceSpec } from '../../kinds/service/service-spec.ts';

const FAMILIES = ['IPv4', 'IPv6'];

/** Whether nothing in the cluster stands behind a service, so that its families are its user's affair. */
function isUserManaged(spec: ServiceSpec): boolean {
  return isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;
}

/** What a service asks for that a cluster of one family does not have. */
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

/** Fills in the families that the writer left open. */
export function settleFamilies(spec: ServiceSpec): void {
  if (isUserManaged(spec)) {
    spec.ipFamilyPolicy ??= 'RequireDualStack';
    const wanted = spec.ipFamilyPolicy === 'SingleStack' ? ['IPv4'] : FAMILIES;
    const given = spec.ipFamilies ?? [];
    spec.ipFamilies = [...given, ...wanted.filter((family) => !given.includes(family))].slice(
      0,
      Math.max(wanted.length, given.length),
    );
    return;
  }
  spec.ipFamilyPolicy ??= 'SingleStack';
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = ['IPv4'];
}
