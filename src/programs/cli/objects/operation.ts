import type { GroupName } from '#api/group-name';
import { type VMOperationInput, vmOperation } from '#api/hypersdk/vm-operation';
import type { Random } from '#platform/base/random';
import { formatDurationFlag } from '../duration-option.ts';
import { definedFields, hasDefinedFields } from './defined-fields.ts';

type Spec = VMOperationInput['spec'];
export type OperationName = Spec['operation'];

/** What may be said of an operation on the command line, in whichever command. */
export interface OperationFlags {
  readonly force?: boolean;
  /** In milliseconds. */
  readonly timeout?: number;
  /** Seconds that the finished operation is kept. */
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

/** Which machine is meant, and where the operation is kept. */
export interface About {
  readonly vm: string;
  /** hypersdk.io where absent. */
  readonly group?: string | undefined;
  /** Left to whoever applies the object where absent. */
  readonly namespace?: string | undefined;
}

/** A VMOperation with a name of its own, so that each one that is made acts once. */
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

/** As Kubernetes would name it from a prefix, but known before it is stored. */
export function newName(vm: string, operation: string, random: Random): string {
  return `${vm}-${operation}-${random.suffix()}`;
}

/** A machine of hypersdk.io goes by its name alone. */
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
    definedFields({ resizeSpec: hasDefinedFields({ cpus, memory, hotplug: hotplug === true ? true : undefined }) }),
  restore: ({ snapshot }) => definedFields({ restoreSpec: hasDefinedFields({ snapshotName: snapshot }) }),
};
