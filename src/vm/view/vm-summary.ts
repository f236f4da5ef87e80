import type { Vmi } from '#api/kubevirt/resources';
import { humanDuration } from '#platform/base/duration';
import type { Dialect } from '#vm/engine/dialect';
import { isFinal } from '#vm/engine/instance-state';
import { displayedSize, text } from './displayed-size.ts';
import { groupOf, type VmObject } from './vm-object.ts';

/** Summary of a VM of any group. Empty fields are unknown. */
export interface VmSummary {
  readonly namespace: string;
  readonly name: string;
  readonly group: string;
  readonly status: string;
  readonly ready: string;
  readonly node: string;
  readonly ip: string;
  readonly created: string;
  readonly cpus: string;
  readonly memory: string;
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
}

/** Interprets a VM and the instance that belongs to it, if there is one. */
export function vmSummary(
  vm: VmObject,
  instance: Vmi | undefined,
  dialect: Pick<Dialect, 'size' | 'desiredVm'>,
): VmSummary {
  const { metadata, status = {} } = vm;
  const { printableStatus, phase, nodeName, ipAddresses } = status;
  const addresses = Array.isArray(ipAddresses) ? ipAddresses : [];
  // A finished instance has no node any more.
  const live = instance !== undefined && isFinal(instance) ? undefined : instance;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    group: groupOf(vm),
    status: stateOf(text(printableStatus) || text(phase) || 'Unknown', status['conditions']),
    ready: statusOf(status['conditions'], 'Ready'),
    node: live?.status?.nodeName ?? text(nodeName),
    ip: live?.status?.interfaces?.[0]?.ipAddress ?? text(addresses[0]),
    created: metadata.creationTimestamp ?? '',
    ...displayedSize(vm, live, dialect),
  };
}

/** Returns the age of a VM, or undefined if the time of its creation is unknown. */
export function ageOf({ created }: Pick<VmSummary, 'created'>, now: number): string | undefined {
  return created === '' ? undefined : humanDuration(now - Date.parse(created));
}

/** Compares VMs for lists: by namespace, name and group. */
export function compareVms(a: VmObject, b: VmObject): number {
  const [before, after] = [placeOf(a), placeOf(b)];
  return before < after ? -1 : before > after ? 1 : 0;
}

const placeOf = ({ metadata, apiVersion }: VmObject) => [metadata.namespace, metadata.name, apiVersion].join(' ');

/** Returns the state. In some groups only a condition shows that a VM is paused. */
function stateOf(phase: string, conditions: unknown): string {
  return phase === 'Running' && statusOf(conditions, 'Paused') === 'True' ? 'Paused' : phase;
}

function statusOf(conditions: unknown, type: string): string {
  const list = Array.isArray(conditions) ? (conditions as readonly Condition[]) : [];
  return list.find((condition) => condition.type === type)?.status ?? 'False';
}
