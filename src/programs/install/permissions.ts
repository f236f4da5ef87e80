import type { Client } from '#platform/kube/client';
import { NAMESPACES } from '#platform/kube/kinds/core';
import { CUSTOM_RESOURCE_DEFINITIONS } from '#platform/kube/kinds/custom-resource-definition';
import { NODES } from '#platform/kube/kinds/node';
import type { PolicyRule } from '#platform/kube/kinds/rbac';
import { CLUSTER_ROLES } from '#platform/kube/kinds/rbac';
import { type Access, accessLines, deniedAccess, grantedBy } from './access.ts';
import { type DesiredObject, ROLES } from './desired-objects.ts';

/** Returns the permissions that applying some objects requires, besides those that their roles grant. */
export function needsOf(desired: readonly DesiredObject[]): Access[] {
  const needs = new Map<string, Access>();
  const need = (access: Access) => needs.set(JSON.stringify(access), access);
  for (const { type, object } of desired) {
    const { namespace } = object.metadata;
    const where = type.namespaced && namespace !== undefined ? { namespace } : {};
    const resource = { group: type.group, resource: type.plural };
    // Server-side apply is a patch, and requires the permission to create if the object is new.
    const verbs = [
      'get',
      'create',
      'patch',
      ...(type === CUSTOM_RESOURCE_DEFINITIONS ? ['watch'] : type === NODES ? ['list'] : []),
    ];
    for (const verb of verbs) need({ verb, ...resource, ...where });
    if (type === NODES) need({ verb: 'patch', group: '', resource: 'nodes/status' });
    if (type.namespaced) need({ verb: 'get', group: NAMESPACES.group, resource: NAMESPACES.plural });
  }
  return [...needs.values()];
}

/** Returns the permissions that we lack and require, as lines. */
export async function missingPermissions(client: Client, desired: readonly DesiredObject[]): Promise<string[]> {
  const missing = await deniedAccess(client, needsOf(desired));
  return [...accessLines(missing), ...(await ungrantable(client, desired))];
}

/**
 * Returns the permissions in our roles that we lack ourselves. Nobody may grant those without the verbs escalate and
 * bind on roles.
 */
async function ungrantable(client: Client, desired: readonly DesiredObject[]): Promise<string[]> {
  const roles = desired.filter(({ type }) => [CLUSTER_ROLES.plural, ROLES.plural].includes(type.plural));
  const places = new Map<string, Access[]>();
  for (const { type, object } of roles) {
    const { namespace } = object.metadata;
    const rules = (object['rules'] ?? []) as readonly PolicyRule[];
    const where = type.namespaced && namespace !== undefined ? { namespace } : {};
    const key = JSON.stringify({ group: type.group, resource: type.plural, ...where });
    places.set(key, [...(places.get(key) ?? []), ...rules.flatMap((rule) => grantedBy(rule, where.namespace))]);
  }
  const lines: string[] = [];
  for (const [key, given] of places) {
    const resource = JSON.parse(key) as Omit<Access, 'verb'>;
    const powers = await deniedAccess(
      client,
      ['escalate', 'bind'].map((verb) => ({ verb, ...resource })),
    );
    if (powers.length === 0) continue;
    const distinct = [...new Map(given.map((access) => [JSON.stringify(access), access])).values()];
    const lacking = await deniedAccess(client, distinct);
    if (lacking.length === 0) continue;
    const rest = `or each permission that they grant, of which ${lacking.length} of ${distinct.length} are missing`;
    lines.push(...accessLines(powers).map((line) => `${line}, ${rest}`));
  }
  return lines;
}
