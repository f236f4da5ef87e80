import type { VirtualMachine as HypersdkMachine } from '#api/hypersdk/virtual-machine';
import type { VMTemplate } from '#api/hypersdk/vm-template';
import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import type { NodeSize } from '#api/launcher-load';
import type { Condition } from './condition.ts';
import type { Blocker } from './dialect.ts';
import type { Usage } from './metrics.ts';

/**
 * What a machine may be measured by, beside its own words. All but the first is gathered only for dialects that ask for
 * it, and absent where nobody gathers it or the machine has nothing to do with it.
 */
export interface VmDependencies {
  /** What a share of one node is a share of. */
  readonly referenceNode: NodeSize;
  /** The template that the machine names; withheld where it is in a namespace of others, who do not share it. */
  readonly template?: VMTemplate | 'missing' | 'withheld';
  /** Whether the Secret that the machine reads at its first boot is there. */
  readonly secret?: 'there' | 'missing';
  /** What the grid says of a machine that heeds it. */
  readonly carbon?: CarbonAssessment;
  /** What the machine uses, where that is news to its status. */
  readonly usage?: Usage;
  /** The claims behind the disks of the machine, by the name of the disk. */
  readonly claims?: ReadonlyMap<string, ClaimState>;
  /** Whether the image of the machine has the digest that it must have. */
  readonly image?: ImageVerification;
}

/** A part of the surroundings that has to be gathered. */
export type DependencyName = Exclude<keyof VmDependencies, 'referenceNode'>;

/** What follows for a machine from the electricity that there is. */
export interface CarbonAssessment {
  /** CarbonAware, as it is to stand in the status. */
  readonly condition: Pick<Condition, 'status' | 'reason' | 'message'>;
  /** In gCO2/kWh, where it is known. */
  readonly intensity?: number;
  /** The machine is not started yet. */
  readonly waits?: Blocker;
  /** Nodes that are to be preferred, in the words of an affinity. */
  readonly preferred?: PreferredNodes;
  /** What the status is to remember; the start itself is for the dialect to add. */
  readonly record?: CarbonRecord;
}

export type CarbonRecord = NonNullable<NonNullable<HypersdkMachine['status']>['carbon']>;

type NodeAffinity = NonNullable<NonNullable<InstanceSpec['affinity']>['nodeAffinity']>;
export type PreferredNodes = NonNullable<NodeAffinity['preferredDuringSchedulingIgnoredDuringExecution']>;

/** What is known of an image whose digest is given: it is right, the machine waits for that, or nobody compares it. */
export type ImageVerification =
  | { readonly state: 'verified' }
  | { readonly state: 'waits'; readonly blocker: Blocker }
  | { readonly state: 'left'; readonly why: string };

/** The claim behind a disk. */
export interface ClaimState {
  readonly name: string;
  /** Whether it holds a volume, waits for one, is not there, or is there and not for this machine. */
  readonly state: 'bound' | 'pending' | 'missing' | 'taken';
  /** A word for programs and a sentence for people, where something keeps it from being as it should; the latter alone where it is other than spec says. */
  readonly reason?: string;
  readonly message?: string;
  /** It is of this size, and spec asks for more. */
  readonly size?: string;
  /** It gets its volume only when a pod that uses it has a node. */
  readonly waits?: true;
}
