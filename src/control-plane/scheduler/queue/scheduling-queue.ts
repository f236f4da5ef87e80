import type { Clock, Timer } from '#platform/base/clock';
import type { Pod } from '#platform/kube/kinds/pod';
import type { FilterName } from '../framework/plugin-name.ts';
import { type PodInfo, podInfoOf } from '../pod/pod-info.ts';
import { Heap } from './heap.ts';
import { comesBefore, isDueBefore, type QueuedPod, type Where } from './queued-pod.ts';

export interface QueueOptions {
  readonly clock: Clock;
  /** Runs whenever a pod becomes ready to be popped. */
  readonly ready: () => void;
  readonly initialBackoffMs?: number;
  readonly maxBackoffMs?: number;
}

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10_000;
/** Maximum time after which a pod is tried again, even without any event. */
const MAX_UNSCHEDULABLE_MS = 5 * 60_000;
const LOOK_EVERY_MS = 30_000;
const NOBODY: ReadonlySet<FilterName> = new Set();

/**
 * Queue of pods without a node: an unschedulable pod waits for an event that may help it, then for a back-off that
 * grows with its failures. If the queue is otherwise empty, only pods that failed by an error wait for their back-off.
 */
export class SchedulingQueue {
  readonly #options: QueueOptions;
  readonly #pods = new Map<string, QueuedPod>();
  readonly #active = new Heap<QueuedPod>(comesBefore);
  readonly #backoff = new Heap<QueuedPod>(isDueBefore);
  readonly #errors = new Heap<QueuedPod>(isDueBefore);
  readonly #unschedulable = new Set<QueuedPod>();
  #order = 0;
  #errorTimer: Timer | undefined;
  #lookTimer: Timer | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pods.size;
  }

  /** Adds a pod without a node or updates it. `helps` reports whether the change may make it schedulable. */
  set(pod: Pod, helps: (before: PodInfo, after: PodInfo, queued: QueuedPod) => boolean): QueuedPod {
    const uid = pod.metadata.uid ?? '';
    const known = this.#pods.get(uid);
    const info = podInfoOf(pod);
    if (known === undefined) {
      const queued = this.#fresh(info);
      this.#pods.set(uid, queued);
      this.#put(queued, isGated(info) ? 'gated' : 'active');
      return queued;
    }
    const before = known.info;
    const reordered = before.priority !== info.priority && known.place >= 0;
    const { where } = known;
    if (reordered) this.#leave(known);
    known.info = info;
    if (reordered) this.#put(known, where);
    else if (where === 'gated' && !isGated(info)) this.#put(known, 'active');
    else if (where === 'unschedulable' && helps(before, info, known)) this.#again(known);
    return known;
  }

  remove(uid: string): void {
    const queued = this.#pods.get(uid);
    if (queued === undefined) return;
    this.#leave(queued);
    queued.where = 'gone';
    this.#pods.delete(uid);
  }

  /** Returns the next pod to try. It stays known until it is removed or put back. */
  pop(): QueuedPod | undefined {
    const queued = this.#active.pop() ?? this.#backoff.pop();
    if (queued === undefined) return undefined;
    queued.where = 'trying';
    queued.attempts++;
    return queued;
  }

  get hasReady(): boolean {
    return this.#active.size + this.#backoff.size > 0;
  }

  /** Puts back a pod without a feasible node. It waits for events that concern the plugins that rejected it. */
  refused(queued: QueuedPod, by: ReadonlySet<FilterName>): void {
    if (queued.where !== 'trying') return;
    queued.unschedulablePlugins = by;
    queued.unschedulable++;
    queued.errors = 0;
    queued.since = this.#options.clock.monotonic();
    queued.due = queued.since + this.#backoffMs(queued.unschedulable);
    this.#put(queued, 'unschedulable');
  }

  /** Puts back a pod after an error unrelated to it. It is tried again after a back-off. */
  failed(queued: QueuedPod): void {
    if (queued.where !== 'trying') return;
    queued.unschedulablePlugins = NOBODY;
    queued.errors++;
    queued.since = this.#options.clock.monotonic();
    queued.due = queued.since + this.#backoffMs(queued.errors);
    this.#put(queued, 'error-backoff');
  }

  /** Retries the pods that an event may help. */
  wake(helps: (queued: QueuedPod) => boolean): void {
    for (const queued of this.#unschedulable) if (helps(queued)) this.#again(queued);
  }

  /** Cancels the timers. */
  close(): void {
    this.#errorTimer?.cancel();
    this.#lookTimer?.cancel();
  }

  #again(queued: QueuedPod): void {
    this.#put(queued, queued.due > this.#options.clock.monotonic() ? 'backoff' : 'active');
  }

  #put(queued: QueuedPod, where: Where): void {
    this.#leave(queued);
    queued.where = where;
    if (where === 'active') this.#active.push(queued);
    else if (where === 'backoff') this.#backoff.push(queued);
    else if (where === 'error-backoff') {
      this.#errors.push(queued);
      this.#awaitErrors();
    } else if (where === 'unschedulable') {
      this.#unschedulable.add(queued);
      this.#awaitForgotten();
    }
    if (where === 'active' || where === 'backoff') this.#options.ready();
  }

  #leave(queued: QueuedPod): void {
    if (queued.where === 'active') this.#active.remove(queued);
    else if (queued.where === 'backoff') this.#backoff.remove(queued);
    else if (queued.where === 'error-backoff') this.#errors.remove(queued);
    else if (queued.where === 'unschedulable') this.#unschedulable.delete(queued);
  }

  #awaitErrors(): void {
    const { clock } = this.#options;
    this.#errorTimer?.cancel();
    const first = this.#errors.peek();
    if (first === undefined) return;
    this.#errorTimer = clock.timer(first.due - clock.monotonic(), () => {
      const now = clock.monotonic();
      for (let due = this.#errors.peek(); due !== undefined && due.due <= now; due = this.#errors.peek()) {
        this.#put(due, 'active');
      }
      this.#awaitErrors();
    });
  }

  /** Periodically looks for pods that no event has woken for a long time. */
  #awaitForgotten(): void {
    const { clock } = this.#options;
    this.#lookTimer ??= clock.timer(LOOK_EVERY_MS, () => {
      this.#lookTimer = undefined;
      const now = clock.monotonic();
      this.wake(({ since }) => now - since >= MAX_UNSCHEDULABLE_MS);
      if (this.#unschedulable.size > 0) this.#awaitForgotten();
    });
  }

  #backoffMs(failures: number): number {
    const { initialBackoffMs = FIRST_BACKOFF_MS, maxBackoffMs = MAX_BACKOFF_MS } = this.#options;
    return Math.min(maxBackoffMs, initialBackoffMs * 2 ** Math.min(failures - 1, 30));
  }

  #fresh(info: PodInfo): QueuedPod {
    const since = this.#options.clock.monotonic();
    return {
      info,
      where: 'gone',
      since,
      order: this.#order++,
      attempts: 0,
      unschedulable: 0,
      errors: 0,
      due: since,
      unschedulablePlugins: NOBODY,
      reported: '',
      place: -1,
    };
  }
}

const isGated = ({ pod }: PodInfo): boolean => (pod.spec.schedulingGates ?? []).length > 0;
