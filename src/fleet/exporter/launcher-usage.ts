import { CPU_CONSUMPTION, CREATED_BY_LABEL, DOMAIN_ANNOTATION, MEMORY_CONSUMPTION, NAME_LABEL } from '#api/launcher';
import { type NodeSize, parseLoad } from '#api/launcher-load';
import { toNumber, tryParseQuantity } from '#platform/base/quantity';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Index } from '#platform/runtime/cache';

/** Pods that stand for machines have this label, whoever made them. */
export const LAUNCHER_SELECTOR = 'kubevirt.io/domain';

/**
 * What a launcher pod uses of its node. In whole millionths of a core and bytes, or billionths of a node where the pod
 * does not say of which: whole numbers add up the same in any order.
 */
export interface LauncherUsage {
  readonly node: string;
  readonly microCores: number;
  readonly bytes: number;
  readonly cpuShare: number;
  readonly memoryShare: number;
}

/** Launcher pods by the instance that they were made for. */
export const byInstance: Index<Pod> = {
  values: ({ metadata }) => {
    const uid = metadata.labels?.[CREATED_BY_LABEL];
    return uid === undefined ? [] : [uid];
  },
};

/** The machine that a pod stands for; undefined where it stands for none. */
export function vmKeyOfPod({ metadata }: Pod): string | undefined {
  const { labels, annotations } = metadata;
  if (labels?.[LAUNCHER_SELECTOR] === undefined) return undefined;
  return annotations?.[DOMAIN_ANNOTATION] ?? labels[NAME_LABEL] ?? labels[LAUNCHER_SELECTOR];
}

/** Whether a pod is there to stay: neither at an end nor told to go. */
export function isLive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** What a live launcher pod uses on its node; undefined where it has none. */
export function launcherUsageOf(pod: Pod): LauncherUsage | undefined {
  const { nodeName: node = '' } = pod.spec;
  if (node === '' || vmKeyOfPod(pod) === undefined || !isLive(pod)) return undefined;
  const { annotations } = pod.metadata;
  const [cpu, memory] = [
    amount(annotations?.[CPU_CONSUMPTION]),
    Math.min(1, amount(annotations?.[MEMORY_CONSUMPTION])),
  ];
  const reference = parseLoad(annotations)?.node;
  if (reference === undefined) {
    return { node, microCores: 0, bytes: 0, cpuShare: Math.round(cpu * 1e9), memoryShare: Math.round(memory * 1e9) };
  }
  const { cores, bytes } = amountsOf(reference);
  return {
    node,
    microCores: Math.round(cpu * cores * 1e6),
    bytes: Math.round(memory * bytes),
    cpuShare: 0,
    memoryShare: 0,
  };
}

/** A consumption as pods write it; what is none counts for nothing. */
export function amount(text: string | undefined): number {
  const value = Number(text ?? 0);
  return value > 0 && Number.isFinite(value) ? value : 0;
}

/** The annotations of a launcher pod on a node that should tell a consumption and cannot be read as one. */
export function unreadable(pod: Pod): readonly string[] {
  if ((pod.spec.nodeName ?? '') === '' || vmKeyOfPod(pod) === undefined || !isLive(pod)) return [];
  const { annotations = {} } = pod.metadata;
  return [CPU_CONSUMPTION, MEMORY_CONSUMPTION].filter((name) => {
    const text = annotations[name];
    return text !== undefined && (text.trim() === '' || !(Number(text) >= 0 && Number.isFinite(Number(text))));
  });
}

export function amountsOf({ cpu, memory }: { readonly [K in keyof NodeSize]?: string | number }): {
  readonly cores: number;
  readonly bytes: number;
} {
  return { cores: numberOf(cpu), bytes: numberOf(memory) };
}

function numberOf(text: string | number | undefined): number {
  const quantity = tryParseQuantity(text ?? '');
  return quantity === undefined ? 0 : toNumber(quantity);
}
