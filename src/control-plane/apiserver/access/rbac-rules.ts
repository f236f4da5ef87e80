import type { PathAttributes, ResourceAttributes } from './attributes.ts';
import type { PolicyRule } from './rbac-objects.ts';

const ALL = '*';

/** Whether the rule speaks of the verb and resource, whatever the object's name. */
export function matchesResource(rule: PolicyRule, request: Omit<ResourceAttributes, 'user'>): boolean {
  return has(rule.verbs, request.verb) && has(rule.apiGroups, request.group) && hasResource(rule.resources, request);
}

/** Whether the rule, which speaks of the resource, also holds for an object of that name. */
export function matchesName(rule: PolicyRule, name: string): boolean {
  return !rule.resourceNames?.length || rule.resourceNames.includes(name);
}

/** Whether the rule allows the verb on the path; only a `*` at the end of a rule's path is a wildcard. */
export function matchesPath(rule: PolicyRule, request: Omit<PathAttributes, 'user'>): boolean {
  if (!has(rule.verbs, request.verb)) return false;
  return (rule.nonResourceURLs ?? []).some((url) => coversPath(url, request.path));
}

/** Whether a path of a rule holds for the other path (which may be a pattern itself). */
export function coversPath(url: string, path: string): boolean {
  if (url === ALL || url === path) return true;
  return url.endsWith(ALL) && path.startsWith(withoutStars(url));
}

/** A pattern without the stars at its end; by hand, since a regular expression takes time squared on many stars. */
function withoutStars(url: string): string {
  let end = url.length;
  while (end > 0 && url[end - 1] === ALL) end--;
  return url.slice(0, end);
}

/** Whether the resources of a rule hold for a resource or `resource/subresource`; a rule may leave open either the whole or the part before the slash. */
export function coversResource(resources: readonly string[] | null | undefined, wanted: string): boolean {
  if (!resources) return false;
  if (resources.includes(ALL) || resources.includes(wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && resources.includes(`*${wanted.slice(slash)}`);
}

/** Whether a list of a rule holds `wanted` or a wildcard. */
export function has(list: readonly string[] | null | undefined, wanted: string): boolean {
  return list ? list.includes(ALL) || list.includes(wanted) : false;
}

function hasResource(resources: PolicyRule['resources'], request: Omit<ResourceAttributes, 'user'>): boolean {
  const { resource, subresource } = request;
  return coversResource(resources, subresource ? `${resource}/${subresource}` : resource);
}
