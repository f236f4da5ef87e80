import type { Clock } from '#platform/base/clock';
import { TemporaryError } from '#platform/base/errors';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client, ResourceType } from '#platform/kube/client';
import { isConflict, isNamespaceTerminating, isNotFound, KubeError } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { BackOff } from './back-off.ts';
import type { Cache, Change } from './cache.ts';
import { type EventRecorder, noopRecorder } from './events/event-recorder.ts';
import { withFinalizer, withoutFinalizer } from './finalizer.ts';
import type { Informer } from './informer.ts';
import type { Informers } from './informers.ts';
import { keyIn, keyOf } from './key.ts';
import type { Metrics } from './metrics.ts';
import type { Selection } from './reflector.ts';
import type { Runnable } from './runnable.ts';
import { waitForAbort } from './wait-for-abort.ts';
import { type ReconcileResult, WorkQueue } from './work-queue.ts';

/** Dependencies of a controller. Caches may lag behind; writes go to the server. */
export interface Context {
  readonly client: Client;
  /** Returns the cache of a resource that the controller is for, owns, watches or reads. */
  readonly cache: <T extends KubeObject>(type: ResourceType<T>, selection?: Selection) => Cache<T>;
  /**
   * Adds a watch source later, for controllers that learn only at run time what concerns them. Resolves when its cache
   * is complete; adding it again does nothing.
   */
  readonly follow: (watch: WatchSource) => Promise<void>;
  /** Requests a run for an object. */
  readonly enqueue: (key: string) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Records Events for users. */
  readonly events: EventRecorder;
  /** Signal that is aborted when the controller must stop. A run in progress should still finish. */
  readonly signal: AbortSignal;
}

/** Resource whose changes concern objects of another resource. */
export interface WatchSource {
  readonly type: ResourceType;
  readonly selection?: Selection;
  /**
   * Returns the keys of the objects that a state of a watched object concerns. It is called for both sides of a change.
   */
  keys(object: KubeObject, context: Context, change: Change): Iterable<string>;
}

/** Creates a watch source with the type of its resource. */
export function watchSource<T extends KubeObject>(
  type: ResourceType<T>,
  keys: (object: T, context: Context, change: Change<T>) => Iterable<string>,
  selection?: Selection,
): WatchSource {
  return {
    type,
    keys: keys as WatchSource['keys'],
    ...(selection === undefined ? {} : { selection }),
  };
}

/**
 * Reconciles the objects of one kind. It runs for a key, never for an event, and never twice at once for the same key;
 * running it again must always be safe.
 */
export interface Controller<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly for: ResourceType<T>;
  readonly selection?: Selection;
  /** Reports whether a change of an object is the controller's own write and so brings nothing new. */
  isOwnWrite?(object: T): boolean;
  /** Resources whose objects name one of `for` as their controller. */
  readonly owns?: readonly ResourceType[];
  readonly watches?: readonly WatchSource[];
  /** Further resources that the controller reads. */
  readonly reads?: readonly ResourceType[];
  readonly concurrency?: number;
  /** Back-off after a failed run. Defaults to that of WorkQueue. */
  readonly backOff?: BackOff;
  /** Reconciles an existing object. WorkQueue defines the meaning of errors. */
  reconcile(object: T, context: Context): Promise<ReconcileResult | void>;
  /**
   * Cleans up before an object is deleted, using a finalizer that is added before the first reconcile and removed when
   * `run` is finished. If `run` returns a time, or 'held' because another resource will wake it, it is not finished.
   */
  readonly finalize?: {
    readonly finalizer: string;
    run(object: T, context: Context): Promise<ReconcileResult | 'held' | void>;
    /** Called for a terminating object that is only held by other finalizers. */
    lingers?(object: T, context: Context): Promise<void>;
  };
  /** Drops the state of an object that is gone. */
  forget?(key: string, context: Context): void;
}

export interface ControllerDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Recorder of Events. If absent, none are recorded. */
  readonly events?: EventRecorder;
  /** Metrics to report to. If absent, nothing is measured. */
  readonly metrics?: Metrics;
}

/** Turns a controller into a runnable for a manager. */
export function runnable<T extends KubeObject>(controller: Controller<T>, parts: ControllerDeps): Runnable {
  return new ControllerRunnable(controller, parts);
}

class ControllerRunnable<T extends KubeObject> implements Runnable {
  readonly name: string;
  readonly #controller: Controller<T>;
  readonly #parts: ControllerDeps;
  readonly #log: Logger;
  readonly #source: Informer<T>;
  readonly #watches: readonly WatchSource[];
  /** Informers that must have synced before the first run. */
  readonly #informed: readonly { readonly synced: Promise<void> }[];
  readonly #queue: WorkQueue;
  readonly #stops = new Map<Informer, () => void>();
  #context: Context | undefined;

  constructor(controller: Controller<T>, parts: ControllerDeps) {
    const { informers } = parts;
    this.name = controller.name;
    this.#controller = controller;
    this.#parts = parts;
    this.#log = parts.log.child({ controller: controller.name });
    this.#source = informers.of(controller.for, controller.selection);
    const owned = (controller.owns ?? []).map((type) => ownedBy(controller.for, type));
    this.#watches = [...owned, ...(controller.watches ?? [])];
    const reads = (controller.reads ?? []).map((type) => ({ type, selection: {} }));
    const others = [...this.#watches, ...reads].map(({ type, selection }) => informers.of(type, selection));
    this.#informed = [this.#source, ...others];
    this.#queue = this.#createQueue();
  }

  async run(signal: AbortSignal): Promise<void> {
    const context = this.#contextWith(signal);
    const stop = this.#source.onChange(({ type, object }) => {
      if (type !== 'updated' || this.#controller.isOwnWrite?.(object) !== true) this.#queue.add(keyOf(object));
    });
    for (const watch of this.#watches) this.#listen(watch, context);
    await Promise.race([Promise.all(this.#informed.map(({ synced }) => synced)), waitForAbort(signal)]);
    await this.#queue.run(signal);
    for (const each of [stop, ...this.#stops.values()]) each();
  }

  #createQueue(): WorkQueue {
    const { name, concurrency = 2, backOff } = this.#controller;
    const metrics = this.#parts.metrics?.controller(name, () => this.#queue.size);
    return new WorkQueue({
      name,
      clock: this.#parts.clock,
      random: this.#parts.random.fork(name),
      concurrency,
      ...(backOff === undefined ? {} : { backOff }),
      ...(metrics === undefined ? {} : { metrics }),
      work: (key, signal) => this.#work(key, this.#contextWith(signal)),
      onFailure: (key, error, retryInMs) => {
        const fallback = error instanceof TemporaryError || isConflict(error);
        this.#log[fallback ? 'debug' : 'warn']({ key, err: error, retryInMs }, 'failed to reconcile an object');
      },
    });
  }

  async #work(key: string, context: Context): Promise<ReconcileResult | undefined> {
    const controller = this.#controller;
    const object = this.#source.cache.get(key);
    if (object === undefined) {
      controller.forget?.(key, context);
      return undefined;
    }
    try {
      return (await attempt(controller, object, context)) ?? undefined;
    } catch (error) {
      // The object was deleted during its own run, so there is nothing left to do.
      if (isAbout(error, controller.for, object)) return undefined;
      if (isEndingAround(object, error)) {
        this.#log.debug({ key }, 'not creating objects: the namespace is terminating');
        return undefined;
      }
      throw error;
    }
  }

  #contextWith(signal: AbortSignal): Context {
    if (this.#context?.signal !== signal) this.#context = this.#newContext(signal);
    return this.#context;
  }

  #newContext(signal: AbortSignal): Context {
    const { client, informers, clock, random, events = noopRecorder } = this.#parts;
    return {
      client,
      cache: (type, selection) => informers.of(type, selection).cache,
      follow: (watch) => this.#follow(watch, signal),
      enqueue: (key) => this.#queue.add(key),
      clock,
      random,
      log: this.#log,
      events,
      signal,
    };
  }

  #listen(watch: WatchSource, context: Context): void {
    const informer = this.#parts.informers.of(watch.type, watch.selection);
    const stop = informer.onChange((change) => {
      for (const key of watch.keys(change.object, context, change)) this.#queue.add(key);
      if (change.old !== undefined) for (const key of watch.keys(change.old, context, change)) this.#queue.add(key);
    });
    this.#stops.set(informer, stop);
  }

  async #follow(watch: WatchSource, signal: AbortSignal): Promise<void> {
    const informer = this.#parts.informers.of(watch.type, watch.selection);
    await Promise.race([informer.synced, waitForAbort(signal)]);
    if (!this.#stops.has(informer)) this.#listen(watch, this.#contextWith(signal));
  }
}

/** Runs once for an existing object. */
async function attempt<T extends KubeObject>(
  controller: Controller<T>,
  object: T,
  context: Context,
): Promise<ReconcileResult | void> {
  const { finalize } = controller;
  if (finalize === undefined) return await controller.reconcile(object, context);
  const { finalizers = [], deletionTimestamp } = object.metadata;
  const held = finalizers.includes(finalize.finalizer);
  if (deletionTimestamp === undefined) {
    const ready = held ? object : await withFinalizer(context.client, controller.for, object, finalize.finalizer);
    return ready === undefined ? undefined : await controller.reconcile(ready, context);
  }
  if (!held) {
    await finalize.lingers?.(object, context);
    return;
  }
  const again = await finalize.run(object, context);
  if (again === 'held') return;
  if (again !== undefined) return again;
  await withoutFinalizer(context.client, controller.for, object, finalize.finalizer);
}

/** Reports whether an error means that this very object does not exist. */
function isAbout(error: unknown, { group, plural }: ResourceType, { metadata }: KubeObject): boolean {
  if (!(error instanceof KubeError) || !isNotFound(error)) return false;
  const { name, kind, group: place = '' } = error.details;
  return name === metadata.name && kind === plural && place === group;
}

/** Reports whether an error only means that an object is about to be deleted with its namespace. */
function isEndingAround({ metadata }: KubeObject, error: unknown): boolean {
  return metadata.namespace !== undefined && metadata.deletionTimestamp === undefined && isNamespaceTerminating(error);
}

function ownedBy({ group, kind, namespaced }: ResourceType, type: ResourceType): WatchSource {
  return {
    type,
    keys({ metadata }) {
      const owner = metadata.ownerReferences?.find((ref) => ref.controller === true);
      if (owner === undefined || owner.kind !== kind || groupOf(owner.apiVersion) !== group) return [];
      return [keyIn(namespaced ? metadata.namespace : '', owner.name)];
    },
  };
}

const groupOf = (apiVersion: string) => (apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '');
