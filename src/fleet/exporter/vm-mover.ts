import { VMIS } from '#api/kubevirt/resources';
import { MOVED_AT_ANNOTATION } from '#api/launcher';
import { forEachLimited } from '#fleet/library/for-each-limited';
import type { PodManager } from '#fleet/library/pod-manager';
import { carryLoad, isAnnotated } from '#fleet/library/retained-load';
import { INSTANCE_SUFFIX } from '#fleet/library/simulated-vm';
import type { Clock } from '#platform/base/clock';
import { timestamp } from '#platform/base/timestamp';
import type { Client } from '#platform/kube/client';
import type { Node } from '#platform/kube/kinds/node';
import type { Pod } from '#platform/kube/kinds/pod';
import type { PodDisruptionBudget } from '#platform/kube/kinds/policy';
import type { KubeOwnerReference } from '#platform/kube/kube-object';
import type { Informer } from '#platform/runtime/informer';
import { BudgetClaims, budgetsOf } from './disruption-budgets.ts';
import type { Destinations, MoveResult, SuggestedMove } from './fleet-backend.ts';
import { isLive, vmKeyOfPod } from './launcher-usage.ts';
import { findInstance, liveMigrate, migrationBlockerOf } from './live-migration.ts';
import { hostnameOf, rejectionReason } from './node-acceptance.ts';
import {
  type AwaitedVm,
  awaitedVm,
  type Placement,
  podsByVm,
  vmKey,
  waitForPlacement,
  waitForPods,
} from './wait-for-placement.ts';

export interface VmMoverDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly nodes: Informer<Node>;
  readonly pods: Informer<Pod>;
  readonly budgets: Informer<PodDisruptionBudget>;
  readonly manager: PodManager;
  readonly namespace: string;
  /** Aborts work that has to be finished even if nobody waits for it anymore. */
  readonly lifetime: AbortSignal;
}

/** Move that has begun. The VM waits for a node, or has live-migrated to one. */
interface BegunMove {
  readonly pod: Pod;
  readonly awaited: AwaitedVm;
  readonly isMigrated: boolean;
}

const AT_ONCE = 32;
const TIMEOUT_MS = 60_000;

/** Moves VMs as suggested: live to the suggested node, or by a restart on a node that the scheduler chooses. */
export class VmMover {
  readonly #parts: VmMoverDeps;

  constructor(parts: VmMoverDeps) {
    this.#parts = parts;
  }

  async move(
    moves: readonly SuggestedMove[],
    destinations: Destinations,
    signal: AbortSignal,
  ): Promise<readonly MoveResult[]> {
    const rejected = new Map<SuggestedMove, MoveResult>();
    const begun = new Map<SuggestedMove, BegunMove>();
    const claims = new BudgetClaims();
    await forEachLimited(AT_ONCE, moves, async (move) => {
      try {
        begun.set(move, await this.#begin(move, destinations, claims, signal));
      } catch (error) {
        const actual_node = error instanceof ElsewhereError ? error.node : '';
        const why = error instanceof Error ? error.message : String(error);
        rejected.set(move, { ...move, actual_node, success: false, as_suggested: false, error: why });
      }
    });
    const all = [...begun.values()];
    // Annotated loads are carried over even if nobody waits for the response.
    const isCarried = all.some(({ pod: { metadata } }) => isAnnotated(metadata.annotations));
    const places = await this.#places(
      all.map(({ awaited }) => awaited),
      isCarried ? this.#parts.lifetime : signal,
    );
    await forEachLimited(AT_ONCE, all, (each) => this.#carry(each));
    return moves.map((move) => rejected.get(move) ?? outcome(move, places.get(begun.get(move)?.awaited.key ?? '')));
  }

  async #begin(
    move: SuggestedMove,
    destinations: Destinations,
    claims: BudgetClaims,
    signal: AbortSignal,
  ): Promise<BegunMove> {
    const { client, pods, budgets } = this.#parts;
    const pod = this.#source(move);
    const { nodeName = '' } = pod.spec;
    const awaited = awaitedVm(pods, vmKey(pod) ?? '');
    const violated = claims.claim(budgetsOf(pod, budgets.cache.all()));
    if (violated !== undefined) throw new ElsewhereError(nodeName, violated);
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
    const target = destinations === 'planner' ? move.to_node : null;
    const blocker = target === null ? undefined : await this.#blockerOf(pod, owner);
    if (target !== null && blocker === undefined && owner !== undefined) {
      await this.#migrate(pod, owner.name, target, signal).catch((error: unknown) => {
        throw new ElsewhereError(nodeName, error instanceof Error ? error.message : String(error));
      });
      return { pod, awaited, isMigrated: true };
    }
    if (owner?.kind !== VMIS.kind) await this.#parts.manager.remake(pod);
    else if (owner.name.endsWith(INSTANCE_SUFFIX)) {
      const { namespace = '' } = pod.metadata;
      await client.delete(VMIS, owner.name, { namespace, preconditions: { uid: owner.uid } });
    } else throw new ElsewhereError(nodeName, notSimulated(vmKeyOfPod(pod) ?? '', blocker));
    return { pod, awaited, isMigrated: false };
  }

  /** Returns why a VM cannot be live-migrated, or undefined if it can. */
  async #blockerOf(pod: Pod, owner: KubeOwnerReference | undefined): Promise<string | undefined> {
    if (owner?.kind !== VMIS.kind) return 'no operator manages it';
    const instance = await findInstance(this.#parts.client, owner.name, pod.metadata.namespace ?? '');
    return instance === undefined ? 'it is not running' : migrationBlockerOf(instance);
  }

  async #migrate(pod: Pod, instance: string, target: string, signal: AbortSignal): Promise<void> {
    const { client, nodes, pods, clock } = this.#parts;
    const { namespace = '', uid } = pod.metadata;
    const node = nodes.cache.get(target);
    if (node === undefined) throw new Error(`node ${target} not found`);
    await liveMigrate(client, { instance, namespace, hostname: hostnameOf(node), signal });
    // Until the watch has seen that the source is gone, the VM would count there.
    const key = vmKey(pod) ?? '';
    const isGone = () => ![...pods.cache.by(podsByVm, key)].some((each) => each.metadata.uid === uid && isLive(each));
    await waitForPods(pods, isGone, { clock, signal, timeoutMs: TIMEOUT_MS });
  }

  /** Copies the load that was annotated on a pod to the next pod of its VM, and records when it moved. */
  async #carry({ pod: old, awaited: { key, not }, isMigrated }: BegunMove): Promise<void> {
    const { client, clock, pods } = this.#parts;
    const next = [...pods.cache.by(podsByVm, key)].find((pod) => isLive(pod) && !not.has(pod.metadata.uid));
    if (next === undefined) return;
    const hasMoved = !isMigrated && (next.spec.nodeName ?? '') !== '' && next.spec.nodeName !== old.spec.nodeName;
    await carryLoad(client, old, next, hasMoved ? { [MOVED_AT_ANNOTATION]: timestamp(clock.now()) } : {});
  }

  /** Returns the pod to move. Throws if there is none, if it is on another node, or if the destination rejects it. */
  #source({ vm_id: id, from_node: from, to_node: to }: SuggestedMove): Pod {
    const { namespace, pods, nodes } = this.#parts;
    const key = id.includes('/') ? id : `${namespace}/${id}`;
    const pod = [...pods.cache.by(podsByVm, key)].find(isLive);
    const { nodeName = '' } = pod?.spec ?? {};
    if (pod === undefined) throw new Error(`no running VM ${key} found`);
    if (nodeName !== from) throw new ElsewhereError(nodeName, `${id} is not on node ${from}`);
    if (to === null) return pod;
    const node = nodes.cache.get(to);
    if (node === undefined) throw new ElsewhereError(nodeName, `node ${to} not found`);
    const refusal = rejectionReason(node, pod);
    if (refusal !== undefined) throw new ElsewhereError(nodeName, refusal);
    return pod;
  }

  #places(awaited: readonly AwaitedVm[], signal: AbortSignal): Promise<ReadonlyMap<string, Placement>> {
    return waitForPlacement(this.#parts.pods, awaited, { clock: this.#parts.clock, signal, timeoutMs: TIMEOUT_MS });
  }
}

/** Reports that a VM cannot move, with the node that it is on. */
class ElsewhereError extends Error {
  readonly node: string;

  constructor(node: string, message: string) {
    super(message);
    this.node = node;
  }
}

function notSimulated(vm: string, blocker: string | undefined): string {
  return blocker === undefined
    ? `${vm} is not a simulated VM: use vimana vm migrate`
    : `${vm} cannot be live-migrated: ${blocker}`;
}

function outcome(move: SuggestedMove, place: Placement | undefined): MoveResult {
  if (place === undefined || !('node' in place)) {
    return { ...move, actual_node: '', success: false, as_suggested: false, error: place?.error ?? 'not placed' };
  }
  const { node } = place;
  const { from_node, to_node } = move;
  const success = node !== from_node;
  const error = success ? null : `the scheduler chose node ${from_node} again`;
  return { ...move, actual_node: node, success, as_suggested: success && (to_node ?? node) === node, error };
}
