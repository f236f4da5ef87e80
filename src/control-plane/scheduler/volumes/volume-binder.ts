import type { Clock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import type { Node } from '#platform/kube/kinds/node';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '#platform/kube/kinds/storage';
import { BOUND_BY_CONTROLLER, SELECTED_NODE } from '#platform/kube/kinds/volume-binding';
import { keyOf } from '#platform/runtime/key';
import type { PodInfo } from '../pod/pod-info.ts';
import { isBound, podVolumeClaimsOf } from './pod-volume-claims.ts';
import { findPodVolumes, type PodVolumes } from './pod-volumes.ts';
import type { StorageState } from './storage-state.ts';

export interface VolumeBinderDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly storage: StorageState;
  /** Timeout for binding volumes. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 600_000;

/** Binds the claims of a pod once its node is chosen, and waits until they are bound. */
export class VolumeBinder {
  readonly #parts: VolumeBinderDeps;
  readonly #waiting = new Set<() => void>();

  constructor(parts: VolumeBinderDeps) {
    this.#parts = parts;
  }

  /**
   * Returns the work to do before the pod can be bound, undefined if all its volumes are bound. It is assumed as done
   * at once.
   */
  reserve(pod: PodInfo, node: Node): ((signal: AbortSignal) => Promise<void>) | undefined {
    if (pod.claims.length === 0) return undefined;
    const { storage } = this.#parts;
    const claims = podVolumeClaimsOf(pod, storage);
    const plan = typeof claims === 'string' ? claims : findPodVolumes(claims, node, storage);
    if (typeof plan === 'string') throw new Error(plan);
    if (plan.bind.length + plan.provision.length === 0) return undefined;
    const drop = storage.assume(plan, node.metadata.name ?? '');
    return async (signal) => {
      try {
        await this.#write(plan, node.metadata.name ?? '');
        await this.#bound([...plan.bind.map(({ claim }) => claim), ...plan.provision], signal);
      } finally {
        drop();
      }
    };
  }

  /** Makes waiting bindings check their claims again. */
  changed(): void {
    for (const look of [...this.#waiting]) look();
  }

  async #write({ bind, provision }: PodVolumes, nodeName: string): Promise<void> {
    const { client } = this.#parts;
    for (const { claim, volume } of bind) {
      if (volume.spec.claimRef?.uid !== claim.metadata.uid)
        await client.update(PERSISTENT_VOLUMES, withClaimRef(volume, claim));
    }
    for (const claim of provision) {
      const { name = '', namespace = '' } = claim.metadata;
      const body = { metadata: { annotations: { [SELECTED_NODE]: nodeName } } };
      await client.patch(PERSISTENT_VOLUME_CLAIMS, name, { type: 'merge', body }, { namespace });
    }
  }

  /** Resolves when all claims are bound. */
  async #bound(claims: readonly PersistentVolumeClaim[], signal: AbortSignal): Promise<void> {
    const { clock, storage, timeoutMs = TIMEOUT_MS } = this.#parts;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => {
      const now = claims.map((claim) => storage.claim(keyOf(claim)));
      const gone = claims.find((_claim, i) => now[i] === undefined);
      if (gone !== undefined) reject(new Error(`failed to get pvc "${gone.metadata.name}"`));
      else if (now.every((claim) => claim !== undefined && isBound(claim))) resolve();
    };
    const stop = () => reject(new Error('the scheduler is stopping'));
    const timer = clock.timer(timeoutMs, () => reject(new Error('context deadline exceeded')));
    this.#waiting.add(look);
    signal.addEventListener('abort', stop, { once: true });
    look();
    try {
      await promise;
    } finally {
      timer.cancel();
      this.#waiting.delete(look);
      signal.removeEventListener('abort', stop);
    }
  }
}

/** Sets claimRef on the volume, so that no other claim can take it. */
function withClaimRef(volume: PersistentVolume, { metadata }: PersistentVolumeClaim): PersistentVolume {
  const { name, namespace, uid, resourceVersion } = metadata;
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid, resourceVersion };
  const ours = volume.spec.claimRef === undefined ? { [BOUND_BY_CONTROLLER]: 'yes' } : {};
  return {
    ...volume,
    metadata: { ...volume.metadata, annotations: { ...volume.metadata.annotations, ...ours } },
    spec: { ...volume.spec, claimRef: claimRef as NonNullable<typeof volume.spec.claimRef> },
  };
}
