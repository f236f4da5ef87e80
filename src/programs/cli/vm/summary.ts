import type { Vmi } from '#api/kubevirt/resources';
import { humanDuration } from '#platform/base/duration';
import type { KubeObject } from '#platform/kube/kube-object';
import { isFinal } from '#vm/engine/instance-state';
import { sizeOf, text } from './size.ts';
import type { CliVm } from './vm-kinds.ts';

/** Summary of a VM of any group. */
export interface Summary {
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

export function summaryOf(machine: CliVm, instance: Vmi | undefined): Summary {
  const { metadata, apiVersion, status = {} } = machine;
  const { printableStatus, phase, nodeName, ipAddresses } = status;
  const addresses = Array.isArray(ipAddresses) ? ipAddresses : [];
  // A finished instance has no node any more.
  const live = instance !== undefined && isFinal(instance) ? undefined : instance;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    group: apiVersion.split('/')[0] ?? '',
    status: stateOf(text(printableStatus) || text(phase) || 'Unknown', status['conditions']),
    ready: conditionOf(status['conditions'], 'Ready'),
    node: live?.status?.nodeName ?? text(nodeName),
    ip: live?.status?.interfaces?.[0]?.ipAddress ?? text(addresses[0]),
    created: metadata.creationTimestamp ?? '',
    ...sizeOf(machine, live),
  };
}

/** Indexes instances by the uid of their VM. */
export function instancesByOwner(instances: readonly Vmi[]): ReadonlyMap<string, Vmi> {
  return new Map(
    instances.flatMap((instance) => {
      const uid = ownerOf(instance);
      return uid === undefined ? [] : [[uid, instance] as const];
    }),
  );
}

export function ownerOf({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

export const HEADINGS = ['NAME', 'GROUP', 'STATUS', 'READY', 'AGE'];
export const WIDE_HEADINGS = [...HEADINGS, 'NODE', 'IP', 'CPUS', 'MEMORY'];

export function cellsOf(summary: Summary, now: number, { wide }: { readonly wide: boolean }): string[] {
  const { name, group, status, ready, created, node, ip, cpus, memory } = summary;
  const age = created === '' ? '<unknown>' : humanDuration(now - Date.parse(created));
  const cells = [name, group, status, ready, age];
  return wide ? [...cells, ...[node, ip, cpus, memory].map((cell) => cell || '<none>')] : cells;
}

/** Compares VMs for lists: by namespace, name and group. */
export function inOrder(a: CliVm, b: CliVm): number {
  const [before, after] = [placeOf(a), placeOf(b)];
  return before < after ? -1 : before > after ? 1 : 0;
}

const placeOf = ({ metadata, apiVersion }: CliVm) => [metadata.namespace, metadata.name, apiVersion].join(' ');

/** Returns the state. In some groups only a condition shows that a VM is paused. */
function stateOf(phase: string, conditions: unknown): string {
  return phase === 'Running' && conditionOf(conditions, 'Paused') === 'True' ? 'Paused' : phase;
}

function conditionOf(conditions: unknown, type: string): string {
  const list = Array.isArray(conditions) ? (conditions as readonly Condition[]) : [];
  return list.find((condition) => condition.type === type)?.status ?? 'False';
}
