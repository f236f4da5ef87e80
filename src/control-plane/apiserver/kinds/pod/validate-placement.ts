import { append } from '#platform/base/append';
import {
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  notSupported,
  required,
} from '#platform/base/field-error';
import { dns1123LabelProblems, dns1123SubdomainProblems, labelValueProblems } from '#platform/base/names';
import { causesFor, validateLabelName, validateOneOf } from '../field-checks.ts';
import { type LabelSelector, validateSelector } from '../label-selector.ts';
import type {
  Affinity,
  NodeRequirement,
  NodeSelector,
  NodeTerm,
  PodAffinity,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
} from './pod-spec.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateTolerations(field: string, tolerations: readonly Toleration[]): FieldError[] {
  return tolerations.flatMap((toleration, i) => validateToleration(index(field, i), toleration));
}

function validateToleration(field: string, toleration: Toleration): FieldError[] {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  const causes = key === '' ? [] : validateLabelName(`${field}.key`, key);
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    causes.push(invalid(`${field}.operator`, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    causes.push(invalid(`${field}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === 'Exists') {
    if (value !== '')
      causes.push(invalid(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  } else if (operator === 'Equal' || operator === '') {
    append(causes, causesFor(`${field}.operator`, value, labelValueProblems(value)));
  } else if (operator === 'Lt' || operator === 'Gt') {
    // The server knows the operators, but they are not enabled in this version.
    causes.push(notSupported(`${field}.operator`, operator, ['Equal', 'Exists', 'Lt', 'Gt']));
  } else append(causes, validateOneOf(`${field}.operator`, operator, ['Equal', 'Exists']));
  if (effect !== '') {
    append(causes, validateOneOf(`${field}.effect`, effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']));
  }
  return causes;
}

export function validateAffinity(field: string, affinity: Affinity | undefined): FieldError[] {
  if (affinity === undefined) return [];
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const causes: FieldError[] = [];
  if (nodeAffinity !== undefined) {
    const at = `${field}.nodeAffinity`;
    const desired = nodeAffinity[REQUIRED];
    if (desired !== undefined) append(causes, validateNodeSelector(`${at}.${REQUIRED}`, desired));
    for (const [i, { weight = 0, preference = {} }] of (nodeAffinity[PREFERRED] ?? []).entries()) {
      append(causes, validateWeight(`${at}.${PREFERRED}[${i}].weight`, weight));
      append(causes, validateNodeTerm(`${at}.${PREFERRED}[${i}].preference`, preference));
    }
  }
  if (podAffinity !== undefined) append(causes, validatePodAffinity(`${field}.podAffinity`, podAffinity));
  if (podAntiAffinity !== undefined) append(causes, validatePodAffinity(`${field}.podAntiAffinity`, podAntiAffinity));
  return causes;
}

function validateWeight(field: string, weight: number): FieldError[] {
  return weight < 1 || weight > 100 ? [invalid(field, weight, 'must be in the range 1-100')] : [];
}

export function validateNodeSelector(field: string, { nodeSelectorTerms }: NodeSelector): FieldError[] {
  const at = `${field}.nodeSelectorTerms`;
  const terms = nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(at, 'must have at least one node selector term')];
  return terms.flatMap((term, i) => validateNodeTerm(index(at, i), term));
}

function validateNodeTerm(field: string, { matchExpressions = [], matchFields = [] }: NodeTerm): FieldError[] {
  return [
    ...matchExpressions.flatMap((item, i) => validateNodeRequirement(index(`${field}.matchExpressions`, i), item)),
    ...matchFields.flatMap((item, i) => validateNodeField(index(`${field}.matchFields`, i), item)),
  ];
}

function validateNodeRequirement(
  field: string,
  { key = '', operator = '', values = [] }: NodeRequirement,
): FieldError[] {
  const causes: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      causes.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      causes.push(forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1) {
      causes.push(required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
    }
  } else causes.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  append(causes, validateLabelName(`${field}.key`, key));
  for (const [i, value] of values.entries()) {
    append(causes, causesFor(index(`${field}.values`, i), value, labelValueProblems(value)));
  }
  return causes;
}

/** Validates a field requirement. Nodes can be selected only by name, with one name at a time. */
function validateNodeField(field: string, { key = '', operator = '', values = [] }: NodeRequirement): FieldError[] {
  const causes: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    causes.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    causes.push(required(`${field}.values`, detail));
  }
  if (key !== 'metadata.name') return [...causes, invalid(`${field}.key`, key, 'not a valid field selector key')];
  for (const [i, value] of values.entries()) {
    append(causes, causesFor(index(`${field}.values`, i), value, dns1123SubdomainProblems(value)));
  }
  return causes;
}

function validatePodAffinity(field: string, affinity: PodAffinity): FieldError[] {
  return [
    ...(affinity[REQUIRED] ?? []).flatMap((term, i) => validatePodTerm(`${field}.${REQUIRED}[${i}]`, term)),
    ...(affinity[PREFERRED] ?? []).flatMap(({ weight = 0, podAffinityTerm = {} }, i) => [
      ...validateWeight(`${field}.${PREFERRED}[${i}].weight`, weight),
      ...validatePodTerm(`${field}.${PREFERRED}[${i}].podAffinityTerm`, podAffinityTerm),
    ]),
  ];
}

function validatePodTerm(field: string, term: PodAffinityTerm): FieldError[] {
  const { topologyKey = '', namespaces = [], matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const causes = [
    ...validateSelector(`${field}.labelSelector`, term.labelSelector),
    ...validateSelector(`${field}.namespaceSelector`, term.namespaceSelector),
    ...namespaces.flatMap((name) => causesFor(`${field}.namespace`, name, dns1123LabelProblems(name))),
  ];
  if (topologyKey === '') causes.push(required(`${field}.topologyKey`, 'can not be empty'));
  append(causes, validateLabelName(`${field}.topologyKey`, topologyKey));
  append(causes, validateLabelKeys(`${field}.matchLabelKeys`, matchLabelKeys, term.labelSelector));
  append(causes, validateLabelKeys(`${field}.mismatchLabelKeys`, mismatchLabelKeys, term.labelSelector));
  const mismatching = new Set(mismatchLabelKeys);
  for (const [i, name] of matchLabelKeys.entries()) {
    if (!mismatching.has(name)) continue;
    causes.push(
      invalid(index(`${field}.matchLabelKeys`, i), name, 'exists in both matchLabelKeys and mismatchLabelKeys'),
    );
  }
  return causes;
}

function validateLabelKeys(field: string, keys: readonly string[], selector: LabelSelector | undefined): FieldError[] {
  if (keys.length === 0) return [];
  if (selector === undefined) return [forbidden(field, 'must not be specified when labelSelector is not set')];
  return keys.flatMap((name, i) => validateLabelName(index(field, i), name));
}

const SPREADS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];

export function validateSpread(field: string, constraints: readonly TopologySpreadConstraint[]): FieldError[] {
  const identityOf = (each: TopologySpreadConstraint) => JSON.stringify([each.topologyKey, each.whenUnsatisfiable]);
  const last = new Map(constraints.map((each, i) => [identityOf(each), i] as const));
  return constraints.flatMap((constraint, i) => {
    const at = index(field, i);
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '', minDomains } = constraint;
    const { nodeAffinityPolicy, nodeTaintsPolicy, labelSelector, matchLabelKeys = [] } = constraint;
    const causes = maxSkew <= 0 ? [invalid(`${at}.maxSkew`, maxSkew, 'must be greater than zero')] : [];
    if (topologyKey === '') causes.push(required(`${at}.topologyKey`, 'can not be empty'));
    append(causes, validateOneOf(`${at}.whenUnsatisfiable`, whenUnsatisfiable, SPREADS));
    if ((last.get(identityOf(constraint)) ?? i) > i) {
      causes.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`));
    }
    if (minDomains !== undefined) append(causes, validateMinDomains(`${at}.minDomains`, minDomains, whenUnsatisfiable));
    if (nodeAffinityPolicy !== undefined) {
      append(causes, validateOneOf(`${at}.nodeAffinityPolicy`, nodeAffinityPolicy, POLICIES));
    }
    if (nodeTaintsPolicy !== undefined)
      append(causes, validateOneOf(`${at}.nodeTaintsPolicy`, nodeTaintsPolicy, POLICIES));
    append(causes, validateLabelKeys(`${at}.matchLabelKeys`, matchLabelKeys, labelSelector));
    for (const [k, name] of matchLabelKeys.entries()) {
      if (!selectedKeys(labelSelector).has(name)) continue;
      causes.push(invalid(index(at, k), name, 'exists in both matchLabelKeys and labelSelector'));
    }
    return [...causes, ...validateSelector(`${at}.labelSelector`, labelSelector)];
  });
}

function validateMinDomains(field: string, minDomains: number, whenUnsatisfiable: string): FieldError[] {
  const causes = minDomains <= 0 ? [invalid(field, minDomains, 'must be greater than zero')] : [];
  if (whenUnsatisfiable !== 'DoNotSchedule') {
    const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
    causes.push(invalid(field, minDomains, detail));
  }
  return causes;
}

function selectedKeys(selector: LabelSelector = {}): ReadonlySet<string> {
  const expressions = (selector.matchExpressions ?? []).map(({ key = '' }) => key);
  return new Set([...Object.keys(selector.matchLabels ?? {}), ...expressions]);
}
