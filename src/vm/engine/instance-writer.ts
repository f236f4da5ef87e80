import { GENERATION_ANNOTATION } from '#api/instance-request';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import type { ResourceType } from '#platform/kube/client';
import { isNotFound } from '#platform/kube/kube-error';
import type { Dialect } from './dialect.ts';
import { buildInstance, type InstanceOptions, ownerReference } from './instance.ts';
import type { SpecChanges } from './spec-changes.ts';
import type { AnyVm, VmScope } from './vm-scope.ts';

/** Writes to the instance of a VM. Each write is expected in the cache before the next one is planned. */
export class InstanceWriter {
  readonly #type: ResourceType<AnyVm>;
  readonly #scope: VmScope;

  /** `type` is that of the VM. */
  constructor(type: ResourceType<AnyVm>, scope: VmScope) {
    this.#type = type;
    this.#scope = scope;
  }

  async create(making: InstanceOptions): Promise<Vmi> {
    const { entry, context } = this.#scope;
    const made = await context.client.create(VMIS, buildInstance(making));
    entry.instanceWrites.wrote(made);
    const message = `Started the virtual machine by creating the new virtual machine instance ${made.metadata.name}`;
    this.#recordEvent('SuccessfulCreate', message);
    return made;
  }

  /** Returns the instance while finalizers hold it, or undefined if it is gone. */
  async delete(instance: Vmi): Promise<Vmi | undefined> {
    const { entry, context } = this.#scope;
    const { name, namespace, uid } = instance.metadata;
    const left = await context.client
      .delete(VMIS, name, { namespace, preconditions: { uid } })
      .catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error)));
    if (left === undefined) entry.instanceWrites.removed(instance);
    else entry.instanceWrites.wrote(left);
    const message = `Stopped the virtual machine by deleting the virtual machine instance ${name}`;
    this.#recordEvent('SuccessfulDelete', message);
    return left;
  }

  async adopt(dialect: Dialect, instance: Vmi, changes: SpecChanges): Promise<void> {
    const { vm } = this.#scope;
    if (!(await this.#isVmStillThere())) return;
    const ownerReferences = [...(instance.metadata.ownerReferences ?? []), ownerReference(dialect, vm)];
    // Generations of another VM do not apply to this one.
    const isSame = changes.live === undefined && changes.restart.length === 0 && changes.annotations === undefined;
    const generation = isSame ? vm.metadata.generation : 0;
    await this.#rewrite(instance, { metadata: { ...withGeneration(instance, generation), ownerReferences } });
    this.#recordEvent('Adopted', `Adopted VirtualMachineInstance ${instance.metadata.name}`);
  }

  async update(instance: Vmi, { live = instance.spec, restart, annotations }: SpecChanges): Promise<Vmi> {
    const { generation } = this.#scope.vm.metadata;
    // The instance is up to date if no change waits for its next start.
    const kept = restart.length > 0 ? instance.metadata : withGeneration(instance, generation);
    const metadata = { ...kept, annotations: { ...kept.annotations, ...annotations } };
    const written = await this.#rewrite(instance, { metadata, spec: live });
    this.#recordEvent('LiveUpdated', `Updated the running virtual machine instance ${instance.metadata.name}`);
    return written;
  }

  async #rewrite(instance: Vmi, changed: Partial<Pick<Vmi, 'metadata' | 'spec'>>): Promise<Vmi> {
    const { entry, context } = this.#scope;
    const written = await context.client.update(VMIS, { ...instance, ...changed });
    entry.instanceWrites.wrote(written);
    return written;
  }

  /** Checks with the API server, since the garbage collector would delete an instance adopted by a deleted VM. */
  async #isVmStillThere(): Promise<boolean> {
    const { vm, context } = this.#scope;
    const { name, namespace, uid } = vm.metadata;
    try {
      const { metadata } = await context.client.get(this.#type, name, { namespace });
      return metadata.uid === uid && metadata.deletionTimestamp === undefined;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  #recordEvent(reason: string, message: string): void {
    this.#scope.context.events.event(this.#scope.vm, 'Normal', reason, message);
  }
}

function withGeneration({ metadata }: Vmi, generation: number): Vmi['metadata'] {
  return { ...metadata, annotations: { ...metadata.annotations, [GENERATION_ANNOTATION]: String(generation) } };
}
