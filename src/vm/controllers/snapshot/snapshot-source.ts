import type { Snapshot, SnapshotStatus } from '#api/hypersdk/snapshot-resources';
import { resourceTypeFor, VMIS, type Vmi } from '#api/kubevirt/resources';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import { DEFAULT_NODE } from '#api/launcher-load';
import type { KubeObject } from '#platform/kube/kube-object';
import type { Index } from '#platform/runtime/cache';
import type { Context } from '#platform/runtime/controller';
import { keyIn } from '#platform/runtime/key';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { DependencyProviders } from '#vm/engine/dependency-provider';
import { type Dialect, instanceName } from '#vm/engine/dialect';
import { isFinal, ownership } from '#vm/engine/instance-state';
import { vcpusOf } from '#vm/engine/launcher/resources';
import { shouldStart } from '#vm/engine/plan-vm';
import { namedVmOf } from '#vm/storage/disk/active-clone';

export type SnapshotVm = ObjectOf<Kind> & KubeObject;

/** VM that a snapshot is of, as far as it exists. */
export interface SnapshotSource {
  readonly dialect: Dialect;
  readonly vm: SnapshotVm;
  /** Spec of the running instance, or else of the next start. */
  readonly spec: InstanceSpec;
  /** Instance of the VM that has not ended, if any. */
  readonly instance: Vmi | undefined;
  /** Set if an instance will start without a further request. */
  readonly willStart: boolean;
}

/** Object that references a VM: a snapshot or an operation. */
type Naming = Parameters<typeof namedVmOf>[0];

/** Returns a unique key of the VM that a snapshot is of. */
export function snapshotVmKey(snapshot: Snapshot): string {
  const { group, namespace, name } = namedVmOf(snapshot);
  return `${group}/${namespace}/${name}`;
}

export const vmKeyOf = ({ kind }: Dialect, { metadata }: KubeObject) =>
  `${kind.group}/${metadata.namespace}/${metadata.name}`;

/** Indexes snapshots by their VM. */
export const snapshotsByVm: Index<Snapshot> = { values: (snapshot) => [snapshotVmKey(snapshot)] };

export const namespaceOf = (snapshot: Snapshot) => namedVmOf(snapshot).namespace;

export function findVm(
  naming: Naming,
  dialects: readonly Dialect[],
  providers: DependencyProviders,
  context: Context,
): SnapshotSource | 'missing' | 'not served' {
  const { group, namespace, name } = namedVmOf(naming);
  const dialect = dialects.find(({ kind }) => kind.group === group);
  if (dialect === undefined) return 'not served';
  const vm = context.cache(resourceTypeFor(dialect.kind)).get(keyIn(namespace, name));
  if (vm === undefined) return 'missing';
  const found = context.cache(VMIS).get(keyIn(namespace, instanceName(dialect, name)));
  const own = found !== undefined && ownership(found, vm.metadata.uid) === 'own' && !isFinal(found);
  const instance = own ? found : undefined;
  const willStart =
    found === undefined &&
    shouldStart(dialect.desiredVm(vm), dialect.recordedState(vm)) &&
    dialect.startGate?.(vm)?.waits === undefined;
  return { dialect, vm, instance, willStart, spec: instance?.spec ?? offSpec(dialect, vm, providers, context) };
}

/** Returns the instance spec that a VM would start with now. */
function offSpec(dialect: Dialect, vm: SnapshotVm, { template }: DependencyProviders, context: Context): InstanceSpec {
  const asks = dialect.dependencies?.includes('template') === true && template !== undefined;
  const found = asks ? template.provide(vm, context) : undefined;
  return dialect.desiredVm(vm, {
    referenceNode: DEFAULT_NODE,
    ...(found === undefined ? {} : { template: found }),
  }).spec;
}

/** Returns the claims of a VM by its spec or its instance, or undefined if there is no such VM. */
export function vmClaims(
  naming: Naming,
  dialects: readonly Dialect[],
  providers: DependencyProviders,
  context: Context,
): string[] | undefined {
  const found = findVm(naming, dialects, providers, context);
  if (typeof found === 'string') return undefined;
  const { dialect, vm, spec, instance } = found;
  return [
    ...claimNamesIn(spec),
    ...(instance === undefined ? [] : claimNamesIn(offSpec(dialect, vm, providers, context))),
  ];
}

const claimNamesIn = ({ volumes = [] }: InstanceSpec): string[] =>
  volumes.flatMap(
    ({ persistentVolumeClaim, dataVolume }) => persistentVolumeClaim?.claimName ?? dataVolume?.name ?? [],
  );

/** Returns the writable disks of a VM that are claims. */
export function claimedDisks({ domain, volumes = [] }: InstanceSpec): { name: string; claim: string }[] {
  return (domain.devices.disks ?? []).flatMap((disk) => {
    const volume = volumes.find(({ name }) => name === (disk.volumeName ?? disk.name));
    const claim = volume?.persistentVolumeClaim?.claimName ?? volume?.dataVolume?.name;
    const fixed = disk.cdrom !== undefined ? disk.cdrom.readonly !== false : (disk.disk ?? disk.lun)?.readonly === true;
    return claim === undefined || fixed ? [] : [{ name: disk.name, claim }];
  });
}

/** Returns the VM state that a snapshot reports. */
export function vmStateOf({ spec, instance }: SnapshotSource): NonNullable<SnapshotStatus['vmState']> {
  const { memory, resources } = spec.domain;
  const amount = memory?.guest ?? resources?.requests?.['memory'] ?? resources?.limits?.['memory'];
  return {
    cpus: vcpusOf(spec.domain),
    ...(amount === undefined ? {} : { memory: `${amount}` }),
    diskCount: claimedDisks(spec).length,
    running: instance !== undefined,
  };
}
