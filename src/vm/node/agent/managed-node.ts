import type { Vmi } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Machine, MachineDriver } from '../machine-driver.ts';
import type { Waiting } from '../pod/container-status.ts';

/** Node as its node agent sees it. */
export interface ManagedNode {
  readonly name: string;
  /** Address for other nodes. */
  readonly address: string;
  readonly driver: MachineDriver;
  /** Nothing is done for a frozen node. */
  readonly frozen: boolean;
  /** The node may begin actions. False while its Lease is in doubt. */
  readonly leaseHeld: boolean;
  /** A pending renewal will show if the node was declared lost. Nothing is done for it meanwhile. */
  readonly inDoubt: boolean;
  /** Set if the node no longer exists. Nothing begins, and ended machines are reported. */
  readonly gone?: string | undefined;
  /**
   * Machines that ran here before the node agent started may still run. False if the node was declared lost, undefined
   * while that is not known.
   */
  readonly mayAdopt: boolean | undefined;
}

/** Nodes that one node agent manages. */
export interface ManagedNodes {
  find(node: string): ManagedNode | undefined;
}

/** Reason why a pod does not run yet, and when to check again. */
export interface StartBlock {
  readonly waiting: Waiting;
  readonly until: number;
}

/** Probe results of a machine or container. */
export interface ProbeResponses {
  readonly ready: boolean;
  readonly alive: boolean;
}

/** Hooks into machine handling for a kind of node. On real nodes nothing delays pods, and probes are really run. */
export interface NodeHooks {
  startBlock(pod: Pod, instance: Vmi | undefined, seenAt: number, now: number): StartBlock | undefined;
  probeAnswers(pod: Pod, instance: Vmi | undefined): ProbeResponses;
  /** Carries out what the annotations of a running machine request of its guest. */
  attend?(pod: Pod, instance: Vmi, machine: Machine, driver: MachineDriver): Promise<void>;
}
