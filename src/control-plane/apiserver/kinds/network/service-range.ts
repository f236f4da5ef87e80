import { tryParseCidr } from '#platform/base/cidr';
import { type FieldError, index, invalid, required } from '#platform/base/field-error';
import { dns1123SubdomainProblems } from '#platform/base/names';
import { causesFor, IMMUTABLE, same } from '../field-checks.ts';
import { goStruct } from '../go-struct.ts';
import { cidrProblems } from '../ip-text.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { pathSegmentProblems } from '../object-name.ts';

interface ServiceCidr {
  spec?: { cidrs?: string[] };
}

export const serviceCidrs: KindStrategy<ServiceCidr> = {
  validate(object, old) {
    const cidrs = object.spec?.cidrs ?? [];
    const before = old?.spec?.cidrs;
    if (before !== undefined) {
      return cidrs.flatMap((cidr, i) =>
        cidr === before[i] || before[i] === undefined ? [] : [invalid(index('spec.cidrs', i), cidr, IMMUTABLE)],
      );
    }
    return validateRanges(cidrs);
  },
};

function validateRanges(cidrs: readonly string[]): FieldError[] {
  const at = 'spec.cidrs';
  if (cidrs.length === 0) return [required(at, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalid(at, { CIDRs: cidrs }, 'may only hold up to 2 values')];
  const parsed = cidrs.map(tryParseCidr);
  const causes = cidrs.flatMap((cidr, i) => causesFor(index(at, i), cidr, cidrProblems(cidr)));
  const families = new Set(parsed.map((cidr) => cidr?.address.family));
  if (causes.length === 0 && families.size < cidrs.length) {
    const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    causes.push(invalid(at, cidrs, detail));
  }
  return causes;
}

interface IpAddress {
  spec?: { parentRef?: { group?: string; resource?: string; namespace?: string; name?: string } };
}

export const ipAddresses: KindStrategy<IpAddress> = {
  validate(object, old) {
    const reference = object.spec?.parentRef;
    const causes = validateParent(reference);
    const before = old?.spec?.parentRef;
    if (old === undefined || same(reference, before)) return causes;
    const { group = '', resource = '', namespace = '', name = '' } = reference ?? {};
    const shown = { Group: group, Resource: resource, Namespace: namespace, Name: name };
    return [...causes, invalid('spec.parentRef', goStruct(shown), IMMUTABLE)];
  },
};

function validateParent(reference: NonNullable<IpAddress['spec']>['parentRef']): FieldError[] {
  const at = 'spec.parentRef';
  if (reference === undefined) return [required(at)];
  const { group = '', resource = '', namespace = '', name = '' } = reference;
  return [
    ...(group === '' ? [] : causesFor(`${at}.group`, group, dns1123SubdomainProblems(group))),
    ...(resource === ''
      ? [required(`${at}.resource`)]
      : causesFor(`${at}.resource`, resource, pathSegmentProblems(resource))),
    ...(name === '' ? [required(`${at}.name`)] : causesFor(`${at}.name`, name, pathSegmentProblems(name))),
    ...(namespace === '' ? [] : causesFor(`${at}.namespace`, namespace, pathSegmentProblems(namespace))),
  ];
}
