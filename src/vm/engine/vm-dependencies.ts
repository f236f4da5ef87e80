import type { InstanceSpec } from '#api/kubevirt/virtual-machine-instance';
import type { NodeSize } from '#api/launcher-load';
import type { Kind, ObjectOf } from '#platform/schema/kind';
import type { Condition } from './condition.ts';
import type { Blocker } from './dialect.ts';
import type { VmUsage } from './metrics.ts';

/**
 * Facts besides the VM itself that its desired state depends on. All but the first are provided only to dialects that
 * request them, and are unset without a provider or if they do not concern the VM.
 */
export interface VmDependencies {
  /** Node size that fractional VM sizes refer to. */
  readonly referenceNode: NodeSize;
  /**
   * Template that the VM names, of a kind that only its dialect knows. Withheld if it is in another namespace that does
   * not share it.
   */
  readonly template?: ObjectOf<Kind> | 'missing' | 'withheld';
  /** Availability of the Secret that the VM reads at its first boot. */
  readonly secret?: 'there' | 'missing';
  /** Carbon assessment of a carbon-aware VM. */
  readonly carbon?: CarbonAssessment;
  /** Usage of the VM. Set only if the status should be updated with it. */
  readonly usage?: VmUsage;
  /** Claims of the VM's disks, by disk name. */
  readonly claims?: ReadonlyMap<string, ClaimState>;
  /** Verification of the image against the expected digest. */
  readonly image?: ImageVerification;
}

/** Names a dependency that needs a provider. */
export type DependencyName = Exclude<keyof VmDependencies, 'referenceNode'>;

/** Consequences of the current carbon intensity for a VM. */
export interface CarbonAssessment {
  /** CarbonAware condition for the status. */
  readonly condition: Pick<Condition, 'status' | 'reason' | 'message'>;
  /** Carbon intensity in gCO2/kWh, if known. */
  readonly intensity?: number;
  /** Blocker that delays the start of the VM. */
  readonly waits?: Blocker;
  /** Preferred nodes as terms of a node affinity. */
  readonly preferred?: PreferredNodes;
  /** Record for the status. The dialect adds the start itself. */
  readonly record?: CarbonRecord;
}

/** Effect of carbon awareness since the VM was last requested to run. Intensities are in gCO2/kWh, times in RFC 3339. */
export interface CarbonRecord {
  /** Grid zone whose intensity counts: the one that is waited for, then that of the node. */
  readonly zone?: string;
  readonly waitingSince?: string;
  readonly intensityWhenAsked?: number;
  /** Time of a delayed start, by the current forecast. */
  readonly startAt?: string;
  readonly startedAt?: string;
  readonly intensityAtStart?: number;
}

type NodeAffinity = NonNullable<NonNullable<InstanceSpec['affinity']>['nodeAffinity']>;
export type PreferredNodes = NonNullable<NodeAffinity['preferredDuringSchedulingIgnoredDuringExecution']>;

/** Verification of an image with a given digest: it matches, the VM waits for the check, or nothing compares it. */
export type ImageVerification =
  | { readonly state: 'verified' }
  | { readonly state: 'waits'; readonly blocker: Blocker }
  | { readonly state: 'left'; readonly why: string };

/** Describes the claim of a disk. */
export interface ClaimState {
  readonly name: string;
  /** The claim has a volume, waits for one, does not exist, or exists but is not for this VM. */
  readonly state: 'bound' | 'pending' | 'missing' | 'taken';
  /**
   * Reason and message if something prevents the desired state. The message alone reports a difference from the spec.
   */
  readonly reason?: string;
  readonly message?: string;
  /** Current size. Set if the spec requests more. */
  readonly size?: string;
  /** The claim is bound only after a pod that uses it has a node. */
  readonly waits?: true;
}
