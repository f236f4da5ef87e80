import type { Logger } from '#platform/base/logger';
import { deepEqual } from '#platform/structural/deep-equal';
import { ApiError } from '../api-error.ts';
import { type Backend, timestamp } from '../backend.ts';
import type { RequestContext } from '../request-context.ts';
import type { Resource } from '../resource.ts';
import type { Entry } from '../store/store.ts';
import { guaranteedUpdate } from '../verbs/guaranteed-update.ts';
import type { Convert } from './conversion.ts';
import { CLEANUP_FINALIZER, type Crd, type CrdStatus } from './crd.ts';
import {
  COMPLETED,
  deleteInstances,
  failedProgress,
  IN_PROGRESS,
  NEVER_ESTABLISHED,
  type TerminationProgress,
  terminatingCondition,
} from './crd-deletion.ts';
import { crdStatus, setCondition, usedNames } from './crd-status.ts';
import { ServedCrds } from './served-crds.ts';

export interface CrdsDeps {
  readonly backend: Backend;
  readonly call: RequestContext;
  readonly log: Logger;
  readonly converterFor: (definition: Crd) => Convert;
}

const RETRY_MS = 1000;

/**
 * Serves the resources of the stored CRDs as they are created, changed and deleted. Watches the store until the signal
 * of the request context aborts.
 */
export class Crds {
  readonly #parts: CrdsDeps;
  readonly #resource: Resource;
  readonly #served: ServedCrds;
  readonly #known = new Map<string, Crd>();
  /** Names of CRDs to process. One is processed at a time, so that no two get the same name. */
  readonly #queue = new Set<string>();
  readonly #finishing = new Set<string>();
  #working = false;

  constructor(parts: CrdsDeps) {
    this.#parts = parts;
    const { registry, stores } = parts.backend;
    const resource = registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    if (resource === undefined) throw new Error('customresourcedefinitions are not served');
    this.#resource = resource;
    this.#served = new ServedCrds({ registry, store: stores.main, converterFor: parts.converterFor });
  }

  /** Processes the stored CRDs, then watches in the background. */
  start(): void {
    const { prefix } = this.#resource.storage;
    const { entries, revision } = this.#parts.backend.stores.main.range({ prefix });
    for (const entry of entries) this.#take(entry);
    void this.#follow(prefix, revision);
  }

  /** Processes changes at once, while status writes are queued. */
  async #follow(prefix: string, after: number): Promise<void> {
    const { backend, call, log } = this.#parts;
    for await (const batch of backend.stores.main.watch({ prefix, after, signal: call.signal })) {
      for (const event of batch) {
        if (event.type === 'progress') continue;
        try {
          if (event.type === 'delete') this.#forget(event.previous);
          else this.#take(event.entry);
        } catch (error) {
          log.error({ key: event.key, error }, 'failed to load a CustomResourceDefinition');
        }
      }
    }
  }

  #take(entry: Entry): void {
    const definition = this.#parts.backend.parsed.get(entry) as unknown as Crd;
    const name = definition.metadata.name ?? '';
    this.#known.set(name, definition);
    this.#served.serve(definition, entry.revision);
    this.#enqueue(name);
  }

  #forget(entry: Entry): void {
    const { metadata, spec } = this.#parts.backend.parsed.get(entry) as unknown as Crd;
    const { name = '' } = metadata;
    this.#known.delete(name);
    this.#served.forget(name);
    this.#enqueueGroup(spec.group, name);
  }

  /** Enqueues the CRDs of a group, since one may wait for a name that another gave up. */
  #enqueueGroup(group: string, except: string): void {
    for (const [name, { spec }] of this.#known) if (spec.group === group && name !== except) this.#enqueue(name);
  }

  #enqueue(name: string): void {
    this.#queue.add(name);
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (const name of this.#queue) {
      this.#queue.delete(name);
      if (this.#parts.call.signal.aborted) break;
      try {
        await this.#reconcile(name);
      } catch (error) {
        this.#retry(name, error);
      }
    }
    this.#working = false;
  }

  #retry(name: string, error: unknown): void {
    const { backend, call, log } = this.#parts;
    if (call.signal.aborted) return;
    log.error({ name, error }, 'failed to write the status of a CustomResourceDefinition');
    backend.clock.timer(RETRY_MS, () => this.#enqueue(name));
  }

  async #reconcile(name: string): Promise<void> {
    const definition = this.#known.get(name);
    if (definition === undefined) return;
    if (definition.metadata.deletionTimestamp !== undefined) return this.#beginFinishing(definition);
    const status = this.#statusOf(definition);
    if (deepEqual(status, definition.status)) return;
    // Clients may use a CRD as soon as they see it established, so it must be served before that is visible.
    this.#served.serve({ ...definition, status }, Number(definition.metadata.resourceVersion));
    await this.#write(name, 'status', (current) => ({ ...current, status: this.#statusOf(current) }));
    this.#enqueueGroup(definition.spec.group, name);
  }

  #statusOf(definition: Crd): CrdStatus {
    const group = [...this.#known.values()].filter(({ spec }) => spec.group === definition.spec.group);
    return crdStatus(definition, usedNames(group), timestamp(this.#parts.backend.clock));
  }

  /** Finishes a CRD in the background, so that others do not wait for its instances. */
  #beginFinishing(definition: Crd): void {
    const { uid = '', name = '', finalizers } = definition.metadata;
    if (this.#finishing.has(uid) || finalizers?.includes(CLEANUP_FINALIZER) !== true) return;
    this.#finishing.add(uid);
    this.#finish(name)
      .catch((error: unknown) => this.#retry(name, error))
      .finally(() => this.#finishing.delete(uid));
  }

  /** Deletes the instances before their CRD. */
  async #finish(name: string): Promise<void> {
    const { backend, call } = this.#parts;
    await this.#tell(name, IN_PROGRESS);
    const resource = this.#served.stored(name);
    if (resource !== undefined) {
      try {
        await deleteInstances(backend, resource, call);
      } catch (error) {
        await this.#tell(name, failedProgress(error));
        throw error;
      }
    }
    await this.#tell(name, resource === undefined ? NEVER_ESTABLISHED : COMPLETED);
    await this.#write(name, '', (current) => {
      const finalizers = (current.metadata.finalizers ?? []).filter((each) => each !== CLEANUP_FINALIZER);
      return { ...current, metadata: { ...current.metadata, finalizers } };
    });
  }

  async #tell(name: string, progress: TerminationProgress): Promise<void> {
    const condition = terminatingCondition(progress, this.#parts.backend);
    await this.#write(name, 'status', (current) => ({
      ...current,
      status: setCondition(current.status ?? {}, condition),
    }));
  }

  async #write(name: string, subresource: string, change: (current: Crd) => Crd): Promise<void> {
    const { backend, call } = this.#parts;
    const target = { resource: this.#resource, namespace: '', name, subresource };
    try {
      const changed = await guaranteedUpdate(
        backend,
        target,
        (current) => structuredClone(change(current as unknown as Crd)),
        call,
      );
      const known = this.#known.get(name);
      // The result of the write may be outdated by now, for example if a deletion has been observed meanwhile.
      if (known !== undefined && versionOf(known) < versionOf(changed.object)) {
        this.#known.set(name, changed.object as unknown as Crd);
      }
    } catch (error) {
      // The CRD was deleted meanwhile, so there is no status to write.
      if (!(error instanceof ApiError && error.code === 404)) throw error;
    }
  }
}

function versionOf({ metadata }: Pick<Crd, 'metadata'>): number {
  return Number(metadata.resourceVersion);
}
