import type { Logger } from '../../base/logger.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import { ApiError } from '../api-error.ts';
import { type Backend, timestamp } from '../backend.ts';
import type { Call } from '../call.ts';
import type { Resource } from '../resource.ts';
import type { Entry } from '../store/store.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { rewrite } from '../verbs/update.ts';
import type { Convert } from './conversion.ts';
import { customResources } from './custom-resource.ts';
import { CLEANUP_FINALIZER, type Definition, type DefinitionNames, isTrue } from './definition.ts';
import { statusOf } from './definition-status.ts';

export interface DefinitionsParts {
  readonly backend: Backend;
  readonly call: Call;
  readonly log: Logger;
  readonly converterFor: (definition: Definition) => Convert;
}

/**
 * Serves what the stored CustomResourceDefinitions define, as they come, change and go. Reads them from the store and
 * follows it until the call's signal ends.
 */
export class Definitions {
  readonly #parts: DefinitionsParts;
  readonly #resource: Resource;
  readonly #known = new Map<string, Definition>();
  readonly #served = new Map<string, readonly Resource[]>();
  readonly #finishing = new Set<string>();

  constructor(parts: DefinitionsParts) {
    this.#parts = parts;
    const resource = parts.backend.registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    if (resource === undefined) throw new Error('customresourcedefinitions are not served');
    this.#resource = resource;
  }

  /** Takes in what is stored now, then follows in the background. */
  start(): void {
    const { stores } = this.#parts.backend;
    const { prefix } = this.#resource.storage;
    const { entries, revision } = stores.main.range({ prefix });
    for (const entry of entries) this.#take(entry);
    void this.#follow(prefix, revision);
  }

  async #follow(prefix: string, after: number): Promise<void> {
    const { backend, call, log } = this.#parts;
    for (const definition of this.#known.values()) await this.#reconcile(definition);
    for await (const batch of backend.stores.main.watch({ prefix, after, signal: call.signal })) {
      for (const event of batch) {
        if (event.type === 'progress') continue;
        try {
          if (event.entry === undefined) this.#forget(event.previous as Entry);
          else await this.#reconcile(this.#take(event.entry));
        } catch (error) {
          log.error({ key: event.key, error }, 'a CustomResourceDefinition could not be taken in');
        }
      }
    }
  }

  #take(entry: Entry): Definition {
    const definition = this.#parts.backend.parsed.get(entry) as unknown as Definition;
    this.#known.set(definition.metadata.name ?? '', definition);
    this.#serve(definition);
    return definition;
  }

  /** Only an established definition is served. */
  #serve(definition: Definition): void {
    const { backend, converterFor } = this.#parts;
    const name = definition.metadata.name ?? '';
    const before = this.#served.get(name) ?? [];
    const resources = isTrue(definition, 'Established') ? customResources(definition, converterFor(definition)) : [];
    const gone = before.filter((old) => !resources.some((resource) => resource.version === old.version));
    if (gone.length > 0) backend.registry.remove(gone);
    if (resources.length > 0) backend.registry.add(resources);
    this.#served.set(name, resources);
  }

  #forget(entry: Entry): void {
    const { name = '' } = this.#parts.backend.parsed.get(entry).metadata;
    this.#parts.backend.registry.remove(this.#served.get(name) ?? []);
    this.#served.delete(name);
    this.#known.delete(name);
  }

  async #reconcile(definition: Definition): Promise<void> {
    if (definition.metadata.deletionTimestamp === undefined) await this.#report(definition);
    else this.#beginFinishing(definition);
  }

  async #report(definition: Definition): Promise<void> {
    const { backend } = this.#parts;
    const status = statusOf(definition, this.#takenBeside(definition), timestamp(backend.clock));
    if (JSON.stringify(status) === JSON.stringify(definition.status)) return;
    await this.#rewrite(definition, 'status', (current) => ({ ...structuredClone(current), status }));
  }

  #takenBeside({ metadata, spec }: Definition) {
    const others = [...this.#known.values()].filter(
      (other) =>
        other.metadata.name !== metadata.name && other.spec.group === spec.group && isTrue(other, 'NamesAccepted'),
    );
    return (field: keyof DefinitionNames, value: string): boolean =>
      others.some((other) => {
        const names = other.status?.acceptedNames ?? other.spec.names;
        if (field === 'kind' || field === 'listKind') return names.kind === value || names.listKind === value;
        return [names.plural, names.singular, ...(names.shortNames ?? [])].includes(value);
      });
  }

  /** One definition waits for its instances; the others need not wait for it. */
  #beginFinishing(definition: Definition): void {
    const { uid = '', name } = definition.metadata;
    if (this.#finishing.has(uid)) return;
    this.#finishing.add(uid);
    this.#finish(definition)
      .catch((error: unknown) =>
        this.#parts.log.error({ name, error }, 'a CustomResourceDefinition could not be finished'),
      )
      .finally(() => this.#finishing.delete(uid));
  }

  /** Instances go before their definition. */
  async #finish(definition: Definition): Promise<void> {
    if (definition.metadata.finalizers?.includes(CLEANUP_FINALIZER) !== true) return;
    const { backend, call } = this.#parts;
    const [resource] = this.#served.get(definition.metadata.name ?? '') ?? [];
    if (resource !== undefined) {
      await deleteCollection(backend, resource, '', {}, {}, call);
      const left = backend.stores.main.range({ prefix: resource.storage.prefix, limit: 1 });
      if (left.entries.length > 0) {
        await this.#awaitEmpty(resource);
      }
    }
    await this.#rewrite(definition, '', (current) => {
      const object = structuredClone(current);
      object.metadata.finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== CLEANUP_FINALIZER);
      return object;
    });
  }

  /** Waits for instances that others must finish first. */
  async #awaitEmpty({ storage }: Resource): Promise<void> {
    const { backend, call } = this.#parts;
    const { main } = backend.stores;
    const watch = main.watch({ prefix: storage.prefix, signal: call.signal });
    try {
      if (main.range({ prefix: storage.prefix, limit: 1 }).entries.length === 0) return;
      for await (const _batch of watch) {
        if (main.range({ prefix: storage.prefix, limit: 1 }).entries.length === 0) return;
      }
    } finally {
      watch.close();
    }
  }

  async #rewrite(
    definition: Definition,
    subresource: string,
    change: (current: KubeObject) => KubeObject,
  ): Promise<void> {
    const { backend, call } = this.#parts;
    const target = { resource: this.#resource, namespace: '', name: definition.metadata.name ?? '', subresource };
    try {
      await rewrite(backend, target, change, call);
    } catch (error) {
      // Gone meanwhile: there is nothing left to say of it.
      if (!(error instanceof ApiError && error.code === 404)) throw error;
    }
  }
}
