import { VMIS } from '#api/kubevirt/resources';
import { FORCED_NODE } from '#api/simulation/virtual-machine';
import { isLive, launcherUsageOf, usedAmounts } from '#fleet/exporter/launcher-usage';
import { vmKey } from '#fleet/exporter/wait-for-placement';
import { INSTANCE_SUFFIX, SIMULATED_VMS } from '#fleet/library/simulated-vm';
import type { Clock, Timer } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { ignoreNotFound, isNotFound } from '#platform/kube/kube-error';
import type { Informers } from '#platform/runtime/informers';
import { keyIn } from '#platform/runtime/key';
import { residentBytes, type Transfer, Transfers } from '#vm/node/simulated/machine/transfers';
import { isUp } from './is-up.ts';

const BYTES_A_MEGABIT = 125_000;

/** Result of a migration. Times are milliseconds of simulated time of day. */
export interface Migration {
  readonly vm: string;
  readonly from: string;
  /** Desired node. '' if the scheduler was to decide. */
  readonly desired: string;
  /** Actual node. '' if it did not move. */
  readonly to: string;
  readonly cause: string;
  readonly begunAt: number;
  readonly endedAt: number;
  /** Time to transfer its memory. */
  readonly transferMs: number;
  /** Downtime. */
  readonly downMs: number;
  /** Reason of the failure. '' if it succeeded. */
  readonly error: string;
}

export interface MigratorDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly namespace: string;
  readonly podOf: (vm: string) => Pod | undefined;
  /** Bandwidth of the link of each node. */
  readonly bandwidthMbps: number;
  /** Returns the simulated seconds per second of the clock, if the clock itself does not show simulated time. */
  readonly hurry?: () => number;
  readonly onMoved: (migration: Migration) => void;
  readonly onFailure: (what: string, error: unknown) => void;
}

interface ActiveMigration {
  readonly vm: string;
  readonly from: string;
  readonly desired: string;
  readonly cause: string;
  readonly pod: string;
  readonly begunAt: number;
  stoppedAt: number;
  transfer?: Transfer;
  timeout?: Timer;
}

/** Maximum time without a node before a migration counts as failed. */
const TIMEOUT_MS = 600_000;

/**
 * Migrates simulated VMs. The transfer of memory takes as long as the links of both nodes and the guest's writes
 * require; then the VM stops and starts again on the named node or one that the scheduler finds.
 */
export class Migrator {
  readonly #parts: MigratorDeps;
  readonly #transfers: Transfers;
  readonly #moving = new Map<string, ActiveMigration>();
  readonly #stops: readonly (() => void)[];

  constructor(parts: MigratorDeps) {
    this.#parts = parts;
    const { clock, bandwidthMbps, informers } = parts;
    this.#transfers = new Transfers({ clock, link: bandwidthMbps * BYTES_A_MEGABIT });
    this.#stops = [
      informers.of(PODS).onChange(({ type, object }) => {
        if (type !== 'deleted') this.#check(object);
      }),
      informers.of(NODES).onChange(({ type, object }) => {
        if (type === 'deleted' || !isUp(object)) this.#abandon(object.metadata.name ?? '');
      }),
    ];
  }

  /** Stops waiting for migrations in progress, which stay as they are. */
  stop(): void {
    for (const stop of this.#stops) stop();
    for (const { transfer, timeout } of this.#moving.values()) {
      transfer?.cancel();
      timeout?.cancel();
    }
    this.#moving.clear();
  }

  /** Returns the number of migrations in progress. */
  get moving(): number {
    return this.#moving.size;
  }

  isMigrating(vm: string): boolean {
    return this.#moving.has(vm);
  }

  /** Starts a migration, whose result or failure is reported at the end. A VM that is already migrating continues. */
  move(vm: string, target: string | undefined, cause: string): void {
    const { podOf, clock, namespace, informers } = this.#parts;
    const pod = podOf(vm);
    const { nodeName: from = '' } = pod?.spec ?? {};
    if (pod === undefined || from === '' || from === target || this.#moving.has(vm)) return;
    const now = clock.now();
    const { uid = '' } = pod.metadata;
    const moving: ActiveMigration = { vm, from, desired: target ?? '', cause, pod: uid, begunAt: now, stoppedAt: now };
    this.#moving.set(vm, moving);
    const { dirtyRateMbps = 0 } = informers.of(SIMULATED_VMS).cache.get(keyIn(namespace, vm))?.spec.migration ?? {};
    const usage = launcherUsageOf(pod);
    const used = usage === undefined ? 0 : usedAmounts(usage, { cores: 0, bytes: 0 }).bytes;
    moving.transfer = this.#transfers.start({
      source: from,
      // The destination is unknown before the scheduler decides, so that only the link of the source counts.
      target: target ?? `wherever ${vm} goes`,
      bytes: residentBytes(Math.max(used, 1), 1) / (this.#parts.hurry?.() ?? 1),
      dirtyRate: () => dirtyRateMbps * BYTES_A_MEGABIT,
      done: () => void this.#switch(moving).catch((error: unknown) => this.#fail(moving, reasonOf(error))),
      failed: (why) => this.#fail(moving, why),
    });
  }

  /** Stops the VM on the source after its memory was transferred. */
  async #switch(moving: ActiveMigration): Promise<void> {
    const { client, namespace, clock, podOf } = this.#parts;
    const { vm, desired } = moving;
    if (podOf(vm)?.metadata.uid !== moving.pod)
      throw new Error('the VM terminated or was migrated elsewhere during the memory transfer');
    if (desired !== '') {
      if (!isUp(this.#parts.informers.of(NODES).cache.get(desired)))
        throw new Error(`node ${desired} is not available`);
      await this.#force(vm, desired);
    }
    moving.stoppedAt = clock.now();
    const name = `${vm}${INSTANCE_SUFFIX}`;
    const instance = await ignoreNotFound(client.get(VMIS, name, { namespace }));
    if (instance === undefined) throw new Error('the VM is not running');
    moving.timeout = clock.timer(TIMEOUT_MS, () => this.#fail(moving, 'no node was found for the VM in time'));
    await client.delete(VMIS, name, { namespace, preconditions: { uid: instance.metadata.uid } });
  }

  /** Sets the node of the next pod for the operator, or lets the scheduler decide again. */
  async #force(vm: string, node: string | null): Promise<void> {
    const { client, namespace } = this.#parts;
    const body = { metadata: { annotations: { [FORCED_NODE]: node } } };
    await client.patch(SIMULATED_VMS, vm, { type: 'merge', body }, { namespace });
  }

  /**
   * Lets the scheduler decide about VMs that wait for a node that is lost. The operator would create their pods there
   * again and again.
   */
  #abandon(node: string): void {
    for (const { vm, desired } of this.#moving.values()) {
      if (desired !== node) continue;
      void this.#force(vm, null).catch((error: unknown) => {
        if (!isNotFound(error)) this.#parts.onFailure(`reset the target node of ${vm}`, error);
      });
    }
  }

  #check(pod: Pod): void {
    const { namespace } = this.#parts;
    const key = vmKey(pod);
    if (this.#moving.size === 0 || key === undefined || !key.startsWith(`${namespace}/`)) return;
    const moving = this.#moving.get(key.slice(namespace.length + 1));
    const { nodeName = '' } = pod.spec;
    if (moving === undefined || pod.metadata.uid === moving.pod || nodeName === '' || !isLive(pod)) return;
    if (pod.status?.phase === 'Running') this.#end(moving, nodeName, '');
  }

  #fail(moving: ActiveMigration, error: string): void {
    this.#end(moving, '', error);
  }

  #end(moving: ActiveMigration, to: string, error: string): void {
    if (this.#moving.get(moving.vm) !== moving) return;
    this.#moving.delete(moving.vm);
    moving.timeout?.cancel();
    const { clock, onMoved, onFailure } = this.#parts;
    const { vm, from, desired, cause, begunAt, stoppedAt } = moving;
    const endedAt = clock.now();
    const stopped = to === '' && stoppedAt === begunAt ? endedAt : stoppedAt;
    onMoved({
      vm,
      from,
      desired,
      to,
      cause,
      begunAt,
      endedAt,
      transferMs: stopped - begunAt,
      downMs: endedAt - stopped,
      error,
    });
    // The scheduler places the next start again, since the node may be gone by then.
    if (desired === '') return;
    void this.#force(vm, null).catch((failure: unknown) => {
      if (!isNotFound(failure)) onFailure(`reset the target node of ${vm}`, failure);
    });
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
