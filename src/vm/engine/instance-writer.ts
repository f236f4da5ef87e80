import { GENERATION_ANNOTATION } from '#api/instance-request';
import { VMIS, type Vmi } from '#api/kubevirt/resources';
import type { ResourceType } from '#platform/kube/client';
import { isNotFound } from '#platform/kube/kube-error';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Context } from '#platform/runtime/controller';
import type { Expectations } from '#platform/runtime/expectations';
import { keyOf } from '#platform/runtime/key';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Dialect } from './dialect.ts';
import { buildInstance, type InstanceOptions, ownerReference } from './instance.ts';
import type { SpecChanges } from './spec-changes.ts';

export type AnyVm = ObjectOf<Kind> & KubeObject;

/** Writes to the instance of a VM. Each write is expected in the cache before the next one is planned. */
export interface InstanceWriter {
  create(making: InstanceOptions): Promise<Vmi>;
  /** Returns the instance while finalizers hold it, or undefined if it is gone. */
  delete(instance: Vmi): Promise<Vmi | undefined>;
  adopt(dialect: Dialect, instance: Vmi, changes: SpecChanges): Promise<void>;
  update(instance: Vmi, changes: SpecChanges): Promise<Vmi>;
}

export function createInstanceWriter(
  type: ResourceType<AnyVm>,
  vm: AnyVm,
  expectations: Expectations,
  context: Context,
): InstanceWriter {
  const { client, events } = context;
  const key = keyOf(vm);

  async function rewrite(instance: Vmi, changed: Partial<Pick<Vmi, 'metadata' | 'spec'>>): Promise<Vmi> {
    const written = await client.update(VMIS, { ...instance, ...changed });
    expectations.wrote(key, written);
    return written;
  }

  return {
    async create(making) {
      const made = await client.create(VMIS, buildInstance(making));
      expectations.wrote(key, made);
      const message = `Started the virtual machine by creating the new virtual machine instance ${made.metadata.name}`;
      events.event(vm, 'Normal', 'SuccessfulCreate', message);
      return made;
    },

    async delete(instance) {
      const { name, namespace, uid } = instance.metadata;
      const left = await client
        .delete(VMIS, name, { namespace, preconditions: { uid } })
        .catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error)));
      if (left === undefined) expectations.removed(key, instance);
      else expectations.wrote(key, left);
      const message = `Stopped the virtual machine by deleting the virtual machine instance ${name}`;
      events.event(vm, 'Normal', 'SuccessfulDelete', message);
      return left;
    },

    async adopt(dialect, instance, changes) {
      if (!(await isStillThere())) return;
      const ownerReferences = [...(instance.metadata.ownerReferences ?? []), ownerReference(dialect, vm)];
      // Generations of another VM do not apply to this one.
      const isSame = changes.live === undefined && changes.restart.length === 0 && changes.annotations === undefined;
      const generation = isSame ? vm.metadata.generation : 0;
      await rewrite(instance, { metadata: { ...withGeneration(instance, generation), ownerReferences } });
      events.event(vm, 'Normal', 'Adopted', `Took over the virtual machine instance ${instance.metadata.name}`);
    },

    async update(instance, { live = instance.spec, restart, annotations }) {
      // The instance is up to date if no change waits for its next start.
      const kept = restart.length > 0 ? instance.metadata : withGeneration(instance, vm.metadata.generation);
      const metadata = { ...kept, annotations: { ...kept.annotations, ...annotations } };
      const written = await rewrite(instance, { metadata, spec: live });
      const message = `Changed the running virtual machine instance ${instance.metadata.name}`;
      events.event(vm, 'Normal', 'LiveUpdated', message);
      return written;
    },
  };

  /** Checks with the API server, since the garbage collector would delete an instance adopted by a deleted VM. */
  async function isStillThere(): Promise<boolean> {
    const { name, namespace, uid } = vm.metadata;
    try {
      const { metadata } = await client.get(type, name, { namespace });
      return metadata.uid === uid && metadata.deletionTimestamp === undefined;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}

function withGeneration({ metadata }: Vmi, generation: number): Vmi['metadata'] {
  return { ...metadata, annotations: { ...metadata.annotations, [GENERATION_ANNOTATION]: String(generation) } };
}
