import type { Phase } from '#api/simulation/virtual-machine';
import { type Clock, realClock } from '#platform/base/clock';
import type { Client } from '#platform/kube/client';
import { PODS } from '#platform/kube/kinds/pod';
import { ignoreNotFound, isAlreadyExists, isConflict, isNotFound } from '#platform/kube/kube-error';
import { forEachLimited } from './for-each-limited.ts';
import type { ManagerOptions } from './manager-options.ts';
import { SIMULATED_VMS, type SimulatedVm, type Vm, type VmMetadata, vmObject } from './simulated-vm.ts';
import { type PodObservation, phaseOfPod, statusAfter, type VmStatus, vmStatusOf } from './vm-status.ts';
import { watchUntil } from './watch-until.ts';

const AT_ONCE = 16;
const ATTEMPTS = 10;

/** Creates, reads and deletes the simulated VMs of one namespace. */
export class VMManager {
  readonly namespace: string;
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, namespace = 'default', clock = realClock }: ManagerOptions) {
    this.#client = client;
    this.namespace = namespace;
    this.#clock = clock;
  }

  /** Creates a VM. An existing one of the same name is left unchanged. */
  async createVm(vm: Vm, metadata: Omit<VmMetadata, 'namespace'> = {}): Promise<SimulatedVm> {
    const { namespace } = this;
    try {
      return await this.#client.create(SIMULATED_VMS, vmObject(vm, { ...metadata, namespace }), { namespace });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return await this.#client.get(SIMULATED_VMS, vm.id, { namespace });
    }
  }

  /** Writes the placement of a VM. An operator that manages it overwrites this with what it observes. */
  async updateVmStatus(name: string, phase: Phase, podName?: string, nodeName?: string): Promise<void> {
    await this.#write(name, { phase, podName, nodeName });
  }

  /** Returns the status of a VM, or undefined if it does not exist. */
  async getVmStatus(name: string): Promise<VmStatus | undefined> {
    const vm = await ignoreNotFound(this.#client.get(SIMULATED_VMS, name, { namespace: this.namespace }));
    return vm === undefined ? undefined : vmStatusOf(vm);
  }

  async listVms(): Promise<readonly VmStatus[]> {
    const { items } = await this.#client.list(SIMULATED_VMS, { namespace: this.namespace });
    return items.map(vmStatusOf);
  }

  /**
   * Deletes a VM and waits until it is gone, including its pod if an operator or the garbage collector runs. Returns
   * false if there is none.
   */
  async deleteVm(name: string, signal?: AbortSignal): Promise<boolean> {
    const { namespace } = this;
    try {
      const left = await this.#client.delete(SIMULATED_VMS, name, { namespace });
      if (left !== undefined) {
        const { uid } = left.metadata;
        await watchUntil(
          this.#client,
          SIMULATED_VMS,
          { namespace, fieldSelector: `metadata.name=${name}`, signal },
          (vms) => (vms.get(name)?.metadata.uid === uid ? undefined : true),
        );
      }
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** Writes the status of a VM from its pod. */
  async syncVmWithPod(vm: Pick<Vm, 'id'>, podName: string, nodeName?: string): Promise<VmStatus | undefined> {
    const pod = await ignoreNotFound(this.#client.get(PODS, podName, { namespace: this.namespace }));
    const node = nodeName ?? pod?.spec.nodeName;
    await this.#write(vm.id, { phase: phaseOfPod(pod), podName: pod === undefined ? '' : podName, nodeName: node });
    return await this.getVmStatus(vm.id);
  }

  /** Writes the status of all VMs that have a pod. */
  async syncVmsWithPods(vms: readonly Vm[]): Promise<void> {
    await forEachLimited(AT_ONCE, vms, async ({ id, podName = '' }) => {
      if (podName !== '') await this.syncVmWithPod({ id }, podName);
    });
  }

  /** Deletes all VMs of the namespace and returns their number. */
  async cleanupAllVms(signal?: AbortSignal): Promise<number> {
    const vms = await this.listVms();
    await forEachLimited(AT_ONCE, vms, ({ name }) => this.deleteVm(name, signal));
    return vms.length;
  }

  /** Writes the status, and reads the VM again on a conflict. */
  async #write(name: string, seen: PodObservation): Promise<void> {
    const { namespace } = this;
    for (let attempt = 1; ; attempt++) {
      const vm = await this.#client.get(SIMULATED_VMS, name, { namespace });
      const status = statusAfter(vm, seen, this.#clock.now());
      try {
        await this.#client.update(
          SIMULATED_VMS,
          { ...vm, status },
          {
            namespace,
            subresource: 'status',
          },
        );
        return;
      } catch (error) {
        if (!isConflict(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }
}
