import { append } from '#platform/base/append';
import { duplicate, type FieldError, forbidden, index, invalid, key, required } from '#platform/base/field-error';
import { qualifiedNameProblems } from '#platform/base/names';
import { ownValue } from '#platform/base/own-value';
import { compare, type Quantity, tryParseQuantity } from '#platform/base/quantity';
import { byName } from '../by-name.ts';
import { causesFor } from '../field-checks.ts';
import type { PodResourceClaim, Resources } from './pod-spec.ts';

const OF_CONTAINERS = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Resources that are counted as objects. */
export const COUNTED: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);
/** Resources that a quota can limit. */
export const LIMITED: ReadonlySet<string> = new Set([
  ...COUNTED,
  ...OF_CONTAINERS,
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);
const STANDARD: ReadonlySet<string> = new Set([...LIMITED, 'storage']);

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Reports whether a resource is an extended one that nodes advertise, which cannot be overcommitted. */
function isExtended(name: string): boolean {
  if (!name.includes('/') || /(^|\.)kubernetes\.io\//.test(name) || name.startsWith('requests.')) return false;
  return qualifiedNameProblems(`requests.${name}`).length === 0;
}

function isOvercommitable(name: string): boolean {
  const native = !name.includes('/') || /(^|\.)kubernetes\.io\//.test(name);
  return native && !isHugePages(name);
}

/** Validates the name of a resource anywhere in the API. */
export function validateResourceName(field: string, name: string): FieldError[] {
  const causes = causesFor(field, name, qualifiedNameProblems(name));
  if (causes.length > 0) return causes;
  return name.includes('/') || STANDARD.has(name) || isHugePages(name)
    ? []
    : [invalid(field, name, 'must be a standard resource type or fully qualified')];
}

/** Validates the name of a resource that containers use. */
export function validateContainerResourceName(field: string, name: string): FieldError[] {
  const causes = validateResourceName(field, name);
  if (!name.includes('/')) {
    if (!OF_CONTAINERS.has(name) && !isHugePages(name)) {
      causes.push(invalid(field, name, 'must be a standard resource for containers'));
    }
  } else if (!/(^|\.)kubernetes\.io\//.test(name) && !isExtended(name)) {
    causes.push(invalid(field, name, "doesn't follow extended resource name standard"));
  }
  return causes;
}

export function validateQuantity(field: string, name: string, amount: string): FieldError[] {
  const quantity = tryParseQuantity(amount);
  if (quantity === undefined) return [];
  const causes: FieldError[] = [];
  if (quantity.nano < 0n) causes.push(invalid(field, amount, 'must be greater than or equal to 0'));
  if (isExtended(name) && quantity.nano % 1_000_000_000n !== 0n) {
    causes.push(invalid(field, amount, 'must be an integer'));
  }
  return causes;
}

/** Validates the resources of a container or of the whole pod. */
export function validateResources(
  field: string,
  resources: Resources = {},
  claims: readonly PodResourceClaim[] = [],
  ofPod = false,
): FieldError[] {
  const { limits = {}, requests = {} } = resources;
  const causes: FieldError[] = [];
  const nameCheck = ofPod ? validateResourceName : validateContainerResourceName;
  for (const [name, amount] of Object.entries(limits)) {
    const at = key(`${field}.limits`, name);
    append(causes, nameCheck(at, name), validateQuantity(at, name, amount), validateHugePages(at, name, amount));
  }
  for (const [name, amount] of Object.entries(requests)) {
    const at = key(`${field}.requests`, name);
    append(causes, nameCheck(at, name), validateQuantity(at, name, amount));
    append(causes, validateAgainstLimit(field, name, amount, ownValue(limits, name)));
    append(causes, validateHugePages(at, name, amount));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (!ofPod && names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    causes.push(forbidden(field, 'HugePages require cpu or memory'));
  }
  return [...causes, ...validateClaims(`${field}.claims`, resources.claims ?? [], claims)];
}

function validateAgainstLimit(field: string, name: string, request: string, limit: string | undefined): FieldError[] {
  const at = `${field}.requests`;
  if (limit === undefined) {
    const detail = 'Limit must be set for non overcommitable resources';
    return isOvercommitable(name) ? [] : [required(`${field}.limits`, detail)];
  }
  const [requested, max] = [tryParseQuantity(request), tryParseQuantity(limit)];
  if (requested === undefined || max === undefined) return [];
  if (!isOvercommitable(name)) {
    return compare(requested, max) === 0 ? [] : [invalid(at, request, `must be equal to ${name} limit of ${limit}`)];
  }
  return compare(requested, max) > 0
    ? [invalid(at, request, `must be less than or equal to ${name} limit of ${limit}`)]
    : [];
}

function validateHugePages(field: string, name: string, amount: string): FieldError[] {
  if (!isHugePages(name)) return [];
  const size = tryParseQuantity(name.slice('hugepages-'.length));
  const given = tryParseQuantity(amount);
  if (size === undefined || given === undefined || isMultiple(given, size)) return [];
  return [invalid(field, amount, `${amount} is not positive integer multiple of ${name}`)];
}

function isMultiple(given: Quantity, size: Quantity): boolean {
  return size.nano > 0n && given.nano >= 0n && given.nano % size.nano === 0n;
}

function validateClaims(
  field: string,
  used: readonly { name?: string; request?: string }[],
  claims: readonly PodResourceClaim[],
): FieldError[] {
  const seen = new Set<string>();
  const known = byName(claims);
  return used.flatMap(({ name = '', request = '' }, i) => {
    const at = index(field, i);
    if (name === '') return [required(`${at}.name`)];
    const whole = request === '' ? name : `${name}/${request}`;
    if (seen.has(whole)) return [duplicate(at, whole)];
    seen.add(whole);
    if (known.has(name)) return [];
    const names = known.size === 0 ? ' which is empty' : `: ${claims.map((claim) => claim.name ?? '').join(', ')}`;
    const detail = `must be one of the names in pod.spec.resourceClaims${names}`;
    return [{ type: 'NotFound', field: at, value: name, detail }];
  });
}
