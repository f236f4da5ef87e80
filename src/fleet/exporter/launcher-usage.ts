import { CPU_CONSUMPTION, CREATED_BY_LABEL, DOMAIN_ANNOTATION, MEMORY_CONSUMPTION, NAME_LABEL } from '#api/launcher';
import { type NodeSize, parseLoad } from '#api/launcher-load';
import { toNumber, tryParseQuantity } from '#platform/base/quantity';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Index } from '#platform/runtime/cache';

/** Label of pods that represent VMs, regardless of their creator. */
export const LAUNCHER_SELECTOR = 'kubevirt.io/domain';

/**
 * Shares of a node, as integers: they add up exactly and in any order, unlike fractions. The sum of 9000 whole nodes is
 * still exact.
 */
const SHARES = 1e12;
export const shareOf = (ratio: number) => Math.round(ratio * SHARES);
export const ratioOf = (share: number) => share / SHARES;

/** Usage of a launcher pod on its node, as shares of the reference node. */
export interface LauncherUsage {
  readonly node: string;
  readonly cpu: number;
  readonly memory: number;
  /** Node that the shares refer to. If undefined, it is the one that all simulated nodes have in common. */
  readonly reference: NodeSize | undefined;
}

/** Indexes launcher pods by the instance that they were created for. */
export const byInstance: Index<Pod> = {
  values: ({ metadata }) => {
    const uid = metadata.labels?.[CREATED_BY_LABEL];
    return uid === undefined ? [] : [uid];
  },
};

/** Returns the VM that a pod represents, or undefined if there is none. */
export function vmKeyOfPod({ metadata }: Pod): string | undefined {
  const { labels, annotations } = metadata;
  if (labels?.[LAUNCHER_SELECTOR] === undefined) return undefined;
  return annotations?.[DOMAIN_ANNOTATION] ?? labels[NAME_LABEL] ?? labels[LAUNCHER_SELECTOR];
}

/** Reports whether a pod is neither finished nor terminating. */
export function isLive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** Returns the usage of a live launcher pod, or undefined if it has no node. */
export function launcherUsageOf(pod: Pod): LauncherUsage | undefined {
  const { nodeName: node = '' } = pod.spec;
  if (node === '' || vmKeyOfPod(pod) === undefined || !isLive(pod)) return undefined;
  const { annotations } = pod.metadata;
  return {
    node,
    cpu: shareOf(amount(annotations?.[CPU_CONSUMPTION])),
    memory: shareOf(Math.min(1, amount(annotations?.[MEMORY_CONSUMPTION]))),
    reference: parseLoad(annotations)?.node,
  };
}

/** Returns usage in cores and bytes. */
export function usedAmounts({ cpu, memory, reference }: LauncherUsage, usual: Amounts): Amounts {
  const { cores, bytes } = reference === undefined ? usual : amountsOf(reference);
  return { cores: ratioOf(cpu) * cores, bytes: ratioOf(memory) * bytes };
}

/** Parses a usage annotation. Invalid values count as 0. */
export function amount(text: string | undefined): number {
  const value = Number(text ?? 0);
  return value > 0 && Number.isFinite(value) ? value : 0;
}

/** Returns the usage annotations of a scheduled launcher pod that cannot be parsed. */
export function unreadable(pod: Pod): readonly string[] {
  if ((pod.spec.nodeName ?? '') === '' || vmKeyOfPod(pod) === undefined || !isLive(pod)) return [];
  const { annotations = {} } = pod.metadata;
  return [CPU_CONSUMPTION, MEMORY_CONSUMPTION].filter((name) => {
    const text = annotations[name];
    return text !== undefined && (text.trim() === '' || !(Number(text) >= 0 && Number.isFinite(Number(text))));
  });
}

export interface Amounts {
  readonly cores: number;
  readonly bytes: number;
}

export function amountsOf({ cpu, memory }: { readonly [K in keyof NodeSize]?: string | number }): Amounts {
  return { cores: numberOf(cpu), bytes: numberOf(memory) };
}

function numberOf(text: string | number | undefined): number {
  const quantity = tryParseQuantity(text ?? '');
  return quantity === undefined ? 0 : toNumber(quantity);
}
