import type { DialectName } from '#api/groups';
import type { NodeSize } from '#api/launcher-load';
import type { SchedulerConfiguration } from '#control-plane/scheduler/config/configuration';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Metrics } from '#platform/runtime/metrics';
import type { CarbonSettings } from '#vm/carbon/settings';
import type { Fetch } from '#vm/images/web';
import type { NodePool } from '#vm/node/simulated/node-pool';

export interface EmbeddedOptions {
  readonly dataDir?: string;
  readonly store: 'memory' | 'lmdb';
  readonly durability?: 'sync' | 'relaxed';
  readonly host?: string;
  readonly port?: number;
  readonly audit?: (line: string) => void;
  readonly dialects: readonly DialectName[];
  readonly pools: readonly NodePool[];
  /** Scheduler configuration. Defaults to that of kube-scheduler. */
  readonly scheduling?: SchedulerConfiguration;
  /** Start duration of pods that do not specify one. */
  readonly stageDelayMs?: number;
  readonly rollout?: 'LiveUpdate' | 'Stage';
  readonly nodeLostAfterMs?: number;
  /**
   * Heartbeats of nodes. Defaults to 'given', by leases; 'assumed' is for simulated time, where leases would be most of
   * the work.
   */
  readonly signsOfLife?: 'given' | 'assumed';
  /** Bandwidth of each node's network interface in bytes per second. */
  readonly link?: number;
  /** Node size that fractional VM sizes refer to where simulated nodes differ. */
  readonly referenceNode?: NodeSize;
  /** Carbon settings. If absent, carbon awareness is off. */
  readonly carbon?: CarbonSettings;
  /** Downloads images for verification. If absent, they are not verified. */
  readonly images?: Fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** Cancels the start, which then fails with the signal's reason. */
  readonly signal?: AbortSignal;
}
