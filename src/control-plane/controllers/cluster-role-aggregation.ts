import { jsonEqual } from '#platform/base/json-equal';
import { CLUSTER_ROLES, type ClusterRole, type PolicyRule } from '#platform/kube/kinds/rbac';
import { labelSelectorOf } from '#platform/kube/selectors/label-selector';
import type { Index } from '#platform/runtime/cache';
import { type Controller, watchSource } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';

const selectorsOf = ({ aggregationRule }: ClusterRole) =>
  (aggregationRule?.clusterRoleSelectors ?? []).map((selector) => labelSelectorOf(selector));

/** Returns the rules of all roles that a role's selectors match, sorted by role name and without duplicates. */
export function aggregatedRules(role: ClusterRole, roles: Iterable<ClusterRole>): PolicyRule[] {
  const nameOf = ({ metadata }: ClusterRole) => metadata.name ?? '';
  const others = [...roles].filter((other) => nameOf(other) !== nameOf(role));
  others.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of selectorsOf(role)) {
    for (const { metadata, rules: found = [] } of others) {
      if (!selector.matches(metadata.labels)) continue;
      for (const rule of found) if (!rules.some((known) => jsonEqual(known, rule))) rules.push(rule);
    }
  }
  return rules;
}

const AGGREGATED: Index<ClusterRole> = {
  values: ({ aggregationRule }) => (aggregationRule === undefined ? [] : ['yes']),
};

/** Maintains the rules of aggregated roles such as `admin` and `edit`. */
export const clusterRoleAggregation: Controller<ClusterRole> = {
  name: 'cluster role aggregation',
  for: CLUSTER_ROLES,
  watches: [
    watchSource(CLUSTER_ROLES, ({ metadata }, { cache }) =>
      [...cache(CLUSTER_ROLES).by(AGGREGATED, 'yes')]
        .filter((role) => selectorsOf(role).some((selector) => selector.matches(metadata.labels)))
        .map(keyOf),
    ),
  ],
  async reconcile(role, { cache, client }) {
    if (role.aggregationRule === undefined) return;
    const rules = aggregatedRules(role, cache(CLUSTER_ROLES).all());
    if (!jsonEqual(rules, role.rules ?? [])) await client.update(CLUSTER_ROLES, { ...role, rules });
  },
};
