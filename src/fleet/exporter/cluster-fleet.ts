import { CPU_CONSUMPTION, MEMORY_CONSUMPTION } from '#api/launcher';
import type { NodeSize } from '#api/launcher-load';
import { forEachLimited } from '#fleet/library/for-each-limited';
import type { PodManager } from '#fleet/library/pod-manager';
import { SIMULATED_VMS, type Vm } from '#fleet/library/simulated-vm';
import type { Clock } from '#platform/base/clock';
import { child, type FieldError, forbidden, notFound } from '#platform/base/field-error';
import type { Logger } from '#platform/base/logger';
import type { Client } from '#platform/kube/client';
import { NODES, type Node } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { POD_DISRUPTION_BUDGETS, type PodDisruptionBudget } from '#platform/kube/kinds/policy';
import { KubeError } from '#platform/kube/kube-error';
import type { Index } from '#platform/runtime/cache';
import type { Informer } from '#platform/runtime/informer';
import type { Informers } from '#platform/runtime/informers';
import type { Selection } from '#platform/runtime/reflector';
import { apiErrorOf, asApiError, isDryRunUnsupported } from './api-error.ts';
import { isArriving, moveRulesOf } from './exported-rules.ts';
import {
  type Acceptance,
  type Destinations,
  type ExportedVm,
  type FleetBackend,
  type FleetSpec,
  type LoadResult,
  type MoveResult,
  RejectedError,
  type SuggestedMove,
} from './fleet-backend.ts';
import { amount, amountsOf, isLive, vmKeyOfPod } from './launcher-usage.ts';
import { isCordoned, isReady, NodeAcceptance } from './node-acceptance.ts';
import type { NodeLoad } from './node-load.ts';
import { NodeLoads } from './node-loads.ts';
import { requestsOf } from './requests.ts';
import { VmMover } from './vm-mover.ts';
import { waitForNodeStatus } from './wait-for-node-status.ts';
import { type AwaitedVm, awaitedVm, type Placement, waitForPlacement } from './wait-for-placement.ts';

/** Label of VMs that a scenario created. No others are ever replaced. */
export const SCENARIO_LABEL = 'simulation.node-classifier.io/scenario';

export interface ClusterFleetDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  /** Creates pods if no operator does. */
  readonly pods: PodManager;
  /** Namespace in which scenarios create their VMs. */
  readonly namespace: string;
  /** Pods that metrics are exported for. Defaults to all. */
  readonly selection?: Selection;
  /** Node size that fractional sizes refer to if simulated nodes differ. */
  readonly referenceNode?: NodeSize;
  /** Aborts work that has to be finished even if nobody waits for it anymore. */
  readonly lifetime?: AbortSignal;
  readonly log?: Logger;
}

const AT_ONCE = 32;
const TIMEOUT_MS = 60_000;
const NEVER = new AbortController().signal;

const byNode: Index<Pod> = { values: ({ spec }) => [spec.nodeName ?? ''] };

/** Serves the nodes and launcher pods of a cluster from its watches. */
export class ClusterFleet implements FleetBackend {
  readonly managed = true;
  readonly #parts: ClusterFleetDeps;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #loads: NodeLoads;
  readonly #budgets: Informer<PodDisruptionBudget>;
  readonly #acceptance: NodeAcceptance;
  readonly #mover: VmMover;
  /** Serializes changes of the fleet. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: ClusterFleetDeps) {
    const { informers, clock, selection, referenceNode: defaultNode, log } = parts;
    this.#parts = parts;
    this.#nodes = informers.of(NODES);
    this.#pods = selection === undefined ? informers.of(PODS) : informers.of(PODS, selection);
    this.#loads = new NodeLoads({ nodes: this.#nodes, pods: this.#pods, clock, defaultNode, log });
    const { namespace: watchedNamespace } = selection ?? {};
    const scope = watchedNamespace === undefined ? [] : [{ namespace: watchedNamespace }];
    this.#budgets = informers.of(POD_DISRUPTION_BUDGETS, ...scope);
    this.#acceptance = new NodeAcceptance(this.#nodes);
    const watched = { nodes: this.#nodes, pods: this.#pods, budgets: this.#budgets };
    const { client, pods: manager, namespace } = parts;
    this.#mover = new VmMover({ client, clock, ...watched, manager, namespace, lifetime: this.#lifetime });
  }

  /** Resolves when all objects have been listed once. */
  async synced(): Promise<void> {
    await Promise.all([this.#nodes.synced, this.#pods.synced, this.#budgets.synced]);
  }

  get namespace(): string {
    return this.#parts.namespace;
  }

  get ready(): boolean {
    return this.#nodes.isSynced && this.#pods.isSynced;
  }

  get unread(): ReadonlySet<string> {
    return this.#loads.unread;
  }

  loads(): readonly NodeLoad[] {
    return this.#loads.all();
  }

  load(node: string): NodeLoad | undefined {
    return this.#loads.get(node);
  }

  has(node: string): boolean {
    return this.#nodes.cache.get(node) !== undefined;
  }

  acceptanceOf(node: string): Acceptance | undefined {
    const found = this.#nodes.cache.get(node);
    if (found === undefined) return undefined;
    const { cores, bytes } = amountsOf(found.status?.allocatable ?? {});
    let [freeCores, freeBytes] = [cores, bytes];
    for (const pod of this.#pods.cache.by(byNode, node)) {
      if (!isLive(pod)) continue;
      const requested = requestsOf(pod);
      freeCores -= requested.cores;
      freeBytes -= requested.bytes;
    }
    return { isReady: isReady(found), isCordoned: isCordoned(found), freeCores, freeBytes };
  }

  vmsOn(node: string): readonly ExportedVm[] {
    const vms: ExportedVm[] = [];
    const now = this.#parts.clock.now();
    for (const pod of this.#pods.cache.by(byNode, node)) {
      const machine = vmKeyOfPod(pod);
      if (machine === undefined || !isLive(pod) || isArriving(pod, this.#pods.cache)) continue;
      const { annotations = {}, name = '', namespace } = pod.metadata;
      vms.push({
        // VMs of several namespaces may share a name. This id identifies each of them in a move.
        id: namespace === this.#parts.namespace ? machine : `${namespace}/${machine}`,
        cpu_consumption: amount(annotations[CPU_CONSUMPTION]),
        memory_consumption: amount(annotations[MEMORY_CONSUMPTION]),
        pod_name: name,
        scheduled_node: node,
        ...moveRulesOf(pod, { now, budgets: this.#budgets.cache.all(), acceptance: this.#acceptance }),
      });
    }
    return vms;
  }

  async refresh(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#nodes.refresh(signal), this.#pods.refresh(signal), this.#budgets.refresh(signal)]);
  }

  replace(desired: FleetSpec, signal: AbortSignal): Promise<LoadResult> {
    return this.#inTurn(() => this.#replace(desired, signal));
  }

  move(
    moves: readonly SuggestedMove[],
    signal: AbortSignal,
    destinations: Destinations = 'scheduler',
  ): Promise<readonly MoveResult[]> {
    return this.#inTurn(() => this.#mover.move(moves, destinations, signal));
  }

  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(run, run);
    this.#turn = mine.catch(() => {});
    return await mine;
  }

  async #replace({ name, nodes, causes = [] }: FleetSpec, signal: AbortSignal): Promise<LoadResult> {
    const { client, namespace, pods, clock } = this.#parts;
    const vms = nodes.flatMap((node) => node.vms);
    const labels = { [SCENARIO_LABEL]: labelValue(name) };
    const earlier = await this.#rehearse({ nodes, causes }, labels).catch((error: unknown) => {
      throw asApiError(error, namespace);
    });
    signal.throwIfAborted();
    // Terminating pods may be visible for a moment longer.
    const awaited = vms.map(({ vm }) => awaitedVm(this.#pods, `${namespace}/${vm.id}`));
    // From here on the change is completed, even if nobody waits for the response.
    await pods.deleteAll(earlier, this.#lifetime);
    const failed = new Map<string, string>();
    await forEachLimited(AT_ONCE, vms, async ({ vm }) => {
      try {
        await pods.make(vm, { labels });
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        failed.set(vm.id, error.message);
      }
    });
    const made = vms.filter(({ vm }) => !failed.has(vm.id)).map(({ vm }) => vm);
    const places = await this.#places(
      awaited.filter((_, i) => !failed.has(vms[i]?.vm.id ?? '')),
      signal,
    );
    const placed = made.filter(({ id }) => 'node' in (places.get(`${namespace}/${id}`) ?? {}));
    if (!signal.aborted) await this.#tellNodes(placed);
    const waiting = { client, namespace, clock, signal, timeoutMs: TIMEOUT_MS };
    const gone = await waitForNodeStatus(
      placed.map(({ id }) => id),
      waiting,
    );
    const unplaced = vms.flatMap(({ vm }) => {
      const place = places.get(`${namespace}/${vm.id}`);
      const error =
        failed.get(vm.id) ??
        (gone.has(vm.id) ? 'it was deleted by another client' : undefined) ??
        (place !== undefined && 'error' in place ? place.error : undefined);
      return error === undefined ? [] : [{ vm_id: vm.id, error }];
    });
    return { nodes: nodes.length, vms: vms.length, unplaced };
  }

  /** Validates a scenario before anything is changed. Returns the VMs that it replaces. */
  async #rehearse(
    { nodes, causes: known }: Required<Omit<FleetSpec, 'name'>>,
    labels: Readonly<Record<string, string>>,
  ): Promise<readonly string[]> {
    const { client, namespace, pods } = this.#parts;
    const vms = nodes.flatMap((node) => node.vms);
    const present = await client.list(SIMULATED_VMS, { namespace });
    const strangers = new Set(
      present.items.filter(({ metadata }) => !isOfScenario(metadata)).map(({ metadata }) => metadata.name),
    );
    const causes: FieldError[] = [
      ...known,
      ...nodes.filter((node) => !this.has(node.name)).map((node) => notFound(node.path, node.name)),
      ...vms
        .filter(({ vm }) => strangers.has(vm.id))
        .map(({ path, vm }) =>
          forbidden(child(path, 'id'), `VirtualMachine ${vm.id} already exists and was not created by a scenario`),
        ),
    ];
    if (causes.length > 0) throw new RejectedError(causes);
    await forEachLimited(AT_ONCE, vms, async ({ path, vm }) => {
      try {
        await pods.rehearse(vm, { labels });
      } catch (error) {
        if (isDryRunUnsupported(error)) return;
        const cause = apiErrorOf(error, path);
        if (cause === undefined) throw error;
        causes.push(cause);
      }
    });
    if (causes.length > 0) throw new RejectedError(causes);
    const earlier = present.items.filter(({ metadata }) => isOfScenario(metadata)).map(({ metadata }) => metadata.name);
    if (earlier[0] !== undefined) await pods.rehearseDeletion(earlier[0]);
    return earlier;
  }

  /** Writes the nodes of VMs if no operator does. */
  async #tellNodes(vms: readonly Vm[]): Promise<void> {
    await this.#parts.pods.updateVmNodeAssignments(vms).catch((error: unknown) => {
      // Somebody else is deleting them.
      if (!(error instanceof KubeError)) throw error;
    });
  }

  get #lifetime(): AbortSignal {
    return this.#parts.lifetime ?? NEVER;
  }

  #places(awaited: readonly AwaitedVm[], signal: AbortSignal): Promise<ReadonlyMap<string, Placement>> {
    return waitForPlacement(this.#pods, awaited, { clock: this.#parts.clock, signal, timeoutMs: TIMEOUT_MS });
  }
}

const isOfScenario = ({ labels }: { readonly labels?: Readonly<Record<string, string>> }) =>
  labels?.[SCENARIO_LABEL] !== undefined;

const labelValue = (name: string) =>
  name
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 63)
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '') || 'scenario';
