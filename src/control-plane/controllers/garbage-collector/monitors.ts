import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import type { ControllerDeps } from '#platform/runtime/controller';
import { type DiscoveredResource, preferredVersions } from '#platform/runtime/discovery';
import { keyOf } from '#platform/runtime/key';
import { type ReflectorStore, runReflector } from '#platform/runtime/reflector';
import { type Member, type OwnerGraph, shows } from './owner-graph.ts';

interface Monitor {
  readonly type: ResourceType;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

export interface MonitorEvents {
  /** Runs when the graph has changed for one object. `member` is undefined if it was deleted. */
  changed(before: Member | undefined, member: Member | undefined): void;
}

/** Number of listed objects that are processed at a time. */
const AT_ONCE = 500;
/** Maximum time for which a resource that cannot be listed delays the collection of all others. */
const TIMEOUT_MS = 30_000;

/** Watches every resource whose objects can own or be owned, and updates the graph. */
export class Monitors {
  readonly #parts: ControllerDeps;
  readonly #graph: OwnerGraph;
  readonly #events: MonitorEvents;
  readonly #running = new Map<string, Monitor>();
  readonly #unsettled = new Set<Promise<void>>();

  constructor(parts: ControllerDeps, graph: OwnerGraph, events: MonitorEvents) {
    this.#parts = parts;
    this.#graph = graph;
    this.#events = events;
  }

  /** Starts watching new resources and stops watching those that are no longer listed. */
  follow(resources: readonly DiscoveredResource[], signal: AbortSignal): void {
    const desired = new Map(
      preferredVersions(resources)
        .filter(isCollected)
        .map((type) => [idOf(type), type]),
    );
    for (const [id, monitor] of this.#running) {
      if (desired.has(id)) continue;
      this.#running.delete(id);
      monitor.stop.abort();
      for (const uid of this.#graph.uidsOf(monitor.type)) this.#graph.remove(uid);
    }
    for (const [id, type] of desired) if (!this.#running.has(id)) this.#running.set(id, this.#start(type, signal));
  }

  /** Resolves when the graph contains every resource, as far as they can be listed. */
  async settled(): Promise<void> {
    while (this.#unsettled.size > 0) await Promise.all(this.#unsettled);
  }

  async stop(): Promise<void> {
    for (const { stop } of this.#running.values()) stop.abort();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  #start(type: ResourceType, signal: AbortSignal): Monitor {
    const { clock } = this.#parts;
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const listed = Promise.withResolvers<void>();
    const timeoutMs = clock.timer(TIMEOUT_MS, () => listed.resolve());
    either.addEventListener('abort', () => listed.resolve(), { once: true });
    const settled = listed.promise.finally(() => {
      timeoutMs.cancel();
      this.#unsettled.delete(settled);
    });
    this.#unsettled.add(settled);
    const store = this.#sink(type, () => listed.resolve());
    return { type, stop, done: runReflector({ ...this.#parts, type, store }, either) };
  }

  #sink(type: ResourceType, listed: () => void): ReflectorStore {
    const graph = this.#graph;
    const put = (object: KubeObject) => {
      const { uid = '' } = object.metadata;
      const before = graph.get(uid);
      // Most changes concern only the status.
      if (before !== undefined && shows(before, type, object)) return;
      const other = before === undefined ? graph.uidOf(type, keyOf(object)) : undefined;
      if (other !== undefined) remove(other);
      this.#events.changed(before, graph.put(type, object));
    };
    const remove = (uid: string) => {
      const before = graph.remove(uid);
      if (before !== undefined) this.#events.changed(before, undefined);
    };
    return {
      put,
      remove: ({ metadata }) => remove(metadata.uid ?? ''),
      reached: () => {},
      replace: async (objects) => {
        const known = [...graph.uidsOf(type)];
        if (known.length > 0) {
          const present = new Set(objects.map(({ metadata }) => metadata.uid));
          for (const uid of known) if (!present.has(uid)) remove(uid);
        }
        for (const [i, object] of objects.entries()) {
          put(object);
          // A list may have a hundred thousand objects, so other work gets turns in between.
          if (i % AT_ONCE === AT_ONCE - 1) await this.#parts.clock.turn?.();
        }
        listed();
      },
    };
  }
}

/** Reports whether a resource is collected. Events are excluded, since they are numerous and own nothing. */
function isCollected({ plural, verbs }: DiscoveredResource): boolean {
  return plural !== 'events' && ['delete', 'list', 'watch', 'get'].every((verb) => verbs.includes(verb));
}

const idOf = ({ group, version, plural }: ResourceType) => `${group}/${version}/${plural}`;
