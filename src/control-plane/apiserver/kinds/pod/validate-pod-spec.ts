import { append } from '#platform/base/append';
import { duplicate, type FieldError, index, invalid, required } from '#platform/base/field-error';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';
import {
  causesFor,
  MAX_INT32,
  validateBetween,
  validateIpAddress,
  validateLabelName,
  validateLabels,
  validateOneOf,
  validateOneOfIfSet,
  validatePresent,
} from '../field-checks.ts';
import type { PodSpec } from './pod-spec.ts';
import { validateContainers, validateHostNetwork } from './validate-containers.ts';
import { validateAffinity, validateSpread, validateTolerations } from './validate-placement.ts';
import { validateQuantity, validateResourceName, validateResources } from './validate-resources.ts';
import { validateHostUsers, validatePodSecurity } from './validate-security.ts';
import { validateVolumes } from './validate-volumes.ts';

const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const LOOSE_SUBDOMAIN = String.raw`_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*`;
const BAD_SEARCH = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${LOOSE_SUBDOMAIN}')`;

/** Validates the spec of a pod or of a template's pods, in the order of the server. */
export function validatePodSpec(field: string, spec: PodSpec): FieldError[] {
  return [
    ...validateVolumes(`${field}.volumes`, spec.volumes ?? []),
    ...validateContainers(field, spec),
    ...validateOneOf(`${field}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']),
    ...validateOneOf(`${field}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES),
    ...validateLabels(`${field}.nodeSelector`, spec.nodeSelector),
    ...validateHostNetwork(field, spec),
    ...validateHostUsers(field, spec),
    ...validatePodSecurity(field, spec),
    ...validateAffinity(`${field}.affinity`, spec.affinity),
    ...validateDns(`${field}.dnsConfig`, spec),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType = '' }, i) =>
      validateLabelName(`${index(`${field}.readinessGates`, i)}.conditionType`, conditionType),
    ),
    ...validateGates(`${field}.schedulingGates`, spec.schedulingGates ?? []),
    ...validateSpread(`${field}.topologySpreadConstraints`, spec.topologySpreadConstraints ?? []),
    ...validateClaims(`${field}.resourceClaims`, spec.resourceClaims ?? []),
    ...validateNamed(field, spec),
    ...(spec.resources === undefined
      ? []
      : validateResources(`${field}.resources`, spec.resources, spec.resourceClaims, true)),
  ];
}

/** Validates names and numbers that do not depend on other fields. */
function validateNamed(field: string, spec: PodSpec): FieldError[] {
  const causes: FieldError[] = [];
  const name = (part: keyof PodSpec, problems: (name: string) => string[]) => {
    const value = spec[part];
    if (typeof value === 'string' && value !== '')
      append(causes, causesFor(`${field}.${part}`, value, problems(value)));
  };
  name('serviceAccountName', dns1123SubdomainProblems);
  name('nodeName', dns1123SubdomainProblems);
  if (spec.activeDeadlineSeconds !== undefined) {
    append(causes, validateBetween(`${field}.activeDeadlineSeconds`, spec.activeDeadlineSeconds, 1, MAX_INT32));
  }
  name('hostname', dns1123LabelProblems);
  name('subdomain', dns1123LabelProblems);
  append(causes, validateTolerations(`${field}.tolerations`, spec.tolerations ?? []));
  for (const [i, { ip, hostnames = [] }] of (spec.hostAliases ?? []).entries()) {
    const at = index(`${field}.hostAliases`, i);
    append(causes, validateIpAddress(`${at}.ip`, ip));
    for (const [k, host] of hostnames.entries()) {
      append(causes, causesFor(index(`${at}.hostnames`, k), host, dns1123SubdomainProblems(host)));
    }
  }
  name('priorityClassName', dns1123SubdomainProblems);
  name('runtimeClassName', dns1123SubdomainProblems);
  append(
    causes,
    validateOneOfIfSet(`${field}.preemptionPolicy`, spec.preemptionPolicy, ['PreemptLowerPriority', 'Never']),
    Object.entries(spec.overhead ?? {}).flatMap(([resource, amount]) => {
      const at = `${field}.overhead.limits[${resource}]`;
      return [...validateResourceName(at, resource), ...validateQuantity(at, resource, amount)];
    }),
  );
  if (spec.os !== undefined) {
    const { name = '' } = spec.os;
    append(
      causes,
      name === '' ? [required(`${field}.os.name`)] : validateOneOf(`${field}.os`, name, ['linux', 'windows']),
    );
  }
  return causes;
}

function validateDns(field: string, { dnsPolicy, dnsConfig }: PodSpec): FieldError[] {
  const causes: FieldError[] = [];
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) {
      return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    }
    if ((dnsConfig.nameservers ?? []).length === 0) {
      causes.push(
        required(`${field}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
      );
    }
  }
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (nameservers.length > MAX_NAMESERVERS) {
    const detail = `must not have more than ${MAX_NAMESERVERS} nameservers`;
    causes.push(invalid(`${field}.nameservers`, nameservers, detail));
  }
  for (const [i, server] of nameservers.entries())
    append(causes, validateIpAddress(index(`${field}.nameservers`, i), server));
  if (searches.length > MAX_SEARCHES) {
    causes.push(invalid(`${field}.searches`, searches, `must not have more than ${MAX_SEARCHES} search paths`));
  }
  for (const [i, search] of searches.entries()) {
    // A single dot stands for the root.
    const bare = search.endsWith('.') ? search.slice(0, -1) : search;
    if (search === '.' || new RegExp(`^${LOOSE_SUBDOMAIN}$`).test(bare)) continue;
    causes.push(invalid(index(`${field}.searches`, i), bare, BAD_SEARCH));
  }
  for (const [i, { name }] of options.entries()) {
    append(causes, validatePresent(index(`${field}.options`, i), name, 'must not be empty'));
  }
  return causes;
}

function validateGates(field: string, gates: readonly { name?: string }[]): FieldError[] {
  const names = new Set<string>();
  return gates.flatMap(({ name = '' }, i) => {
    const causes = validateLabelName(index(field, i), name);
    if (names.has(name)) causes.push(duplicate(index(field, i), name));
    names.add(name);
    return causes;
  });
}

function validateClaims(field: string, claims: NonNullable<PodSpec['resourceClaims']>): FieldError[] {
  const names = new Set<string>();
  return claims.flatMap((claim, i) => {
    const at = index(field, i);
    const { name = '', resourceClaimName, resourceClaimTemplateName } = claim;
    const causes = name === '' ? [required(`${at}.name`)] : causesFor(`${at}.name`, name, dns1123LabelProblems(name));
    if (name !== '' && names.has(name)) causes.push(duplicate(`${at}.name`, name));
    names.add(name);
    const shown = {
      Name: name,
      ResourceClaimName: resourceClaimName ?? null,
      ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
    };
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      const detail = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      causes.push(invalid(at, shown, detail));
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      causes.push(invalid(at, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
    }
    return causes;
  });
}
