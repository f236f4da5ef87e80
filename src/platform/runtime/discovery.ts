import type { Client, ResourceType } from '#platform/kube/client';

/** Resource in one version, as a server lists it in discovery. */
export interface DiscoveredResource extends ResourceType {
  readonly verbs: readonly string[];
}

export interface DiscoveryResult {
  /** Every resource in every version, the preferred one of each first. */
  readonly resources: readonly DiscoveredResource[];
  /** Errors by group version that could not be queried. */
  readonly failed: ReadonlyMap<string, unknown>;
}

interface GroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions: readonly { readonly groupVersion: string }[];
    readonly preferredVersion?: { readonly groupVersion: string };
  }[];
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

/** Discovers the resources of a server. A failing group does not hide the others. */
export async function discover(client: Client, signal?: AbortSignal): Promise<DiscoveryResult> {
  const options = signal === undefined ? {} : { signal };
  const { groups = [] } = JSON.parse(await client.raw('/apis', options)) as GroupList;
  const desired = groups.flatMap(({ versions, preferredVersion }) => {
    const names = versions.map(({ groupVersion }) => groupVersion);
    const first = preferredVersion?.groupVersion ?? names[0] ?? '';
    return [first, ...names.filter((name) => name !== first)];
  });
  const failed = new Map<string, unknown>();
  const lists = await Promise.all(
    ['v1', ...desired].map(async (groupVersion) => {
      try {
        const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
        return resourcesOf(groupVersion, JSON.parse(await client.raw(path, options)) as ResourceList);
      } catch (error) {
        failed.set(groupVersion, error);
        return [];
      }
    }),
  );
  return { resources: lists.flat(), failed };
}

function resourcesOf(groupVersion: string, { resources = [] }: ResourceList): DiscoveredResource[] {
  const slash = groupVersion.indexOf('/');
  const place = { group: groupVersion.slice(0, Math.max(slash, 0)), version: groupVersion.slice(slash + 1) };
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, verbs }) => ({ ...place, plural: name, kind, namespaced, verbs }));
}

/** Returns each resource once, in its preferred version. */
export function preferredVersions(resources: readonly DiscoveredResource[]): DiscoveredResource[] {
  const first = new Map<string, DiscoveredResource>();
  for (const resource of resources) {
    const key = `${resource.group}/${resource.plural}`;
    if (!first.has(key)) first.set(key, resource);
  }
  return [...first.values()];
}
