import { VM_FINALIZER } from '#api/instance-request';
import { VMIS } from '#api/kubevirt/resources';
import { DOMAIN_LABEL } from '#api/launcher';
import { DEFAULT_NODE, type NodeSize } from '#api/launcher-load';
import { FIRST_POD, FORCED_NODE, virtualMachine } from '#api/simulation/virtual-machine';
import { type Clock, realClock } from '#platform/base/clock';
import { type Random, systemRandom } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import { NODES } from '#platform/kube/kinds/node';
import { PODS, type Pod } from '#platform/kube/kinds/pod';
import { ignoreNotFound, isAlreadyExists, isNotFound } from '#platform/kube/kube-error';
import { sharedSize } from '#vm/usage/reference-node';
import { forEachLimited } from './for-each-limited.ts';
import { launcherPod } from './launcher-pod.ts';
import type { PodManagerOptions } from './manager-options.ts';
import { carryLoad } from './retained-load.ts';
import { INSTANCE_SUFFIX, SIMULATED_VMS, type SimulatedVm, type Vm, vmObject, vmSpec } from './simulated-vm.ts';
import { VMManager } from './vm-manager.ts';
import { watchUntil } from './watch-until.ts';

const AT_ONCE = 16;
/** Time for which the size of nodes is cached. */
const SIZE_MS = 10_000;

/** Options for creating a VM. */
export interface PodOptions {
  readonly labels?: Readonly<Record<string, string>>;
  /** Node to place it on, bypassing the scheduler. */
  readonly node?: string | undefined;
}

/** Creates, moves and deletes the pods that represent simulated VMs, together with the VMs. */
export class PodManager {
  readonly namespace: string;
  readonly vms: VMManager;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #createVms: boolean;
  readonly #usual: NodeSize;
  #reference: { readonly size: NodeSize; readonly until: number } | undefined;

  constructor(options: PodManagerOptions) {
    const { client, namespace = 'default', clock = realClock, random = systemRandom(), createVms = true } = options;
    this.namespace = namespace;
    this.vms = new VMManager({ client, namespace, clock });
    this.#client = client;
    this.#clock = clock;
    this.#random = random;
    this.#createVms = createVms;
    this.#usual = options.referenceNode ?? DEFAULT_NODE;
  }

  /** Creates a VM and waits for its pod, which any controller may create. The scheduler places it unless a node is named. */
  async createPod(vm: Vm, nodeName?: string, signal?: AbortSignal): Promise<string> {
    await this.make(vm, { node: nodeName });
    const { metadata } = await this.#awaitPod(vm.id, () => true, signal);
    return metadata.name ?? '';
  }

  /** Creates a VM without waiting. The name of its pod is set from the beginning, so that there is only ever one. */
  async make(vm: Vm, { labels = {}, node }: PodOptions = {}): Promise<void> {
    if (node !== undefined) await this.#client.get(NODES, node);
    const name = this.#podName(vm.id);
    if (!this.#createVms) {
      await this.#makePod(vm.id, name, vmSpec(vm), undefined, node);
      return;
    }
    const made = await this.vms.createVm(vm, { labels, annotations: { [FIRST_POD]: name }, node });
    if (isServed(made)) return;
    if ((await this.#podsOf(vm.id)).some(isLive)) return;
    await this.#makePod(vm.id, made.metadata.annotations?.[FIRST_POD] ?? name, made.spec, made, node);
    await this.vms.updateVmStatus(vm.id, 'Scheduling', name);
  }

  /** Performs a dry run of `make` and throws its rejection. An existing VM of that name does not count. */
  async rehearse(vm: Vm, { labels = {} }: PodOptions = {}): Promise<void> {
    const { namespace } = this;
    const name = `virt-launcher-${vm.id}-dry-run`;
    const object = vmObject(vm, { namespace, labels, annotations: { [FIRST_POD]: name } });
    try {
      const made = await this.#client.create(SIMULATED_VMS, object, { namespace, dryRun: true });
      if (isServed(made)) return;
    } catch (error) {
      if (isAlreadyExists(error)) return;
      throw error;
    }
    const pod = launcherPod({ id: vm.id, name, namespace, spec: vmSpec(vm), reference: await this.#referenceNode() });
    await this.#client.create(PODS, pod, { dryRun: true });
  }

  /** Performs a dry run of deleting a VM and throws its rejection. */
  async rehearseDeletion(id: string): Promise<void> {
    const { namespace } = this;
    await this.#delete(() => this.#client.delete(SIMULATED_VMS, id, { namespace, dryRun: true }));
  }

  /** Deletes a VM and its pod, and waits until both are gone. */
  async deletePod(vmId: string, signal?: AbortSignal): Promise<void> {
    await this.deleteAll([vmId], signal);
  }

  /** Deletes several VMs and their pods, and waits until all are gone. */
  async deleteAll(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    const { namespace } = this;
    await forEachLimited(AT_ONCE, ids, async (id) => {
      const vm = this.#createVms ? await ignoreNotFound(this.#client.get(SIMULATED_VMS, id, { namespace })) : undefined;
      const served = vm !== undefined && isServed(vm);
      if (vm !== undefined) await this.#delete(() => this.#client.delete(SIMULATED_VMS, id, { namespace }));
      if (served) return;
      for (const { metadata } of await this.#podsOf(id)) {
        await this.#delete(() => this.#client.delete(PODS, metadata.name ?? '', { namespace }));
      }
    });
    const going = new Set(ids);
    if (going.size === 0) return;
    if (this.#createVms) {
      await watchUntil(this.#client, SIMULATED_VMS, { namespace, signal }, (vms) =>
        [...vms.keys()].some((name) => going.has(name)) ? undefined : true,
      );
    }
    await watchUntil(this.#client, PODS, { namespace, labelSelector: DOMAIN_LABEL, signal }, (pods) =>
      [...pods.values()].some((pod) => going.has(domainOf(pod))) ? undefined : true,
    );
  }

  /**
   * Moves a VM: deletes its pod and then creates another, which the scheduler places unless a node is named. Resolves
   * when that has a node or is unschedulable, in which case the node is undefined.
   */
  async migrateVmPod(
    vm: Pick<Vm, 'id'>,
    fromNode: string,
    toNode?: string,
    signal?: AbortSignal,
  ): Promise<{ readonly podName: string; readonly nodeName: string | undefined }> {
    const old = (await this.#podsOf(vm.id)).find(isLive);
    if (old === undefined) throw new Error(`${vm.id} has no running pod`);
    if (old.spec.nodeName !== fromNode)
      throw new Error(`${vm.id} is on ${old.spec.nodeName ?? 'no node'}, not on ${fromNode}`);
    if (toNode !== undefined) await this.#client.get(NODES, toNode);
    await this.#force(vm.id, toNode);
    const instance = await ignoreNotFound(
      this.#client.get(VMIS, `${vm.id}${INSTANCE_SUFFIX}`, { namespace: this.namespace }),
    );
    if (instance === undefined) await this.remake(old, toNode, signal);
    else {
      const { name, namespace } = instance.metadata;
      await this.#delete(() => this.#client.delete(VMIS, name, { namespace }));
    }
    const isNext = (pod: Pod) => pod.metadata.uid !== old.metadata.uid && isSettled(pod);
    const next = await this.#awaitPod(vm.id, isNext, signal);
    await carryLoad(this.#client, old, next);
    return { podName: next.metadata.name ?? '', nodeName: next.spec.nodeName };
  }

  /** Deletes a pod that no operator manages, and then creates another for the same VM. */
  async remake(pod: Pod, node?: string, signal?: AbortSignal): Promise<void> {
    const { namespace } = this;
    const { name = '', uid } = pod.metadata;
    const id = domainOf(pod);
    await this.#delete(() => this.#client.delete(PODS, name, { namespace }));
    await watchUntil(this.#client, PODS, { namespace, fieldSelector: `metadata.name=${name}`, signal }, (pods) =>
      pods.get(name)?.metadata.uid === uid ? undefined : true,
    );
    const next = this.#podName(id);
    const vm = await ignoreNotFound(this.#client.get(SIMULATED_VMS, id, { namespace })).catch(() => undefined);
    const { metadata, spec } = pod;
    if (vm === undefined) {
      const { nodeName: _node, ...rest } = spec;
      const { labels, annotations } = metadata;
      const again = { ...rest, ...(node === undefined ? {} : { nodeName: node }) };
      const kept = { name: next, namespace, ...(labels && { labels }), ...(annotations && { annotations }) };
      await this.#client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: kept, spec: again });
      return;
    }
    const body = { metadata: { annotations: { [FIRST_POD]: next } } };
    const reported = await this.#client.patch(SIMULATED_VMS, id, { type: 'merge', body }, { namespace });
    await this.#makePod(id, next, reported.spec, reported, node, metadata.annotations);
    await this.vms.updateVmStatus(id, 'Scheduling', next, '');
  }

  /** Returns the node of a VM's pod, or undefined if it has none. */
  async getPodNodeAssignment(vmId: string): Promise<string | undefined> {
    return (await this.#podsOf(vmId)).find(isLive)?.spec.nodeName;
  }

  /** Waits for the scheduler and returns the node of a VM, or undefined if it is unschedulable. */
  async untilPlaced(vmId: string, signal?: AbortSignal): Promise<string | undefined> {
    return (await this.#awaitPod(vmId, isSettled, signal)).spec.nodeName;
  }

  /** Returns the VMs with their current pods and nodes. If no operator does, it also writes their status. */
  async updateVmNodeAssignments(vms: readonly Vm[]): Promise<readonly Vm[]> {
    const pods = await this.#allPods();
    const assigned = vms.map((vm): Vm => {
      const pod = pods.get(vm.id);
      return { ...vm, podName: pod?.metadata.name ?? '', scheduledNode: pod?.spec.nodeName ?? '' };
    });
    if (this.#createVms) {
      const { items } = await this.#client.list(SIMULATED_VMS, { namespace: this.namespace });
      const alone = new Set(items.filter((vm) => !isServed(vm)).map(({ metadata }) => metadata.name));
      await this.vms.syncVmsWithPods(assigned.filter(({ id }) => alone.has(id)));
    }
    return assigned;
  }

  /** Creates missing pods and deletes surplus ones, so that exactly the VMs of the list have a pod. */
  async syncPodsWithVms(
    vms: readonly Vm[],
    signal?: AbortSignal,
  ): Promise<{ readonly created: readonly string[]; readonly deleted: readonly string[] }> {
    const pods = await this.#allPods();
    const desired = new Set(vms.map(({ id }) => id));
    const missing = vms.filter(({ id }) => !pods.has(id));
    const surplus = [...pods.keys()].filter((id) => !desired.has(id));
    await this.deleteAll(surplus, signal);
    await forEachLimited(AT_ONCE, missing, (vm) => this.createPod(vm, undefined, signal));
    return { created: missing.map(({ id }) => id), deleted: surplus };
  }

  #podName(id: string): string {
    return `virt-launcher-${id}-${this.#random.suffix()}`;
  }

  async #podsOf(id: string): Promise<readonly Pod[]> {
    const { namespace } = this;
    return (await this.#client.list(PODS, { namespace, labelSelector: `${DOMAIN_LABEL}=${id}` })).items;
  }

  /** Returns the live pod of each VM. */
  async #allPods(): Promise<ReadonlyMap<string, Pod>> {
    const { items } = await this.#client.list(PODS, { namespace: this.namespace, labelSelector: DOMAIN_LABEL });
    return new Map(items.filter(isLive).map((pod) => [domainOf(pod), pod]));
  }

  async #awaitPod(id: string, fits: (pod: Pod) => boolean, signal?: AbortSignal): Promise<Pod> {
    const { namespace } = this;
    return await watchUntil(this.#client, PODS, { namespace, labelSelector: `${DOMAIN_LABEL}=${id}`, signal }, (pods) =>
      [...pods.values()].find((pod) => isLive(pod) && fits(pod)),
    );
  }

  async #makePod(
    id: string,
    name: string,
    spec: SimulatedVm['spec'],
    vm: SimulatedVm | undefined,
    node: string | undefined,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { apiVersion, kind } = virtualMachine;
    const owner = vm && { apiVersion, kind, name: id, uid: vm.metadata.uid, controller: true };
    const reference = await this.#referenceNode();
    const wish = { id, name, namespace: this.namespace, spec, reference, node };
    const pod = launcherPod(owner === undefined ? wish : { ...wish, owner });
    const metadata = { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } };
    await this.#client.create(PODS, { ...pod, metadata }).catch((error: unknown) => {
      // An operator has created it in the meantime.
      if (!isAlreadyExists(error)) throw error;
    });
  }

  /** Sets the node of the next pod for the operator, or lets the scheduler decide. */
  async #force(id: string, node: string | undefined): Promise<void> {
    const { namespace } = this;
    const vm = this.#createVms ? await ignoreNotFound(this.#client.get(SIMULATED_VMS, id, { namespace })) : undefined;
    if (vm === undefined || vm.metadata.annotations?.[FORCED_NODE] === node) return;
    const body = { metadata: { annotations: { [FORCED_NODE]: node ?? null } } };
    await this.#client.patch(SIMULATED_VMS, id, { type: 'merge', body }, { namespace });
  }

  async #referenceNode(): Promise<NodeSize> {
    const now = this.#clock.monotonic();
    if (this.#reference === undefined || this.#reference.until <= now) {
      const { items } = await this.#client.list(NODES);
      this.#reference = { size: sharedSize(items) ?? this.#usual, until: now + SIZE_MS };
    }
    return this.#reference.size;
  }

  async #delete(run: () => Promise<unknown>): Promise<void> {
    await run().catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

/** Reports whether an operator manages a VM. Its finalizer is set from the creation on. */
const isServed = ({ metadata, status }: SimulatedVm) =>
  metadata.finalizers?.includes(VM_FINALIZER) === true || status?.observedGeneration !== undefined;

const isLive = ({ metadata, status }: Pod) =>
  metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

const isSettled = (pod: Pod) => (pod.spec.nodeName ?? '') !== '' || isUnschedulable(pod);

const isUnschedulable = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status: holds }) => type === 'PodScheduled' && holds === 'False') === true;

const domainOf = ({ metadata }: Pod) => metadata.labels?.[DOMAIN_LABEL] ?? '';
