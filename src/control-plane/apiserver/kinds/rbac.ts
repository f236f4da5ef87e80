import { append } from '#platform/base/append';
import { type FieldError, index, invalid, notSupported, required } from '#platform/base/field-error';
import { dns1123SubdomainProblems } from '#platform/base/names';
import { causesFor, same } from './field-checks.ts';
import type { KindStrategy } from './kind-strategy.ts';
import { type LabelSelector, validateSelector } from './label-selector.ts';
import { pathSegmentProblems } from './object-name.ts';

const GROUP = 'rbac.authorization.k8s.io';

interface Rule {
  verbs?: string[] | null;
  apiGroups?: string[];
  resources?: string[];
  nonResourceURLs?: string[];
}

interface Role {
  rules?: Rule[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}

interface Subject {
  kind?: string;
  name?: string;
  namespace?: string;
  apiGroup?: string;
}

interface Binding {
  roleRef?: { apiGroup?: string; kind?: string; name?: string };
  subjects?: Subject[];
}

function validateRule(field: string, rule: Rule, namespaced: boolean): FieldError[] {
  const { verbs, apiGroups = [], resources = [], nonResourceURLs: urls = [] } = rule;
  const causes: FieldError[] = [];
  if ((verbs ?? []).length === 0) causes.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  if (urls.length > 0) {
    const at = `${field}.nonResourceURLs`;
    if (namespaced) causes.push(invalid(at, urls, 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length > 0 || resources.length > 0) {
      causes.push(invalid(at, urls, 'rules cannot apply to both regular resources and non-resource URLs'));
    }
    return causes;
  }
  if (apiGroups.length === 0) {
    causes.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (resources.length === 0) {
    causes.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  }
  return causes;
}

export const roles: KindStrategy<Role> = {
  validate: (object) => (object.rules ?? []).flatMap((rule, i) => validateRule(index('rules', i), rule, true)),
};

export const clusterRoles: KindStrategy<Role> = {
  validate(object) {
    const { rules, aggregationRule } = object;
    const causes = (rules ?? []).flatMap((rule, i) => validateRule(index('rules', i), rule, false));
    if (aggregationRule === undefined) return causes;
    const selectors = aggregationRule.clusterRoleSelectors ?? [];
    const at = 'aggregationRule.clusterRoleSelectors';
    if (selectors.length === 0) {
      causes.push(required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
    }
    for (const [i, selector] of selectors.entries()) {
      const wrong = validateSelector(index(at, i), selector);
      append(causes, wrong);
      if (wrong.length > 0) causes.push(invalid(index(at, i), null, 'invalid label selector.'));
    }
    return causes;
  },
};

function bindings(namespaced: boolean): KindStrategy<Binding> {
  return {
    defaults(object) {
      const { roleRef, subjects = [] } = object;
      if (roleRef !== undefined) roleRef.apiGroup ||= GROUP;
      for (const subject of subjects) {
        if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= GROUP;
      }
    },
    validate(object, old) {
      const { roleRef = {}, subjects = [] } = object;
      const causes = [
        ...validateRoleRef(roleRef, namespaced),
        ...subjects.flatMap((subject, i) => validateSubject(index('subjects', i), subject, namespaced)),
      ];
      const before = old;
      if (before === undefined || same(roleRef, before.roleRef)) return causes;
      const shown = { APIGroup: roleRef.apiGroup, Kind: roleRef.kind, Name: roleRef.name };
      return [...causes, invalid('roleRef', shown, 'cannot change roleRef')];
    },
  };
}

export const roleBindings = bindings(true);
export const clusterRoleBindings = bindings(false);

function validateRoleRef(reference: NonNullable<Binding['roleRef']>, namespaced: boolean): FieldError[] {
  const { apiGroup = GROUP, kind = '', name = '' } = reference;
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return [
    ...(apiGroup === GROUP ? [] : [notSupported('roleRef.apiGroup', apiGroup, [GROUP])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name === '' ? [required('roleRef.name')] : causesFor('roleRef.name', name, pathSegmentProblems(name))),
  ];
}

function validateSubject(field: string, subject: Subject, namespaced: boolean): FieldError[] {
  const { kind = '', name = '', namespace = '', apiGroup = '' } = subject;
  const causes = name === '' ? [required(`${field}.name`)] : [];
  if (kind === 'ServiceAccount') {
    if (name !== '') append(causes, causesFor(`${field}.name`, name, dns1123SubdomainProblems(name)));
    if (apiGroup !== '') causes.push(notSupported(`${field}.apiGroup`, apiGroup, ['']));
    if (!namespaced && namespace === '') causes.push(required(`${field}.namespace`));
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== GROUP) causes.push(notSupported(`${field}.apiGroup`, apiGroup, [GROUP]));
  } else causes.push(notSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
  return causes;
}
