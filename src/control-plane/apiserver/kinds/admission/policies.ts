import { append } from '#platform/base/append';
import { duplicate, type FieldError, forbidden, index, invalid, required } from '#platform/base/field-error';
import { dns1123SubdomainProblems } from '#platform/base/names';
import { repeats } from '../by-name.ts';
import { causesFor, validateLabelName, validateOneOf, validateOneOfIfSet, validatePresent } from '../field-checks.ts';
import { fill } from '../fill.ts';
import type { KindStrategy } from '../kind-strategy.ts';
import { type LabelSelector, validateSelector } from '../label-selector.ts';
import { type Rule, validateRules } from './rules.ts';

interface MatchResources {
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  resourceRules?: Rule[];
  excludeResourceRules?: Rule[];
  matchPolicy?: string;
}

interface Policy {
  spec?: {
    paramKind?: { apiVersion?: string; kind?: string };
    matchConstraints?: MatchResources;
    failurePolicy?: string;
    reinvocationPolicy?: string;
    validations?: { expression?: string; reason?: string }[];
    mutations?: unknown[];
    auditAnnotations?: { key?: string; valueExpression?: string }[];
    variables?: { name?: string; expression?: string }[];
    matchConditions?: { name?: string; expression?: string }[];
  };
}

interface Binding {
  spec?: {
    policyName?: string;
    validationActions?: string[];
    paramRef?: { name?: string; selector?: LabelSelector; parameterNotFoundAction?: string };
    matchResources?: MatchResources;
  };
}

function defaultMatch(match: MatchResources | undefined): void {
  if (match === undefined) return;
  fill(match, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} });
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= '*';
}

function defaultPolicy(object: Policy): void {
  const spec = (object.spec ??= {});
  spec.failurePolicy ??= 'Fail';
  defaultMatch(spec.matchConstraints);
}

function defaultBinding({ spec }: Binding): void {
  defaultMatch(spec?.matchResources);
}

export const validatingPolicies: KindStrategy<Policy> = {
  defaults: defaultPolicy,
  validate(object) {
    const { spec = {} } = object;
    const causes = validatePolicy(spec);
    const { validations = [], auditAnnotations = [] } = spec;
    if (validations.length === 0 && auditAnnotations.length === 0) {
      const detail = 'validations or auditAnnotations must contain at least one item';
      causes.push(required('spec.validations', detail), required('spec.auditAnnotations', detail));
    }
    const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
    for (const [i, { expression, reason }] of validations.entries()) {
      const at = index('spec.validations', i);
      append(causes, validatePresent(`${at}.expression`, expression?.trim(), 'expression is not specified'));
      append(causes, validateOneOfIfSet(`${at}.reason`, reason, reasons));
    }
    for (const [i, { key = '', valueExpression }] of auditAnnotations.entries()) {
      const at = index('spec.auditAnnotations', i);
      append(causes, validateLabelName(`${at}.key`, `${object.metadata.name}/${key}`));
      append(
        causes,
        validatePresent(`${at}.valueExpression`, valueExpression?.trim(), 'valueExpression is not specified'),
      );
    }
    return causes;
  },
};

export const mutatingPolicies: KindStrategy<Policy> = {
  defaults: defaultPolicy,
  validate: (object) => validatePolicy(object.spec ?? {}),
};

function validatePolicy(spec: NonNullable<Policy['spec']>): FieldError[] {
  const causes: FieldError[] = [];
  if (spec.paramKind !== undefined) {
    append(causes, validatePresent('spec.paramKind.apiVersion', spec.paramKind.apiVersion));
    append(causes, validatePresent('spec.paramKind.kind', spec.paramKind.kind));
  }
  const at = 'spec.matchConstraints';
  if (spec.matchConstraints === undefined) causes.push(required(at));
  else {
    append(causes, validateMatch(at, spec.matchConstraints));
    if ((spec.matchConstraints.resourceRules ?? []).length === 0) causes.push(required(`${at}.resourceRules`));
  }
  for (const [i, { name, expression }] of (spec.matchConditions ?? []).entries()) {
    const field = index('spec.matchConditions', i);
    append(causes, validatePresent(`${field}.expression`, expression?.trim()), validatePresent(`${field}.name`, name));
  }
  for (const [i, { name, expression }] of (spec.variables ?? []).entries()) {
    const field = index('spec.variables', i);
    append(causes, validatePresent(`${field}.name`, name?.trim(), 'name is not specified'));
    append(causes, validatePresent(`${field}.expression`, expression?.trim(), 'expression is not specified'));
  }
  return [...causes, ...validateOneOfIfSet('spec.failurePolicy', spec.failurePolicy, ['Fail', 'Ignore'])];
}

function validateMatch(field: string, match: MatchResources): FieldError[] {
  return [
    ...validateOneOfIfSet(`${field}.matchPolicy`, match.matchPolicy, ['Equivalent', 'Exact']),
    ...validateSelector(`${field}.namespaceSelector`, match.namespaceSelector),
    ...validateSelector(`${field}.objectSelector`, match.objectSelector),
    ...validateRules(`${field}.resourceRules`, match.resourceRules ?? []),
    ...validateRules(`${field}.excludeResourceRules`, match.excludeResourceRules ?? []),
  ];
}

export const validatingBindings: KindStrategy<Binding> = {
  defaults: defaultBinding,
  validate(object) {
    const { spec = {} } = object;
    return [...validateBinding(spec), ...validateActions(spec.validationActions ?? [])];
  },
};

export const mutatingBindings: KindStrategy<Binding> = {
  defaults: defaultBinding,
  validate: (object) => validateBinding(object.spec ?? {}),
};

function validateBinding({ policyName = '', paramRef, matchResources }: NonNullable<Binding['spec']>): FieldError[] {
  const causes =
    policyName === ''
      ? [required('spec.policyName')]
      : causesFor('spec.policyName', policyName, dns1123SubdomainProblems(policyName));
  if (paramRef !== undefined) {
    const { name = '', selector, parameterNotFoundAction: action = '' } = paramRef;
    const at = 'spec.paramRef';
    if (name !== '' && selector !== undefined) {
      const detail = 'name and selector are mutually exclusive';
      causes.push(forbidden(`${at}.name`, detail), forbidden(`${at}.selector`, detail));
    } else if (name === '' && selector === undefined) {
      causes.push(required(at, 'one of name or selector must be specified'));
    }
    if (action === '') causes.push(required(`${at}.parameterNotFoundAction`));
    else append(causes, validateOneOf(`${at}.parameterNotFoundAction`, action, ['Deny', 'Allow']));
  }
  return matchResources === undefined ? causes : [...causes, ...validateMatch('spec.matchResources', matchResources)];
}

function validateActions(actions: readonly string[]): FieldError[] {
  const at = 'spec.validationActions';
  if (actions.length === 0) return [required(at, 'at least one validation action is required')];
  const again = repeats(actions);
  const causes = actions.flatMap((action, i) => [
    ...validateOneOf(index(at, i), action, ['Audit', 'Deny', 'Warn']),
    ...(again[i] === true ? [duplicate(index(at, i), action)] : []),
  ]);
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const detail =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    causes.push(invalid(at, actions, detail));
  }
  return causes;
}
