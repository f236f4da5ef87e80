import type { Draw } from './draw.ts';
import type { FieldHints, HintedPart } from './field-hints.ts';
import { label, labels, labelValue, labelValueText, qualifiedName } from './values.ts';

/** Hints for the scheduling fields of Kubernetes. */
export const placement: FieldHints = {
  fields: {
    nodeSelector: labels,
    matchLabels: labels,
    'matchExpressions[].key': qualifiedName,
    'matchExpressions[].values[]': labelValue,
    topologyKey: { ...qualifiedName, bad: ['a/b/c', '/a', 'two words'] },
    'namespaces[]': label,
    'matchLabelKeys[]': { good: qualifiedName.good },
    'mismatchLabelKeys[]': { good: qualifiedName.good },
    'tolerations[].key': qualifiedName,
    'tolerations[].value': { good: labelValueText },
  },
  repairs: {
    'matchExpressions[]': operatorAndValues,
    'matchFields[]': nodeName,
    'nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution': (required: HintedPart) => {
      const terms = required['nodeSelectorTerms'] as unknown[];
      if (terms.length === 0) terms.push({});
    },
    'tolerations[]': toleration,
    'topologySpreadConstraints[]': (constraint: HintedPart) => {
      if (constraint['minDomains'] !== undefined) constraint['whenUnsatisfiable'] = 'DoNotSchedule';
    },
  },
};

function operatorAndValues(requirement: HintedPart, draw: Draw): void {
  const values = (requirement['values'] ?? []) as string[];
  const { operator } = requirement;
  if (operator === 'Gt' || operator === 'Lt') requirement['values'] = [`${draw.below(100)}`];
  else if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) requirement['values'] = [draw.of(labelValueText)];
  } else if (values.length > 0) requirement['operator'] = draw.one(['In', 'NotIn']);
}

function nodeName(requirement: HintedPart, draw: Draw): void {
  requirement['key'] = 'metadata.name';
  requirement['operator'] = draw.one(['In', 'NotIn']);
  requirement['values'] = [draw.one(['node-1', 'node-2'])];
}

function toleration(part: HintedPart, draw: Draw): void {
  const { operator, value } = part;
  if (part['tolerationSeconds'] !== undefined) part['effect'] = 'NoExecute';
  if (operator === 'Gt' || operator === 'Lt') part['value'] = `${draw.below(100)}`;
  else if (operator === 'Exists') delete part['value'];
  if (part['value'] !== undefined || operator === 'Equal') part['key'] ??= 'dedicated';
  if (part['key'] === undefined && part['operator'] === undefined) part['operator'] = 'Exists';
  if (part['key'] === undefined && value === undefined) part['operator'] = 'Exists';
}
