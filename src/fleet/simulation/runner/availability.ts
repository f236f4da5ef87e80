import { FREEZE_ANNOTATION } from '#api/launcher';
import { isLive } from '#fleet/exporter/launcher-usage';
import { podsByVm, vmKey } from '#fleet/exporter/wait-for-placement';
import type { Clock } from '#platform/base/clock';
import { NODES, type Node } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import type { Cache, Index } from '#platform/runtime/cache';
import type { Informers } from '#platform/runtime/informers';

/** Reason why a VM did not run. */
export type OutageCause = 'node failure' | 'node removal' | 'migration' | 'restart';

/** Time during which a VM that had been running did not run. Times are milliseconds of simulated time of day. */
export interface Outage {
  readonly vm: string;
  /** Node that it ran on before. */
  readonly node: string;
  readonly cause: OutageCause;
  readonly from: number;
  readonly to: number;
  /** Set if the VM runs again. */
  readonly isOver: boolean;
}

/** Sums over all VMs, in milliseconds. */
export interface Uptime {
  /** Time from the first start of each VM to its deletion or the end. */
  readonly expectedMs: number;
  readonly downMs: number;
}

export interface AvailabilityDeps {
  readonly informers: Informers;
  readonly clock: Clock;
  readonly namespace: string;
  /** VMs that the scenario has created and not deleted. */
  readonly vms: ReadonlySet<string>;
  readonly isMigrating: (vm: string) => boolean;
  readonly onOutage: (outage: Outage) => void;
}

interface VmState {
  readonly firstUp: number;
  node: string;
  /** Set while the VM does not run. */
  down: { readonly from: number; readonly cause: OutageCause } | undefined;
}

const byNode: Index<Pod> = { values: ({ spec }) => [spec.nodeName ?? ''] };

/**
 * Measures when the VMs of a scenario run. A VM on a failed node counts as down from the moment of the failure, although
 * the API server reports it as running until it has noticed.
 */
export class Availability {
  readonly #parts: AvailabilityDeps;
  readonly #pods: Cache<Pod>;
  readonly #nodes: Cache<Node>;
  readonly #states = new Map<string, VmState>();
  readonly #dead = new Set<string>();
  readonly #stops: readonly (() => void)[];
  #expectedMs = 0;
  #downMs = 0;

  constructor(parts: AvailabilityDeps) {
    this.#parts = parts;
    const [pods, nodes] = [parts.informers.of(PODS), parts.informers.of(NODES)];
    this.#pods = pods.cache;
    this.#nodes = nodes.cache;
    this.#stops = [
      nodes.onChange(({ type, object }) => this.#onNode(object, type === 'deleted')),
      pods.onChange(({ object }) => this.#onPod(object)),
    ];
  }

  /** Ends the measurement. VMs that are down then count as down until now. */
  finish(): Uptime {
    for (const stop of this.#stops) stop();
    for (const vm of [...this.#states.keys()].sort()) this.#end(vm);
    return { expectedMs: this.#expectedMs, downMs: this.#downMs };
  }

  #onNode({ metadata: { name = '', annotations } }: Node, isDeleted: boolean): void {
    const isDead = isDeleted || annotations?.[FREEZE_ANNOTATION] === 'true';
    if (isDead === this.#dead.has(name)) return;
    if (isDead) this.#dead.add(name);
    else this.#dead.delete(name);
    for (const pod of [...this.#pods.by(byNode, name)]) this.#onPod(pod);
  }

  #onPod(pod: Pod): void {
    const { namespace, vms } = this.#parts;
    const key = vmKey(pod);
    if (key === undefined || !key.startsWith(`${namespace}/`)) return;
    const vm = key.slice(namespace.length + 1);
    if (vms.has(vm)) this.#look(vm, key);
    else this.#end(vm);
  }

  #look(vm: string, key: string): void {
    const now = this.#parts.clock.now();
    const runs = [...this.#pods.by(podsByVm, key)].find((pod) => this.#isUp(pod));
    const state = this.#states.get(vm);
    if (runs !== undefined) {
      const { nodeName: node = '' } = runs.spec;
      if (state === undefined) this.#states.set(vm, { firstUp: now, node, down: undefined });
      else {
        this.#recover(vm, state, now, true);
        state.node = node;
      }
    } else if (state !== undefined) state.down ??= { from: now, cause: this.#causeOf(vm, state.node) };
  }

  #isUp(pod: Pod): boolean {
    return isLive(pod) && pod.status?.phase === 'Running' && !this.#dead.has(pod.spec.nodeName ?? '');
  }

  #causeOf(vm: string, node: string): OutageCause {
    if (this.#dead.has(node)) return this.#nodes.get(node) === undefined ? 'node removal' : 'node failure';
    return this.#parts.isMigrating(vm) ? 'migration' : 'restart';
  }

  #recover(vm: string, state: VmState, now: number, isOver: boolean): void {
    const { down, node } = state;
    state.down = undefined;
    if (down === undefined || now <= down.from) return;
    this.#downMs += now - down.from;
    this.#parts.onOutage({ vm, node, cause: down.cause, from: down.from, to: now, isOver });
  }

  #end(vm: string): void {
    const state = this.#states.get(vm);
    if (state === undefined) return;
    const now = this.#parts.clock.now();
    this.#recover(vm, state, now, false);
    this.#expectedMs += now - state.firstUp;
    this.#states.delete(vm);
  }
}
