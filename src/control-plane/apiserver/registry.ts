import type { ApiExtension } from '#platform/kube/api-extension';
import type { Resource } from './resource.ts';

/**
 * Holds the served resources. Custom resources come and go while the server runs; `changed` notifies discovery and
 * OpenAPI.
 */
export class Registry {
  readonly #byPath = new Map<string, Resource>();
  readonly #extensions = new Map<string, ApiExtension>();
  readonly #listeners = new Set<() => void>();
  #version = 0;
  #preferredGroup: string | undefined;

  /** Counts the changes, so that documents built from the registry can detect that they are stale. */
  get version(): number {
    return this.#version;
  }

  /** Custom group that discovery lists before the others. */
  get preferredGroup(): string | undefined {
    return this.#preferredGroup;
  }

  prefer(group: string): void {
    this.#preferredGroup = group;
    this.#changed();
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(path(group, version, plural));
  }

  /** Finds the resource of a kind, for objects that reference each other by kind. */
  ofKind(apiVersion: string, kind: string): Resource | undefined {
    for (const resource of this.#byPath.values()) {
      if (resource.kind === kind && apiVersion === groupVersionOf(resource)) return resource;
    }
    return undefined;
  }

  all(): IterableIterator<Resource> {
    return this.#byPath.values();
  }

  add(resources: Iterable<Resource>): void {
    for (const resource of resources)
      this.#byPath.set(path(resource.group, resource.version, resource.plural), resource);
    this.#changed();
  }

  remove(resources: Iterable<Pick<Resource, 'group' | 'version' | 'plural'>>): void {
    for (const { group, version, plural } of resources) this.#byPath.delete(path(group, version, plural));
    this.#changed();
  }

  /** Finds the extension that serves a group version. Objects stored in that group version are not reachable. */
  extension(group: string, version: string): ApiExtension | undefined {
    return this.#extensions.size === 0 ? undefined : this.#extensions.get(`${group}/${version}`);
  }

  extensions(): IterableIterator<ApiExtension> {
    return this.#extensions.values();
  }

  extend(extensions: Iterable<ApiExtension>): void {
    for (const extension of extensions) this.#extensions.set(`${extension.group}/${extension.version}`, extension);
    this.#changed();
  }

  /** Removes the extension of a group version. */
  withdraw(group: string, version: string): void {
    if (this.#extensions.delete(`${group}/${version}`)) this.#changed();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}

const path = (group: string, version: string, plural: string) => `${group}/${version}/${plural}`;
const groupVersionOf = ({ group, version }: Resource) => (group === '' ? version : `${group}/${version}`);
