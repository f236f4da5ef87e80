import { append } from '#platform/base/append';
import { encodeUtf8 } from '#platform/base/bytes';
import type { Registry } from '../registry.ts';
import { apiVersionOf, type Resource } from '../resource.ts';
import { builtInComponent } from './built-in-component.ts';
import type { Component } from './component.ts';
import { DELETE_OPTIONS, WATCH_EVENT } from './component-name.ts';
import { type CustomSchema, customComponents, customDefinitions } from './custom-component.ts';
import { documentV2 } from './document-v2.ts';
import { type ComponentText, componentText, documentV3 } from './document-v3.ts';
import { encodeDocument, type MessageEncoder } from './gnostic.ts';
import { DOCUMENT_V2 } from './gnostic-v2.ts';
import { DOCUMENT_V3 } from './gnostic-v3.ts';
import { compare, type PathOperations } from './operation.ts';
import { resourcePaths } from './resource-paths.ts';
import { CORE_VERSIONS, GROUPS, groupPath, VERSION, versionPath } from './server-paths.ts';

/** A finished document. The hash changes with its content. */
export interface OpenApiDocument {
  readonly json: Uint8Array;
  readonly hash: string;
  /** Returns the document in gnostic's protobuf. */
  protobuf(): Uint8Array;
}

export interface DocumentsDeps {
  readonly registry: Registry;
  /** Kubernetes version to report, such as 1.36. */
  readonly version: string;
  /** Returns the hash of a document's content, in hexadecimal digits. */
  readonly digest: (content: Uint8Array) => string;
  /** Returns the schema of a custom resource, undefined if its CRD is gone. */
  readonly customSchema: (resource: Resource) => CustomSchema | undefined;
}

/** Resources of one group version, and the document built from them. */
interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly Resource[];
  document?: OpenApiDocument;
}

const CUSTOM_INFO = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };

/**
 * OpenAPI documents of the served resources. Each is built on first use, and retained until a resource of its group
 * version changes.
 */
export class Documents {
  readonly #parts: DocumentsDeps;
  readonly #info: { readonly title: string; readonly version: string };
  /** Documents without resources: /api, /apis, one per built-in group, and /version. */
  readonly #server = new Map<string, OpenApiDocument>();
  #registryVersion = -1;
  #groupVersions: ReadonlyMap<string, GroupVersion> = new Map();
  #index: string | undefined;
  #v2: OpenApiDocument | undefined;

  constructor(parts: DocumentsDeps) {
    this.#parts = parts;
    this.#info = { title: 'Kubernetes', version: parts.version };
  }

  /** Returns the paths of all documents with their hashes. */
  index(): string {
    const groupVersions = this.#current();
    this.#index ??= JSON.stringify({
      paths: Object.fromEntries(
        [...groupVersions.keys(), ...this.#serverPaths().keys()].sort(compare).map((path) => {
          const serverRelativeURL = `/openapi/v3/${path}?hash=${this.v3(path)?.hash}`;
          return [path, { serverRelativeURL }];
        }),
      ),
    });
    return this.#index;
  }

  /** Returns the document at a path such as `api/v1` or `apis/apps/v1`. */
  v3(path: string): OpenApiDocument | undefined {
    const found = this.#current().get(path);
    if (found !== undefined) {
      found.document ??= this.#finish(this.#groupVersion(found), DOCUMENT_V3);
      return found.document;
    }
    const operations = this.#serverPaths().get(path);
    if (operations === undefined) return undefined;
    let document = this.#server.get(path);
    if (document === undefined) {
      document = this.#finish(
        documentV3({ info: this.#info, paths: [operations], component: builtInText, security: true }),
        DOCUMENT_V3,
      );
      this.#server.set(path, document);
    }
    return document;
  }

  /** Returns the single document of OpenAPI v2. */
  v2(): OpenApiDocument {
    const groupVersions = [...this.#current().values()];
    this.#v2 ??= this.#finish(JSON.stringify(this.#allInOne(groupVersions)), DOCUMENT_V2);
    return this.#v2;
  }

  #finish(text: string, message: MessageEncoder): OpenApiDocument {
    const json = encodeUtf8(text);
    let protobuf: Uint8Array | undefined;
    return {
      json,
      hash: this.#parts.digest(json).toUpperCase(),
      protobuf() {
        // Few clients request it, and they cache the response.
        protobuf ??= encodeDocument(message, JSON.parse(text));
        return protobuf;
      },
    };
  }

  #groupVersion({ group, version, resources }: GroupVersion): string {
    const custom = resources.every((resource) => resource.custom);
    const own = new Map<string, ComponentText>();
    for (const resource of resources) {
      const schema = resource.custom ? this.#parts.customSchema(resource) : undefined;
      if (schema === undefined) continue;
      for (const [name, component] of Object.entries(customComponents(resource, schema)))
        own.set(name, componentText(component));
    }
    const kinds = custom ? this.#builtInVersions() : [{ group, version }];
    return documentV3({
      info: custom ? CUSTOM_INFO : this.#info,
      paths: [...(custom ? [] : [versionPath(group, version)]), ...resources.flatMap(resourcePaths)],
      component: (name) => own.get(name) ?? everywhereText(name, kinds) ?? builtInText(name),
      security: !custom,
    });
  }

  #allInOne(groupVersions: readonly GroupVersion[]): object {
    const own = new Map<string, Component>();
    const paths: PathOperations[] = [...this.#serverPaths().values()];
    for (const { group, version, resources } of groupVersions) {
      if (!resources.every((resource) => resource.custom)) paths.push(versionPath(group, version));
      for (const resource of resources) {
        append(paths, resourcePaths(resource));
        const schema = resource.custom ? this.#parts.customSchema(resource) : undefined;
        if (schema === undefined) continue;
        for (const [name, definition] of Object.entries(customDefinitions(resource, schema))) own.set(name, definition);
      }
    }
    const kinds = this.#builtInVersions();
    return documentV2({
      info: this.#info,
      paths,
      component: (name) => own.get(name) ?? everywhere(name, kinds) ?? builtInComponent(name),
    });
  }

  #builtInVersions(): { group: string; version: string }[] {
    return [...this.#current().values()]
      .filter(({ resources }) => !resources.every(({ custom }) => custom))
      .map(({ group, version }) => ({ group, version }))
      .sort((a, b) => compare(a.group, b.group) || compare(a.version, b.version));
  }

  #serverPaths(): Map<string, PathOperations> {
    const groups = new Set(this.#builtInVersions().map(({ group }) => group));
    groups.delete('');
    return new Map([
      ['api', CORE_VERSIONS],
      ['apis', GROUPS],
      ...[...groups].map((group): [string, PathOperations] => [`apis/${group}`, groupPath(group)]),
      ['version', VERSION],
    ]);
  }

  /** Regroups the resources after a change. Group versions with unchanged resources retain their documents. */
  #current(): ReadonlyMap<string, GroupVersion> {
    const { registry } = this.#parts;
    if (this.#registryVersion === registry.version) return this.#groupVersions;
    const found = new Map<string, { group: string; version: string; resources: Resource[] }>();
    for (const resource of registry.all()) {
      const path = `${resource.group === '' ? 'api' : 'apis'}/${apiVersionOf(resource)}`;
      const { group, version } = resource;
      const entry = found.get(path) ?? { group, version, resources: [] };
      found.set(path, entry);
      entry.resources.push(resource);
    }
    const before = this.#groupVersions;
    this.#groupVersions = new Map([...found].map(([path, entry]) => [path, same(before.get(path), entry) ?? entry]));
    this.#registryVersion = registry.version;
    this.#index = undefined;
    this.#v2 = undefined;
    return this.#groupVersions;
  }
}

function same(before: GroupVersion | undefined, now: GroupVersion): GroupVersion | undefined {
  if (before?.resources.length !== now.resources.length) return undefined;
  return before.resources.every((resource, index) => resource === now.resources[index]) ? before : undefined;
}

const texts = new Map<string, ComponentText | undefined>();

function builtInText(name: string): ComponentText | undefined {
  if (!texts.has(name)) {
    const component = builtInComponent(name);
    texts.set(name, component === undefined ? undefined : componentText(component));
  }
  return texts.get(name);
}

const EVERYWHERE: ReadonlyMap<string, string> = new Map([
  [DELETE_OPTIONS, 'DeleteOptions'],
  [WATCH_EVENT, 'WatchEvent'],
]);

/** Builds a component of a kind that belongs to every group version, each of which the document lists. */
function everywhere(name: string, versions: readonly { group: string; version: string }[]): Component | undefined {
  const kind = EVERYWHERE.get(name);
  if (kind === undefined) return undefined;
  const others = versions.filter(({ group }) => group !== '');
  const kinds = [{ group: '', version: 'v1' }, ...others].map(({ group, version }) => ({ group, kind, version }));
  return { ...builtInComponent(name), 'x-kubernetes-group-version-kind': kinds };
}

function everywhereText(
  name: string,
  versions: readonly { group: string; version: string }[],
): ComponentText | undefined {
  const component = everywhere(name, versions);
  return component === undefined ? undefined : componentText(component);
}
