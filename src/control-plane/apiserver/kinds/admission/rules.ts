import { append } from '#platform/base/append';
import { type FieldError, index, invalid, required } from '#platform/base/field-error';
import { validateOneOf, validateOneOfIfSet } from '../field-checks.ts';

/** Rule that selects the requests of an admission webhook or policy. */
export interface Rule {
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  operations?: string[];
  scope?: string;
}

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

export function validateRules(field: string, rules: readonly Rule[]): FieldError[] {
  return rules.flatMap((rule, i) => validateRule(index(field, i), rule));
}

function validateRule(field: string, rule: Rule): FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const causes = operations.length === 0 ? [required(`${field}.operations`)] : [];
  append(causes, alone(`${field}.operations`, operations, 'operations'));
  for (const [i, operation] of operations.entries()) {
    append(causes, validateOneOf(index(`${field}.operations`, i), operation, OPERATIONS));
  }
  if (apiGroups.length === 0) causes.push(required(`${field}.apiGroups`));
  append(causes, alone(`${field}.apiGroups`, apiGroups, 'API groups'));
  if (apiVersions.length === 0) causes.push(required(`${field}.apiVersions`));
  append(causes, alone(`${field}.apiVersions`, apiVersions, 'API versions'));
  for (const [i, version] of apiVersions.entries()) {
    if (version === '') causes.push(required(index(`${field}.apiVersions`, i)));
  }
  return [
    ...causes,
    ...validateResources(`${field}.resources`, resources),
    ...validateOneOfIfSet(`${field}.scope`, scope, ['*', 'Cluster', 'Namespaced']),
  ];
}

/** Requires that the wildcard is the only entry. */
function alone(field: string, names: readonly string[], what: string): FieldError[] {
  if (names.length < 2 || !names.includes('*')) return [];
  return [invalid(field, names, `if '*' is present, must not specify other ${what}`)];
}

function validateResources(field: string, resources: readonly string[]): FieldError[] {
  if (resources.length === 0) return [required(field)];
  const causes: FieldError[] = [];
  for (const [i, resource] of resources.entries()) {
    if (resource === '') causes.push(required(index(field, i)));
    const [name = '', subresource] = resource.split('/');
    if (
      subresource === '*' &&
      name !== '*' &&
      resources.some((each) => each !== resource && each.startsWith(`${name}/`))
    ) {
      const detail = `if '${resource}' is present, must not specify other subresources of ${name}`;
      causes.push(invalid(index(field, i), resource, detail));
    }
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    causes.push(invalid(field, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && resources.some((each) => each !== '*' && !each.includes('/'))) {
    causes.push(invalid(field, resources, "if '*' is present, must not specify other resources without subresources"));
  }
  return causes;
}
