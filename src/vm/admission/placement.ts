import { append } from '#platform/base/append';
import { type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { dns1123LabelProblems, labelValueProblems, qualifiedNameProblems } from '#platform/base/names';
import type { affinity, labelSelector, tolerations } from '#platform/schema/placement';
import type { OutputOf } from '#platform/schema/schema';

/*
 * The placement of a VM becomes that of its pod. Whatever the API server would reject in the pod is already rejected in
 * the VM, with the same message, where the user can see it.
 */

/** Makes all fields optional, so that a part of a spec can be validated as well. */
type Loose<T> = T extends readonly (infer Item)[]
  ? readonly Loose<Item>[]
  : T extends object
    ? { readonly [K in keyof T]?: Loose<T[K]> | undefined }
    : T;
type Affinity = Loose<OutputOf<typeof affinity>>;
type LabelSelector = Loose<OutputOf<typeof labelSelector>>;
type Toleration = Loose<OutputOf<typeof tolerations>[number]>;
type NodeTerm = {
  readonly matchExpressions?: readonly Requirement[] | undefined;
  readonly matchFields?: readonly Requirement[] | undefined;
};
type PodTerm = {
  readonly labelSelector?: LabelSelector | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly namespaces?: readonly string[] | undefined;
  readonly topologyKey?: string | undefined;
};
interface Requirement {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly values?: readonly string[] | undefined;
}

export function validateTolerations(field: string, tolerations: readonly Toleration[] = []): FieldError[] {
  return tolerations.flatMap((toleration, i) => validateToleration(index(field, i), toleration));
}

function validateToleration(field: string, toleration: Toleration): FieldError[] {
  const { key = '', operator = 'Equal', value = '', effect, tolerationSeconds } = toleration;
  const errors = key === '' ? [] : labelName(`${field}.key`, key);
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(`${field}.operator`, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.push(invalid(`${field}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === 'Exists' && value !== '') {
    errors.push(invalid(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  }
  if (operator === 'Equal') {
    append(
      errors,
      labelValueProblems(value).map((problem) => invalid(`${field}.operator`, value, problem)),
    );
  }
  if ((operator === 'Gt' || operator === 'Lt') && !/^-?[0-9]+$/.test(value)) {
    errors.push(invalid(`${field}.value`, value, "must be a whole number when `operator` is 'Lt' or 'Gt'"));
  }
  return errors;
}

export function validateAffinity(field: string, affinity: Affinity = {}): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  return [
    ...(nodeAffinity === undefined ? [] : validateNodeAffinity(`${field}.nodeAffinity`, nodeAffinity)),
    ...(podAffinity === undefined ? [] : validatePodAffinity(`${field}.podAffinity`, podAffinity)),
    ...(podAntiAffinity === undefined ? [] : validatePodAffinity(`${field}.podAntiAffinity`, podAntiAffinity)),
  ];
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

function validateNodeAffinity(field: string, affinity: NonNullable<Affinity['nodeAffinity']>): FieldError[] {
  const terms = affinity[REQUIRED]?.nodeSelectorTerms;
  const at = `${field}.${REQUIRED}.nodeSelectorTerms`;
  return [
    ...(terms?.length === 0 ? [required(at, 'must have at least one node selector term')] : []),
    ...(terms ?? []).flatMap((term, i) => validateNodeTerm(index(at, i), term)),
    ...(affinity[PREFERRED] ?? []).flatMap(({ preference }, i) =>
      validateNodeTerm(`${field}.${PREFERRED}[${i}].preference`, preference),
    ),
  ];
}

function validateNodeTerm(field: string, term: NodeTerm = {}): FieldError[] {
  return [
    ...(term.matchExpressions ?? []).flatMap((requirement, i) =>
      validateRequirement(`${field}.matchExpressions[${i}]`, requirement),
    ),
    ...(term.matchFields ?? []).flatMap((requirement, i) =>
      validateFieldRequirement(`${field}.matchFields[${i}]`, requirement),
    ),
  ];
}

function validatePodAffinity(field: string, affinity: NonNullable<Affinity['podAffinity']>): FieldError[] {
  return [
    ...(affinity[REQUIRED] ?? []).flatMap((term, i) => validatePodTerm(`${field}.${REQUIRED}[${i}]`, term)),
    ...(affinity[PREFERRED] ?? []).flatMap(({ podAffinityTerm }, i) =>
      validatePodTerm(`${field}.${PREFERRED}[${i}].podAffinityTerm`, podAffinityTerm),
    ),
  ];
}

function validatePodTerm(field: string, term: PodTerm = {}): FieldError[] {
  const { topologyKey } = term;
  return [
    ...validateLabelSelector(`${field}.labelSelector`, term.labelSelector),
    ...validateLabelSelector(`${field}.namespaceSelector`, term.namespaceSelector),
    ...(term.namespaces ?? []).flatMap((name, i) =>
      dns1123LabelProblems(name).map((problem) => invalid(`${field}.namespaces[${i}]`, name, problem)),
    ),
    ...(topologyKey === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...(topologyKey ? labelName(`${field}.topologyKey`, topologyKey) : []),
  ];
}

export function validateLabelSelector(field: string, selector: LabelSelector = {}): FieldError[] {
  const labels = Object.entries(selector.matchLabels ?? {}).flatMap(([name, value = '']) =>
    labelName(`${field}.matchLabels`, name).concat(
      labelValueProblems(value).map((problem) => invalid(`${field}.matchLabels[${name}]`, value, problem)),
    ),
  );
  const expressions = (selector.matchExpressions ?? []).flatMap((requirement, i) =>
    validateRequirement(`${field}.matchExpressions[${i}]`, requirement),
  );
  return [...labels, ...expressions];
}

function validateRequirement(field: string, { key, operator, values = [] }: Requirement): FieldError[] {
  const errors = key === undefined ? [] : labelName(`${field}.key`, key);
  const at = `${field}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.push(required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        errors.push(forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      }
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1) {
        errors.push(required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      }
      break;
    default:
  }
  return errors.concat(
    values.flatMap((value, i) => labelValueProblems(value).map((problem) => invalid(index(at, i), value, problem))),
  );
}

/** Nodes can be selected by one field, their name, and by one name at a time. */
function validateFieldRequirement(field: string, { key, operator, values = [] }: Requirement): FieldError[] {
  const errors = key === 'metadata.name' ? [] : [invalid(`${field}.key`, key, 'not a valid field selector key')];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${field}.values`, detail));
  }
  return errors;
}

function labelName(field: string, name: string): FieldError[] {
  return qualifiedNameProblems(name).map((problem) => invalid(field, name, problem));
}
