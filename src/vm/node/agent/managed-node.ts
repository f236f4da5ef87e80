import type { Vmi } from '#api/kubevirt/resources';
import type { Pod } from '#platform/kube/kinds/pod';
import type { Machine, MachineDriver } from '../machine-driver.ts';
import type { Waiting } from '../pod/container-status.ts';

/** One node, as its agent knows it. */
export interface ManagedNode {
  readonly name: string;
  /** At which other nodes reach it. */
  readonly address: string;
  readonly driver: MachineDriver;
  /** Nothing is done for a node that is frozen. */
  readonly frozen: boolean;
  /** Whether the node may begin anything: not while its lease is in doubt. */
  readonly leaseHeld: boolean;
  /** Whether it is about to be found out if the node was declared lost: nothing is done for it meanwhile. */
  readonly inDoubt: boolean;
  /** There where the node is no more: nothing begins, and what has ended is told. */
  readonly gone?: string | undefined;
  /**
   * Whether machines that ran here before the agent did may have gone on running meanwhile: not where the node was
   * declared lost. Undefined while that is not known.
   */
  readonly mayAdopt: boolean | undefined;
}

/** The nodes that one agent speaks for. */
export interface ManagedNodes {
  find(node: string): ManagedNode | undefined;
}

/** What keeps a pod from running, and when to look again. */
export interface StartBlock {
  readonly waiting: Waiting;
  readonly until: number;
}

/** What answers for a machine, or a container, that is asked how it is. */
export interface ProbeAnswers {
  readonly ready: boolean;
  readonly alive: boolean;
}

/** What happens around machines on a kind of node: on real ones nothing holds pods up, and probes are really made. */
export interface NodeHooks {
  startBlock(pod: Pod, instance: Vmi | undefined, seenAt: number, now: number): StartBlock | undefined;
  probeAnswers(pod: Pod, instance: Vmi | undefined): ProbeAnswers;
  /** What the annotations of a machine that runs ask of its guest. */
  attend?(pod: Pod, instance: Vmi, machine: Machine, driver: MachineDriver): Promise<void>;
}
