import type { PathAttributes, ResourceAttributes } from './attributes.ts';
import type { PolicyRule } from './rbac-objects.ts';

const ALL = '*';

/** Reports whether the rule covers the verb and resource, regardless of the object's name. */
export function matchesResource(rule: PolicyRule, request: Omit<ResourceAttributes, 'user'>): boolean {
  return has(rule.verbs, request.verb) && has(rule.apiGroups, request.group) && hasResource(rule.resources, request);
}

/** Reports whether the rule, which covers the resource, also covers an object of that name. */
export function matchesName(rule: PolicyRule, name: string): boolean {
  return !rule.resourceNames?.length || rule.resourceNames.includes(name);
}

/** Reports whether the rule allows the verb on the path. Only a `*` at the end of a rule's path is a wildcard. */
export function matchesPath(rule: PolicyRule, request: Omit<PathAttributes, 'user'>): boolean {
  if (!has(rule.verbs, request.verb)) return false;
  return (rule.nonResourceURLs ?? []).some((url) => coversPath(url, request.path));
}

/** Reports whether a path of a rule covers the other path (which may be a pattern itself). */
export function coversPath(url: string, path: string): boolean {
  if (url === ALL || url === path) return true;
  return url.endsWith(ALL) && path.startsWith(withoutStars(url));
}

/**
 * Returns a pattern without the stars at its end. It uses no regular expression, which takes quadratic time on many
 * stars.
 */
function withoutStars(url: string): string {
  let end = url.length;
  while (end > 0 && url[end - 1] === ALL) end--;
  return url.slice(0, end);
}

/**
 * Reports whether the resources of a rule cover a resource or `resource/subresource`. A rule may have a wildcard for
 * the whole or for the part before the slash.
 */
export function coversResource(resources: readonly string[] | null | undefined, desired: string): boolean {
  if (!resources) return false;
  if (resources.includes(ALL) || resources.includes(desired)) return true;
  const slash = desired.indexOf('/');
  return slash >= 0 && resources.includes(`*${desired.slice(slash)}`);
}

/** Reports whether a list of a rule contains `desired` or a wildcard. */
export function has(list: readonly string[] | null | undefined, desired: string): boolean {
  return list ? list.includes(ALL) || list.includes(desired) : false;
}

function hasResource(resources: PolicyRule['resources'], request: Omit<ResourceAttributes, 'user'>): boolean {
  const { resource, subresource } = request;
  return coversResource(resources, subresource ? `${resource}/${subresource}` : resource);
}
