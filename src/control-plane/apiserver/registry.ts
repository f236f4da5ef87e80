import type { ApiExtension } from '#platform/kube/api-extension';
import type { Resource } from './resource.ts';

/**
 * Which resources are served. Custom resources come and go while the server runs; `changed` lets discovery and OpenAPI
 * notice.
 */
export class Registry {
  readonly #byPath = new Map<string, Resource>();
  readonly #extensions = new Map<string, ApiExtension>();
  readonly #listeners = new Set<() => void>();
  #version = 0;

  /** Counts the changes, so that documents made from the registry know when they are behind. */
  get version(): number {
    return this.#version;
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPath.get(path(group, version, plural));
  }

  /** The resource of a kind, for objects that name each other by kind. */
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

  /** A group version that is served by code; whatever is stored in it is out of reach. */
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
