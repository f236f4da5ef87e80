import { append } from '#platform/base/append';
import { duplicate, type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { dns1123SubdomainProblems, labelValueProblems, qualifiedNameProblems } from '#platform/base/names';
import { deprecatedLabel } from '../deprecated-labels.ts';
import { causesFor, same, validateLabelName, validateOneOf, validateUnchanged } from '../field-checks.ts';
import { fill } from '../fill.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { type LabelSelector, validateSelector } from '../label-selector.ts';

interface StorageClass {
  provisioner?: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
  parameters?: Record<string, string>;
  allowedTopologies?: { matchLabelExpressions?: { key?: string; values?: string[] | null }[] }[];
}

/** Validates a provisioner, which has a qualified name in any case. */
function validateProvisioner(field: string, name = ''): FieldError[] {
  if (name === '') return [required(field)];
  return causesFor(field, name.toLowerCase(), qualifiedNameProblems(name.toLowerCase()));
}

export const storageClasses: KindStrategy<StorageClass> = {
  defaults(object) {
    fill(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
  },
  validate(object, old) {
    const found = object;
    const causes = [
      ...validateProvisioner('provisioner', found.provisioner),
      ...Object.keys(found.parameters ?? {}).flatMap((name) =>
        name === '' ? [invalid('parameters', name, 'field can not be empty.')] : [],
      ),
      ...validateOneOf('reclaimPolicy', found.reclaimPolicy, ['Delete', 'Retain']),
      ...validateOneOf('volumeBindingMode', found.volumeBindingMode, ['Immediate', 'WaitForFirstConsumer']),
      ...validateTopologies(found),
    ];
    const before = old;
    if (before === undefined) return causes;
    return [
      ...causes,
      ...(['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const).flatMap((field) =>
        validateUnchanged(field, found[field], before[field]),
      ),
    ];
  },
  warnings: ({ allowedTopologies = [] }) =>
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
      matchLabelExpressions.flatMap(({ key = '' }, k) => {
        const said = deprecatedLabel(key);
        return said === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${k}].key: ${said}`];
      }),
    ),
};

function validateTopologies({ allowedTopologies = [] }: StorageClass): FieldError[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
    matchLabelExpressions.flatMap(({ key = '', values }, k) => {
      const at = index(`${index('allowedTopologies', i)}.matchLabelExpressions`, k);
      const seen = new Set<string>();
      const causes = (values ?? []).length === 0 ? [required(`${at}.values`)] : [];
      for (const [j, value] of (values ?? []).entries()) {
        if (seen.has(value)) causes.push(duplicate(index(`${at}.values`, j), value));
        seen.add(value);
        append(causes, causesFor(index(`${at}.values`, j), value, labelValueProblems(value)));
      }
      return [...causes, ...validateLabelName(`${at}.key`, key)];
    }),
  );
}

interface AttributesClass {
  driverName?: string;
  parameters?: Record<string, string>;
}

export const volumeAttributesClasses: KindStrategy<AttributesClass> = {
  validate(object, old) {
    const { driverName, parameters = {} } = object;
    const causes = validateProvisioner('driverName', driverName);
    if (Object.keys(parameters).length === 0) {
      causes.push(required('parameters', 'must contain at least one key/value pair'));
    }
    const before = old;
    if (before === undefined) return causes;
    if (driverName !== before.driverName) {
      causes.push(forbidden('driverName', 'updates to driverName are forbidden.'));
    }
    if (!same(parameters, before.parameters)) {
      causes.push(forbidden('parameters', 'updates to parameters are forbidden.'));
    }
    return causes;
  },
};

interface Capacity {
  storageClassName?: string;
  capacity?: string;
  nodeTopology?: LabelSelector;
}

export const csiStorageCapacities: KindStrategy<Capacity> = {
  validate(object, old) {
    const { storageClassName = '', capacity = '0', nodeTopology } = object;
    const causes = causesFor('storageClassName', storageClassName, dns1123SubdomainProblems(storageClassName));
    if (capacity.startsWith('-')) causes.push(invalid('capacity', capacity, 'must be greater than or equal to 0'));
    append(causes, validateSelector('nodeTopology', nodeTopology));
    const before = old;
    if (before === undefined) return causes;
    return [
      ...causes,
      ...validateUnchanged('nodeTopology', nodeTopology, before.nodeTopology),
      ...validateUnchanged('storageClassName', storageClassName, before.storageClassName),
    ];
  },
};
