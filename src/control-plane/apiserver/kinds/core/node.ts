import { append } from '#platform/base/append';
import { tryParseCidr } from '#platform/base/cidr';
import { duplicate, type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { labelValueProblems } from '#platform/base/names';
import { tryParseQuantity } from '#platform/base/quantity';
import { repeats } from '../by-name.ts';
import { causesFor, same, validateLabelName, validateOneOf } from '../field-checks.ts';
import { goStruct } from '../go-struct.ts';
import { cidrProblems } from '../ip-text.ts';
import type { KindStrategy } from '../kind-strategy.ts';

interface Taint {
  key?: string;
  value?: string;
  effect?: string;
  timeAdded?: string;
}

interface Node {
  spec?: { podCIDR?: string; podCIDRs?: string[]; providerID?: string; externalID?: string; taints?: Taint[] };
  status?: { capacity?: Record<string, string>; allocatable?: Record<string, string> };
}

export const nodes: KindStrategy<Node> = {
  defaults(object) {
    const node = object;
    const spec = (node.spec ??= {});
    const [first] = spec.podCIDRs ?? [];
    // Both fields have the same meaning, and the list is the newer one.
    if (first !== undefined) spec.podCIDR = first;
    else if (spec.podCIDR !== undefined && spec.podCIDR !== '') spec.podCIDRs = [spec.podCIDR];
    const status = (node.status ??= {});
    if (status.allocatable === undefined && status.capacity !== undefined) status.allocatable = { ...status.capacity };
  },
  validate(object, old) {
    const node = object;
    const before = old;
    const taints = node.spec?.taints ?? [];
    const again = repeats(taints.map(({ key = '', effect = '' }) => JSON.stringify([key, effect])));
    const causes = [
      ...taints.flatMap((taint, i) => validateTaint(i, taint, again[i] === true)),
      ...validateAmounts('status.capacity', node.status?.capacity),
      ...validateAmounts('status.allocatable', node.status?.allocatable),
    ];
    return before === undefined
      ? [...causes, ...validateCidrs(node.spec?.podCIDRs ?? [])]
      : [...causes, ...validateCidrs(node.spec?.podCIDRs ?? []), ...validateChange(node, before)];
  },
  warnings: ({ spec = {} }) =>
    (spec.externalID ?? '') === '' ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes'],
};

/** Validates a taint. The server reports taints under `metadata`, where they once were. */
function validateTaint(i: number, taint: Taint, again: boolean): FieldError[] {
  const field = index('metadata.taints', i);
  const { key = '', value = '', effect = '' } = taint;
  const causes = [
    ...validateLabelName(`${field}.key`, key),
    ...causesFor(`${field}.value`, value, labelValueProblems(value)),
  ];
  if (effect === '') causes.push(required(`${field}.effect`));
  else append(causes, validateOneOf(`${field}.effect`, effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']));
  if (again) {
    const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null };
    causes.push({ ...duplicate(field, goStruct(shown)), detail: 'taints must be unique by key and effect pair' });
  }
  return causes;
}

function validateAmounts(field: string, amounts: Readonly<Record<string, string>> = {}): FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) =>
    (tryParseQuantity(amount)?.nano ?? 0n) < 0n
      ? [invalid(`${field}.${name}`, amount, 'must be greater than or equal to 0')]
      : [],
  );
}

function validateCidrs(cidrs: readonly string[]): FieldError[] {
  const causes: FieldError[] = [];
  const families = new Set<number>();
  let twice = cidrs.length > 2;
  for (const [i, text] of cidrs.entries()) {
    append(causes, causesFor(index('spec.podCIDRs', i), text, cidrProblems(text)));
    const cidr = tryParseCidr(text);
    if (cidr === undefined) continue;
    if (families.has(cidr.address.family)) twice = true;
    families.add(cidr.address.family);
  }
  if (twice) causes.push(invalid('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family'));
  return causes;
}

function validateChange({ spec = {} }: Node, { spec: old = {} }: Node): FieldError[] {
  const causes: FieldError[] = [];
  if ((old.podCIDRs ?? []).length > 0 && !same(spec.podCIDRs, old.podCIDRs)) {
    causes.push(forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  if ((old.providerID ?? '') !== '' && spec.providerID !== old.providerID) {
    causes.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  if ((spec.externalID ?? '') !== (old.externalID ?? '')) {
    causes.push(forbidden('spec.externalID', 'may not be updated'));
  }
  return causes;
}
