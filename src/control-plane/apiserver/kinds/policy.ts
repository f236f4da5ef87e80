import { append } from '#platform/base/append';
import { type FieldError, forbidden, invalid } from '#platform/base/field-error';
import { validateOneOf, validateOneOfIfSet, validateUnchanged } from './field-checks.ts';
import { fill } from './fill.ts';
import { goStruct } from './go-struct.ts';
import type { KindStrategy } from './kind-strategy.ts';
import { type LabelSelector, validateSelector } from './label-selector.ts';
import { validateAmount, validateAtMostAll } from './workloads/workload.ts';

interface DisruptionBudget {
  spec?: {
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    selector?: LabelSelector;
    unhealthyPodEvictionPolicy?: string;
  };
}

export const podDisruptionBudgets: KindStrategy<DisruptionBudget> = {
  firstStatus: () => ({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
  validate(object) {
    const { spec = {} } = object;
    const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
    const causes: FieldError[] = [];
    if (minAvailable !== undefined && maxUnavailable !== undefined) {
      const shown = {
        MinAvailable: minAvailable,
        Selector: selector ?? null,
        MaxUnavailable: maxUnavailable,
        UnhealthyPodEvictionPolicy: policy ?? null,
      };
      causes.push(invalid('spec', goStruct(shown), 'minAvailable and maxUnavailable cannot be both set'));
    }
    for (const [name, amount] of Object.entries({ minAvailable, maxUnavailable })) {
      if (amount === undefined) continue;
      append(causes, validateAmount(`spec.${name}`, amount), validateAtMostAll(`spec.${name}`, amount));
    }
    append(causes, validateSelector('spec.selector', selector));
    return [
      ...causes,
      ...validateOneOfIfSet('spec.unhealthyPodEvictionPolicy', policy, ['AlwaysAllow', 'IfHealthyBudget']),
    ];
  },
};

interface PriorityClass {
  value?: number;
  preemptionPolicy?: string;
}

const MAX_USER_PRIORITY = 1_000_000_000;
const SYSTEM: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

export const priorityClasses: KindStrategy<PriorityClass> = {
  defaults(object) {
    fill(object, { value: 0, preemptionPolicy: 'PreemptLowerPriority' });
  },
  validate(object, old) {
    const { value = 0, preemptionPolicy } = object;
    const { name = '' } = object.metadata;
    const causes: FieldError[] = [];
    if (name.startsWith('system-')) {
      if (SYSTEM[name] !== value) {
        const why =
          SYSTEM[name] === undefined
            ? `${name} is not a known system priority class`
            : `value of ${name} PriorityClass must be ${SYSTEM[name]}`;
        const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`;
        causes.push(forbidden('metadata.name', detail));
      }
    } else if (value > MAX_USER_PRIORITY) {
      causes.push(forbidden('value', `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`));
    }
    append(causes, validateOneOf('preemptionPolicy', preemptionPolicy, ['PreemptLowerPriority', 'Never']));
    const before = old;
    if (before === undefined) return causes;
    if ((before.value ?? 0) !== value) causes.push(forbidden('value', 'may not be changed in an update.'));
    return [...causes, ...validateUnchanged('preemptionPolicy', preemptionPolicy, before.preemptionPolicy)];
  },
};
