import type { ClusterRole, PolicyRule, RoleSelector } from './rbac-objects.ts';

/**
 * Returns the rules of an aggregated ClusterRole: those of every role that one of its selectors matches, by name, each
 * once. Undefined if the role is not aggregated and has its own rules.
 */
export function aggregatedRoleRules(role: ClusterRole, roles: Iterable<ClusterRole>): PolicyRule[] | undefined {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (!selectors) return undefined;
  const others = [...roles].filter(({ metadata }) => metadata.name !== role.metadata.name);
  others.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules = new Map<string, PolicyRule>();
  const taken = new Set<ClusterRole>();
  for (const selector of selectors) {
    for (const other of others) {
      // Each role's rules are added once, however many selectors match it.
      if (taken.has(other) || !selects(selector, other.metadata.labels ?? {})) continue;
      taken.add(other);
      for (const rule of other.rules ?? []) {
        const key = ruleKey(rule);
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  return [...rules.values()];
}

/** Returns a key that equal rules share: their lists are equal, in order, and an absent list equals an empty one. */
function ruleKey(rule: PolicyRule): string {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  return JSON.stringify([verbs, apiGroups ?? [], resources ?? [], resourceNames ?? [], nonResourceURLs ?? []]);
}

/** Reports whether the labels match the selector; an empty selector matches all, one with an unknown operator none. */
function selects(selector: RoleSelector, labels: Readonly<Record<string, string>>): boolean {
  const exact = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return (
    exact &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      if (operator === 'In') return value !== undefined && values.includes(value);
      return operator === 'NotIn' && (value === undefined || !values.includes(value));
    })
  );
}
