import { toBase64 } from '#platform/base/base64';
import { sha256 } from '#platform/base/sha256';
import type { ApiExtension } from '#platform/kube/api-extension';
import type { Registry } from '../registry.ts';
import type { Resource, Subresource } from '../resource.ts';
import { aggregatedExtension, extensionEntries } from './extension-discovery.ts';

/** Resources of one group version: stored objects, or code. */
type Served = Resource[] | ApiExtension;

const OTHER_PATHS = [
  '/.well-known/openid-configuration',
  '/healthz',
  '/livez',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openid/v1/jwks',
  '/readyz',
  '/version',
];

/** Priority of custom groups. Groups of extensions specify their own. */
const CUSTOM_PRIORITY = 1000;

/** Builds the discovery documents: /api, /apis, one per group, one per version, and the aggregated ones. */
export class Discovery {
  readonly #registry: Registry;
  readonly #priority: readonly string[];
  #version = -1;
  #groups = new Map<string, Map<string, Served>>();

  /** `priority` is the order of the built-in groups; others follow by their priority and name. */
  constructor(registry: Registry, priority: readonly string[]) {
    this.#registry = registry;
    this.#priority = priority;
  }

  /** Reports whether a group is one of Kubernetes' own. */
  isBuiltIn(group: string): boolean {
    return this.#priority.includes(group);
  }

  core(): object {
    return {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1' }],
    };
  }

  groupList(): object {
    const groups = [...this.#current().keys()].filter((group) => group !== '').map((group) => this.#group(group));
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }

  group(name: string): object | undefined {
    if (!this.#current().has(name) || name === '') return undefined;
    return { kind: 'APIGroup', apiVersion: 'v1', ...this.#group(name) };
  }

  version(group: string, version: string): object | undefined {
    const served = this.#current().get(group)?.get(version);
    if (served === undefined) return undefined;
    const groupVersion = joinGroupVersion(group, version);
    return {
      kind: 'APIResourceList',
      ...(group === '' ? {} : { apiVersion: 'v1' }),
      groupVersion,
      resources: Array.isArray(served) ? served.flatMap(plainEntries) : extensionEntries(served),
    };
  }

  /** Returns the paths of all documents. */
  paths(): string[] {
    const found = ['/api', '/api/v1', '/apis', '/apis/', ...OTHER_PATHS];
    for (const [group, versions] of this.#current()) {
      if (group === '') continue;
      found.push(`/apis/${group}`, ...[...versions.keys()].map((version) => `/apis/${group}/${version}`));
    }
    return found.sort();
  }

  /** Returns the apidiscovery.k8s.io/v2 document for /api (`core`) or /apis. */
  aggregated(core: boolean): object {
    const items = [...this.#current()]
      .filter(([group]) => (group === '') === core)
      .map(([group, versions]) => ({
        metadata: { ...(group === '' ? {} : { name: group }), creationTimestamp: null },
        versions: [...versions].map(([version, served]) => ({
          version,
          resources: Array.isArray(served) ? served.map(aggregatedEntry) : aggregatedExtension(served),
          freshness: 'Current',
        })),
      }));
    return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  }

  #group(name: string): object {
    const versions = [...(this.#current().get(name)?.keys() ?? [])].map((version) => ({
      groupVersion: joinGroupVersion(name, version),
      version,
    }));
    return { name, versions, preferredVersion: versions[0] };
  }

  #current(): Map<string, Map<string, Served>> {
    if (this.#version === this.#registry.version) return this.#groups;
    const groups = new Map<string, Map<string, Served>>();
    const versionsOf = (group: string) => {
      const versions = groups.get(group) ?? new Map<string, Served>();
      groups.set(group, versions);
      return versions;
    };
    for (const resource of this.#registry.all()) {
      const versions = versionsOf(resource.group);
      const served = versions.get(resource.version);
      versions.set(resource.version, [...(Array.isArray(served) ? served : []), resource]);
    }
    const extended = new Map<string, number>();
    for (const extension of this.#registry.extensions()) {
      versionsOf(extension.group).set(extension.version, extension);
      extended.set(extension.group, extension.priority?.group ?? CUSTOM_PRIORITY);
    }
    const { preferredGroup } = this.#registry;
    const priorityOf = (group: string) =>
      extended.get(group) ?? (group === preferredGroup ? CUSTOM_PRIORITY + 1 : CUSTOM_PRIORITY);
    const rank = (group: string) =>
      this.#priority.includes(group) ? this.#priority.indexOf(group) : this.#priority.length;
    const order = [...groups.keys()].sort(
      (a, b) => rank(a) - rank(b) || priorityOf(b) - priorityOf(a) || (a < b ? -1 : 1),
    );
    this.#groups = new Map(order.map((group) => [group, sortedVersions(groups.get(group) ?? new Map())]));
    this.#version = this.#registry.version;
    return this.#groups;
  }
}

const joinGroupVersion = (group: string, version: string) => (group === '' ? version : `${group}/${version}`);

/** Orders v2 before v1 before v1beta2 before v1alpha1, as Kubernetes orders versions; other names come last. */
export function compareVersions(a: string, b: string): number {
  const parts = (version: string) => {
    const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
    if (major === undefined) return undefined;
    return [stage === undefined ? 2 : stage === 'beta' ? 1 : 0, Number(major), Number(minor ?? 0)] as const;
  };
  const [left, right] = [parts(a), parts(b)];
  if (left === undefined || right === undefined) {
    if (left === right) return a < b ? -1 : 1;
    return left === undefined ? 1 : -1;
  }
  return right[0] - left[0] || right[1] - left[1] || right[2] - left[2];
}

function sortedVersions(versions: Map<string, Served>): Map<string, Served> {
  const sorted = [...versions].sort(([a], [b]) => compareVersions(a, b));
  return new Map(
    sorted.map(([version, served]) => [
      version,
      Array.isArray(served) ? served.sort((a, b) => (a.plural < b.plural ? -1 : 1)) : served,
    ]),
  );
}

function plainEntries(resource: Resource): object[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories, subresources } = resource;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
      ...storedAs(resource),
    },
    ...[...subresources.values()].map((subresource) => ({
      name: `${plural}/${subresource.name}`,
      singularName: '',
      namespaced,
      ...(subresource.group === '' || isOwnKind(resource, subresource) ? {} : { group: subresource.group }),
      ...(subresource.version === '' || isOwnKind(resource, subresource) ? {} : { version: subresource.version }),
      kind: subresource.kind,
      verbs: subresource.verbs,
    })),
  ];
}

/** Reports whether a subresource has the kind of its object, which then need not be named. */
function isOwnKind({ group, version, kind }: Resource, other: Subresource): boolean {
  return other.group === group && other.version === version && other.kind === kind;
}

/** Returns the storage version hash, which distinguishes storage versions without naming them. */
function storedAs({ group, kind, storage, verbs }: Resource): { storageVersionHash?: string } {
  if (!verbs.includes('watch')) return {};
  const stored = storage.apiVersion.includes('/') ? storage.apiVersion : `${group}/${storage.apiVersion}`;
  const hash = sha256(`${stored}/${kind}`);
  return { storageVersionHash: toBase64(hash.subarray(0, 8)) };
}

function aggregatedEntry(resource: Resource): object {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories, subresources, group, version } = resource;
  const gvk = resource.custom ? { group, version, kind } : { group: '', version: '', kind };
  return {
    resource: plural,
    responseKind: gvk,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.size === 0
      ? {}
      : {
          subresources: [...subresources.values()].map((subresource) => ({
            subresource: subresource.name,
            responseKind: { group: subresource.group, version: subresource.version, kind: subresource.kind },
            verbs: subresource.verbs,
          })),
        }),
  };
}
