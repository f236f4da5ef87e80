import {
  BASIS_ANNOTATION,
  GENERATION_ANNOTATION,
  IDENTITY_ANNOTATION,
  INSTANCE_FINALIZER,
  PAUSED_ANNOTATION,
  RESET_ANNOTATION,
  SOFT_REBOOT_ANNOTATION,
} from '#api/instance-request';
import type { Vmi } from '#api/kubevirt/resources';
import { type InstanceSpec, virtualMachineInstance } from '#api/kubevirt/virtual-machine-instance';
import {
  CREATED_BY_LABEL,
  LAUNCHER_ANNOTATION,
  MIGRATION_LABEL,
  NODE_ANNOTATION,
  NODE_NAME_LABEL,
  SIZE_ANNOTATION,
} from '#api/launcher';
import type { NewObject } from '#platform/kube/client';
import type { KubeOwnerReference } from '#platform/kube/kube-object';
import type { ObjectMeta } from '#platform/schema/kind';
import { type DesiredVm, type Dialect, type Identity, instanceName } from './dialect.ts';
import { formatIdentity } from './identity.ts';
import { type RolloutStrategy, startSpec } from './spec-changes.ts';
import { withStartPlacement } from './start-placement.ts';

export interface InstanceOptions {
  readonly dialect: Dialect;
  readonly vm: { readonly metadata: ObjectMeta };
  readonly desired: DesiredVm;
  readonly identity: Identity;
  readonly rollout: RolloutStrategy;
  /** The VM is paused as soon as it has started. */
  readonly paused?: boolean;
}

/** Builds the instance for the next run of a VM. */
export function buildInstance({
  dialect,
  vm,
  desired,
  identity,
  rollout,
  paused = false,
}: InstanceOptions): NewObject<Vmi> {
  const { name, namespace, generation } = vm.metadata;
  const { labels, annotations } = inheritedMetadata(desired);
  const spec: InstanceSpec = startSpec(withStartPlacement(desired.spec, vm.metadata.annotations), rollout);
  return {
    apiVersion: virtualMachineInstance.apiVersion,
    kind: virtualMachineInstance.kind,
    metadata: {
      name: instanceName(dialect, name),
      namespace,
      labels,
      annotations: {
        ...annotations,
        [GENERATION_ANNOTATION]: String(generation),
        ...(desired.basis === undefined ? {} : { [BASIS_ANNOTATION]: desired.basis }),
        ...(desired.forcedNode === undefined ? {} : { [NODE_ANNOTATION]: desired.forcedNode }),
        ...(desired.launcher === undefined ? {} : { [LAUNCHER_ANNOTATION]: desired.launcher }),
        ...(Object.keys(identity).length === 0 ? {} : { [IDENTITY_ANNOTATION]: formatIdentity(identity) }),
      },
      finalizers: [INSTANCE_FINALIZER],
      ownerReferences: [ownerReference(dialect, vm)],
    },
    spec: paused ? { ...spec, startStrategy: 'Paused' } : spec,
  };
}

/** Controllers and node agents rely on these, so templates must not set them. */
const RESERVED: ReadonlySet<string> = new Set([
  CREATED_BY_LABEL,
  MIGRATION_LABEL,
  NODE_NAME_LABEL,
  NODE_ANNOTATION,
  LAUNCHER_ANNOTATION,
  GENERATION_ANNOTATION,
  BASIS_ANNOTATION,
  IDENTITY_ANNOTATION,
  PAUSED_ANNOTATION,
  RESET_ANNOTATION,
  SOFT_REBOOT_ANNOTATION,
  SIZE_ANNOTATION,
]);

/** Returns the labels and annotations that a VM passes on to its instance. */
export function inheritedMetadata({ labels, annotations }: DesiredVm): Pick<DesiredVm, 'labels' | 'annotations'> {
  const free = (words: Readonly<Record<string, string>>) =>
    Object.keys(words).some((name) => RESERVED.has(name))
      ? Object.fromEntries(Object.entries(words).filter(([name]) => !RESERVED.has(name)))
      : words;
  return { labels: free(labels), annotations: free(annotations) };
}

/** Returns the reference that makes the VM the owner of an instance. */
export function ownerReference(
  { kind: { apiVersion, kind } }: Dialect,
  { metadata: { name, uid } }: { readonly metadata: ObjectMeta },
): KubeOwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
