import type { ResourceType } from '#platform/kube/client';
import type { KubeObject } from '#platform/kube/kube-object';
import { Informer, type InformerDeps } from './informer.ts';
import type { Selection } from './reflector.ts';
import type { Runnable } from './runnable.ts';
import { waitForAbort } from './wait-for-abort.ts';

export { waitForAbort };

const WHOLE: Selection = {};

/** Informers of a process, one per resource and selection. */
export class Informers implements Runnable {
  readonly name = 'informers';
  readonly #parts: InformerDeps;
  readonly #known = new Map<string, Informer>();
  /** Informers without a selection by resource type, because lookups are far more frequent than creations. */
  readonly #whole = new WeakMap<ResourceType, Informer>();
  readonly #running = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(parts: InformerDeps) {
    this.#parts = parts;
  }

  /** Returns the informer of a resource. A new one starts with the others, or at once if they already run. */
  of<T extends KubeObject>(type: ResourceType<T>, selection: Selection = WHOLE): Informer<T> {
    const known = selection === WHOLE ? this.#whole.get(type) : undefined;
    const informer = known ?? this.#find(type, selection);
    if (selection === WHOLE && known === undefined) this.#whole.set(type, informer);
    return informer as unknown as Informer<T>;
  }

  #find(type: ResourceType, selection: Selection): Informer {
    const { namespace = '', fieldSelector = '', labelSelector = '' } = selection;
    const key = [type.group, type.version, type.plural, namespace, fieldSelector, labelSelector].join('|');
    let informer = this.#known.get(key);
    if (informer === undefined) {
      informer = new Informer<KubeObject>(this.#parts, type, selection);
      this.#known.set(key, informer);
      if (this.#signal !== undefined) this.#start(informer, this.#signal);
    }
    return informer;
  }

  /** Names of the informers that do not show their whole resource yet, for a readiness check. */
  get unsynced(): string[] {
    return [...this.#known.values()].filter(({ isSynced }) => !isSynced).map(({ name }) => name);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const informer of this.#known.values()) this.#start(informer, signal);
    await waitForAbort(signal);
    await Promise.all(this.#running);
  }

  /** Lists all followed resources again; see Informer. */
  async refresh(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#known.values()].map((informer) => informer.refresh(signal)));
  }

  #start(informer: Informer, signal: AbortSignal): void {
    const running = informer.run(signal).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
