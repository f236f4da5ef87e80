import { DEFAULT_LAUNCHER_IMAGE, SCHEDULABLE_LABEL } from '#api/launcher';
import type { Toleration } from '#platform/kube/kinds/pod';

/** How launcher pods are made; one for the whole operator. */
export interface LauncherSettings {
  readonly image: string;
  /** Virtual CPUs for each CPU that is set aside, where the machine does not say itself how much it wants. */
  readonly cpuAllocationRatio: number;
  /** What is set aside beside the memory of the guest: nothing, which simulated machines need, or what QEMU takes. */
  readonly memoryOverhead: 'none' | 'qemu';
  /** Labels that a node needs to run machines at all. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Taints that all machines put up with. */
  readonly tolerations: readonly Toleration[];
}

/** KWOK's own manifests keep everything else off its nodes by this taint. */
export const KWOK_TOLERATION: Toleration = {
  key: 'kwok.x-k8s.io/node',
  operator: 'Equal',
  value: 'fake',
  effect: 'NoSchedule',
};

/** For simulated machines. */
export const LAUNCHER_SETTINGS: LauncherSettings = {
  image: DEFAULT_LAUNCHER_IMAGE,
  cpuAllocationRatio: 10,
  memoryOverhead: 'none',
  nodeSelector: { [SCHEDULABLE_LABEL]: 'true' },
  tolerations: [KWOK_TOLERATION],
};
