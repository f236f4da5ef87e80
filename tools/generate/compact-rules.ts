import type { PolicyRule } from '#platform/kube/kinds/rbac';

/**
 * Returns the same permissions in fewer rules: each resource once, and resources of a group with the same verbs
 * together.
 */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const verbs = new Map<string, { group: string; resource: string; names: string; verbs: Set<string> }>();
  for (const { apiGroups = [], resources = [], resourceNames = [], verbs: allowed } of rules) {
    for (const group of apiGroups) {
      for (const resource of resources) {
        const names = [...resourceNames].sort().join(' ');
        const key = [group, resource, names].join('|');
        const known = verbs.get(key) ?? { group, resource, names, verbs: new Set<string>() };
        for (const verb of allowed) known.verbs.add(verb);
        verbs.set(key, known);
      }
    }
  }
  const alike = Map.groupBy(verbs.values(), ({ group, names, verbs: all }) =>
    [group, names, ...[...all].sort(byCustom)].join('|'),
  );
  return [...alike.values()].map((same) => {
    const [{ group, names, verbs: all } = { group: '', names: '', verbs: new Set<string>() }] = same;
    return {
      apiGroups: [group],
      resources: same.map(({ resource }) => resource),
      ...(names === '' ? {} : { resourceNames: names.split(' ') }),
      verbs: [...all].sort(byCustom),
    };
  });
}

/** Customary order of verbs. */
const CUSTOM = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const byCustom = (a: string, b: string) => CUSTOM.indexOf(a) - CUSTOM.indexOf(b);
