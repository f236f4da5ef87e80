import { DEFAULT_LAUNCHER_IMAGE, SCHEDULABLE_LABEL } from '#api/launcher';
import type { Toleration } from '#platform/kube/kinds/pod';

/** Settings for launcher pods, shared by the whole operator. */
export interface LauncherSettings {
  readonly image: string;
  /** Virtual CPUs per requested CPU, if the VM does not set its own CPU request. */
  readonly cpuAllocationRatio: number;
  /** Memory requested beyond that of the guest: none, as for simulated machines, or the overhead of QEMU. */
  readonly memoryOverhead: 'none' | 'qemu';
  /** Labels that a node must have to run VMs. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Tolerations of all launchers. */
  readonly tolerations: readonly Toleration[];
}

/** Tolerates the taint by which KWOK's manifests keep other pods off its nodes. */
export const KWOK_TOLERATION: Toleration = {
  key: 'kwok.x-k8s.io/node',
  operator: 'Equal',
  value: 'fake',
  effect: 'NoSchedule',
};

/** Default settings, for simulated machines. */
export const LAUNCHER_SETTINGS: LauncherSettings = {
  image: DEFAULT_LAUNCHER_IMAGE,
  cpuAllocationRatio: 10,
  memoryOverhead: 'none',
  nodeSelector: { [SCHEDULABLE_LABEL]: 'true' },
  tolerations: [KWOK_TOLERATION],
};
