import type { GroupName } from '#api/groups';
import { type VMOperationInput, vmOperation } from '#api/hypersdk/vm-operation';
import type { Random } from '#platform/base/random';
import { binaryMemory } from '#vm/dialects/hypersdk/binary-memory';
import { definedFields, hasDefinedFields } from '../../../platform/base/defined-fields.ts';
import { formatDurationFlag } from '../duration-option.ts';

type Spec = VMOperationInput['spec'];
export type OperationName = Spec['operation'];

/** Flags of an operation, shared by all commands that create one. */
export interface OperationFlags {
  readonly force?: boolean;
  /** Timeout in milliseconds. */
  readonly timeout?: number;
  /** Seconds for which the finished operation is retained. */
  readonly ttl?: number;
  readonly target?: string;
  readonly targetNamespace?: string;
  readonly linked?: boolean;
  readonly start?: boolean;
  readonly snapshot?: string;
  readonly targetNode?: string;
  readonly live?: boolean;
  readonly bandwidth?: string;
  readonly autoConverge?: boolean;
  readonly postCopy?: boolean;
  readonly cpus?: number;
  readonly memory?: string;
  readonly hotplug?: boolean;
}

/** VM that an operation is about, and the operation's namespace. */
export interface About {
  readonly vm: string;
  /** API group of the VM. Defaults to hypersdk.io. */
  readonly group?: string | undefined;
  /** If absent, the user who applies the object chooses the namespace. */
  readonly namespace?: string | undefined;
}

/** Builds a VMOperation with a unique name, so that each one created acts once. */
export function newOperation(
  operation: OperationName,
  { vm, group, namespace }: About,
  flags: OperationFlags,
  random: Random,
): VMOperationInput {
  const { force, timeout, ttl } = flags;
  return {
    apiVersion: vmOperation.apiVersion,
    kind: vmOperation.kind,
    metadata: { name: newName(vm, operation, random), ...definedFields({ namespace }) },
    spec: {
      vmRef: vmRefOf(vm, group),
      operation,
      ...definedFields({
        force: force === true ? true : undefined,
        timeout: timeout === undefined ? undefined : formatDurationFlag(timeout),
        ...DETAILS[operation]?.(flags),
        ttlSecondsAfterFinished: ttl,
      }),
    },
  };
}

/** Generates a name as Kubernetes does from a prefix, but before the object is stored. */
export function newName(vm: string, operation: string, random: Random): string {
  return `${vm}-${operation}-${random.suffix()}`;
}

/** Refers to a VM of hypersdk.io by its name alone. */
export function vmRefOf(name: string, group: string | undefined): Spec['vmRef'] {
  if (group === undefined || group === vmOperation.group) return { name };
  return { name, apiGroup: group as GroupName, kind: 'VirtualMachine' };
}

const DETAILS: Partial<Record<OperationName, (flags: OperationFlags) => Partial<Spec>>> = {
  clone: ({ target, targetNamespace, linked, start, snapshot }) =>
    definedFields({
      cloneSpec: hasDefinedFields({
        targetName: target,
        targetNamespace,
        linkedClone: linked === true ? true : undefined,
        startAfterClone: start === true ? true : undefined,
        snapshotRef: snapshot,
      }),
    }),
  migrate: ({ targetNode, live, bandwidth, autoConverge, postCopy }) =>
    definedFields({
      migrateSpec: hasDefinedFields({
        targetNode,
        live: live === false ? false : undefined,
        bandwidth,
        autoConverge: autoConverge === false ? false : undefined,
        postCopy: postCopy === true ? true : undefined,
      }),
    }),
  resize: ({ cpus, memory, hotplug }) =>
    definedFields({
      resizeSpec: hasDefinedFields({
        cpus,
        memory: memory && binaryMemory(memory),
        hotplug: hotplug === true ? true : undefined,
      }),
    }),
  restore: ({ snapshot }) => definedFields({ restoreSpec: hasDefinedFields({ snapshotName: snapshot }) }),
};
