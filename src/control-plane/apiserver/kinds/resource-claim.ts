import { append } from '#platform/base/append';
import { duplicate, type FieldError, index, invalid, required } from '#platform/base/field-error';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '#platform/base/names';
import { causesFor, IMMUTABLE, same, validateOneOf } from './field-checks.ts';
import type { KindStrategy } from './kind-strategy.ts';

interface DeviceRequest {
  name?: string;
  deviceClassName?: string;
  allocationMode?: string;
  count?: number;
  tolerations?: { operator?: string }[];
}

interface ClaimSpec {
  devices?: { requests?: { name?: string; exactly?: DeviceRequest; firstAvailable?: DeviceRequest[] }[] };
}

interface Claim {
  spec?: ClaimSpec;
}

interface ClaimTemplate {
  spec?: { spec?: ClaimSpec };
}

function defaultClaim({ devices = {} }: ClaimSpec): void {
  for (const { exactly, firstAvailable = [] } of devices.requests ?? []) {
    for (const request of exactly === undefined ? firstAvailable : [exactly, ...firstAvailable]) {
      request.allocationMode ||= 'ExactCount';
      if (request.allocationMode === 'ExactCount') request.count ||= 1;
      for (const toleration of request.tolerations ?? []) toleration.operator ||= 'Equal';
    }
  }
}

function validateClaim(field: string, { devices = {} }: ClaimSpec): FieldError[] {
  const names = new Set<string>();
  return (devices.requests ?? []).flatMap(({ name = '', exactly, firstAvailable }, i) => {
    const at = index(`${field}.devices.requests`, i);
    const causes = causesFor(`${at}.name`, name, dns1123LabelProblems(name));
    if ((exactly === undefined) === (firstAvailable === undefined)) {
      causes.push(required(at, 'exactly one of `exactly` or `firstAvailable` is required'));
    }
    if (exactly !== undefined) append(causes, validateRequest(`${at}.exactly`, exactly));
    for (const [k, request] of (firstAvailable ?? []).entries()) {
      const sub = index(`${at}.firstAvailable`, k);
      append(causes, causesFor(`${sub}.name`, request.name, dns1123LabelProblems(request.name ?? '')));
      append(causes, validateRequest(sub, request));
    }
    if (names.has(name)) causes.push(duplicate(at, name));
    names.add(name);
    return causes;
  });
}

function validateRequest(
  field: string,
  { deviceClassName = '', allocationMode, count = 0 }: DeviceRequest,
): FieldError[] {
  const at = `${field}.deviceClassName`;
  const causes =
    deviceClassName === '' ? [required(at)] : causesFor(at, deviceClassName, dns1123SubdomainProblems(deviceClassName));
  if (allocationMode === 'ExactCount' && count <= 0) {
    causes.push(invalid(`${field}.count`, count, 'must be greater than zero'));
  }
  return [...causes, ...validateOneOf(`${field}.allocationMode`, allocationMode, ['All', 'ExactCount'])];
}

export const resourceClaims: KindStrategy<Claim> = {
  defaults: (object) => defaultClaim((object.spec ??= {})),
  validate(object, old) {
    const { spec = {} } = object;
    const before = old;
    const causes = validateClaim('spec', spec);
    return before === undefined || same(spec, before.spec) ? causes : [...causes, invalid('spec', spec, IMMUTABLE)];
  },
};

export const resourceClaimTemplates: KindStrategy<ClaimTemplate> = {
  defaults: (object) => defaultClaim(((object.spec ??= {}).spec ??= {})),
  validate(object, old) {
    const { spec = {} } = object;
    const before = old;
    const causes = validateClaim('spec.spec', spec.spec ?? {});
    return before === undefined || same(spec, before.spec) ? causes : [...causes, invalid('spec', spec, IMMUTABLE)];
  },
};
