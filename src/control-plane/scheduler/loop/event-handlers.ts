import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Change } from '#platform/runtime/cache';
import type { ClusterView } from '../framework/cluster-view.ts';
import { type PodInfo, podInfoOf, withPod } from '../pod/pod-info.ts';
import type { ClusterEvent } from '../queue/cluster-event.ts';
import { ownUpdateHint, queueingHint } from '../queue/hints.ts';
import type { NominatedPods } from '../queue/nominated-pods.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';

export interface EventHandlersDeps {
  readonly cluster: ClusterView;
  readonly queue: SchedulingQueue;
  readonly nominated: NominatedPods;
  /** Reports whether this scheduler handles pods with a schedulerName. */
  readonly isOurs: (schedulerName: string) => boolean;
}

/** Updates the scheduler's state from informer events and wakes the pods that an event may help. */
export class EventHandlers {
  readonly #parts: EventHandlersDeps;
  /** Uids of pods whose assumed node the server has not confirmed yet. */
  readonly #assumed = new Set<string>();

  constructor(parts: EventHandlersDeps) {
    this.#parts = parts;
  }

  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid);
  }

  /** Counts a pod on its node before the server confirms it. */
  assume(info: PodInfo, nodeName: string): void {
    const { cluster, nominated } = this.#parts;
    this.#assumed.add(info.uid);
    cluster.nodes.setPod(info, nodeName);
    nominated.remove(info.uid);
  }

  /** Removes an assumed pod, because the server rejected it. */
  forget(info: PodInfo): void {
    if (!this.#assumed.delete(info.uid)) return;
    this.#unplace(info.uid);
  }

  podChanged({ type, object: pod, old }: Change<Pod>): void {
    const { queue, nominated, isOurs } = this.#parts;
    const uid = pod.metadata.uid ?? '';
    if (type === 'deleted' || isFinished(pod)) {
      queue.remove(uid);
      nominated.remove(uid);
      this.#assumed.delete(uid);
      this.#unplace(uid);
      return;
    }
    const { nodeName = '', schedulerName = 'default-scheduler' } = pod.spec;
    if (nodeName !== '') {
      queue.remove(uid);
      nominated.remove(uid);
      this.#place(pod, nodeName);
    } else if (!this.#assumed.has(uid) && isOurs(schedulerName)) {
      const queued = queue.set(pod, ownUpdateHint);
      const before = old?.status?.nominatedNodeName ?? '';
      const now = pod.status?.nominatedNodeName ?? '';
      // A nomination decided here and not written yet overrides an older state.
      if (now !== before || nominated.nodeOf(uid) === undefined) nominated.set(queued.info, now);
    }
  }

  nodeChanged({ type, object: node, old }: Change<Node>): void {
    const { nodes } = this.#parts.cluster;
    if (type === 'deleted') nodes.removeNode(node.metadata.name ?? '');
    else nodes.setNode(node);
    this.happened({
      what: 'node',
      before: type === 'deleted' ? node : old,
      after: type === 'deleted' ? undefined : node,
    });
  }

  happened(event: ClusterEvent): void {
    const { queue, cluster } = this.#parts;
    queue.wake((queued) => queueingHint(queued, event, cluster));
  }

  #place(pod: Pod, nodeName: string): void {
    const { nodes } = this.#parts.cluster;
    const uid = pod.metadata.uid ?? '';
    const before = nodes.podOf(uid);
    const confirmed = this.#assumed.delete(uid);
    const same = before !== undefined && nodes.nameAt(before.slot) === nodeName ? withPod(before.info, pod) : undefined;
    if (before !== undefined && same !== undefined) {
      nodes.renewPod(same);
      // Pods with affinity to this one are woken only now that its placement is confirmed.
      if (confirmed) this.happened({ what: 'placed pod', before: undefined, after: same, slot: before.slot });
      return;
    }
    const info = podInfoOf(pod);
    nodes.setPod(info, nodeName);
    const slot = nodes.slotOf(nodeName) ?? 0;
    this.happened({ what: 'placed pod', before: before?.info, after: info, slot });
  }

  #unplace(uid: string): void {
    const { nodes } = this.#parts.cluster;
    const placed = nodes.podOf(uid);
    if (placed === undefined) return;
    nodes.removePod(uid);
    this.happened({ what: 'placed pod', before: placed.info, after: undefined, slot: placed.slot });
  }
}

const isFinished = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
