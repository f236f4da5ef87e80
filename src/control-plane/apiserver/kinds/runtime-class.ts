import { append } from '#platform/base/append';
import { duplicate, index, key, required } from '#platform/base/field-error';
import { dns1123LabelProblems } from '#platform/base/names';
import { deprecatedLabel } from './deprecated-labels.ts';
import { causesFor, validateLabels, validateUnchanged } from './field-checks.ts';
import { goStruct } from './go-struct.ts';
import type { KindStrategy } from './kind-strategy.ts';
import type { Quantities, Toleration } from './pod/pod-spec.ts';
import { validateTolerations } from './pod/validate-placement.ts';
import { validateContainerResourceName, validateQuantity } from './pod/validate-resources.ts';

interface RuntimeClass {
  handler?: string;
  overhead?: { podFixed?: Quantities };
  scheduling?: { nodeSelector?: Record<string, string>; tolerations?: Toleration[] };
}

export const runtimeClasses: KindStrategy<RuntimeClass> = {
  validate(object, old) {
    const { handler = '', overhead = {}, scheduling = {} } = object;
    const causes =
      handler === '' ? [required('handler')] : causesFor('handler', handler, dns1123LabelProblems(handler));
    for (const [name, amount] of Object.entries(overhead.podFixed ?? {})) {
      const at = key('overhead.limits', name);
      append(causes, validateContainerResourceName(at, name), validateQuantity(at, name, amount));
    }
    append(causes, validateLabels('scheduling.nodeSelector', scheduling.nodeSelector));
    const tolerations = scheduling.tolerations ?? [];
    append(causes, validateTolerations('scheduling.tolerations', tolerations));
    const seen = new Set<string>();
    for (const [i, toleration] of tolerations.entries()) {
      const { key: name = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
      const shown = {
        Key: name,
        Operator: operator,
        Value: value,
        Effect: effect,
        TolerationSeconds: tolerationSeconds ?? null,
      };
      const text = JSON.stringify(shown);
      if (seen.has(text)) causes.push(duplicate(index('scheduling.tolerations', i), goStruct(shown)));
      seen.add(text);
    }
    const before = old;
    return before === undefined ? causes : [...causes, ...validateUnchanged('handler', handler, before.handler)];
  },
  warnings: ({ scheduling = {} }) =>
    Object.keys(scheduling.nodeSelector ?? {}).flatMap((name) => {
      const said = deprecatedLabel(name);
      return said === undefined ? [] : [`scheduling.nodeSelector: ${said}`];
    }),
};
