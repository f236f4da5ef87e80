import type { DialectName } from '#api/groups';
import type { NodeSize } from '#api/launcher-load';
import type { SchedulerConfiguration } from '#control-plane/scheduler/config/configuration';
import type { Clock } from '#platform/base/clock';
import type { Logger } from '#platform/base/logger';
import type { Random } from '#platform/base/random';
import type { Client } from '#platform/kube/client';
import type { ServeStream } from '#platform/kube/web-socket';
import type { Informers } from '#platform/runtime/informers';
import type { Metrics } from '#platform/runtime/metrics';
import type { Runnable } from '#platform/runtime/runnable';
import type { ImageFlags } from '#programs/cli/image-flags';
import type { CarbonSources } from '#programs/operator/carbon';
import type { OperatorSettings } from '#programs/operator/controllers';
import type { CarbonSettings } from '#vm/carbon/settings';
import type { ForecastFits } from '#vm/dialects/novacron/pool/pool-forecasts';
import type { ImageFetch } from '#vm/images/web';
import type { LogStore } from '#vm/node/agent/container-logs';
import type { MachineDriver } from '#vm/node/machine-driver';
import type { NodePool } from '#vm/node/simulated/node-pool';

/** Options of the components, which run in a browser too. */
export interface ComponentOptions {
  readonly dialects: readonly DialectName[];
  /** Group that the short name `vm` means. Defaults to kubevirt.io if it is one of several. */
  readonly vmShortName?: string;
  readonly pools: readonly NodePool[];
  /** Pools of an earlier start with the same objects, whose nodes are adapted. */
  readonly earlierPools?: readonly NodePool[];
  /** Data directory that must not have VMs of an earlier start. */
  readonly mustBeEmpty?: string;
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
  /** Image of pools whose template has none. */
  readonly defaultImage?: string;
  /** Carbon settings. If absent, carbon awareness is off. */
  readonly carbon?: CarbonSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Cancels the start, which then fails with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Drivers of nodes that run real machines, by node. */
export type MachineDrivers = ReadonlyMap<string, MachineDriver>;

/** Access of drivers of real machines to the control plane. */
export interface DriverAccess {
  readonly clusterUid: string;
  /** Returns a client that acts as a node. */
  readonly clientOfNode: (node: string) => Client;
}

/** Parts of the components that need files, sockets or a network, which only some processes have. */
export interface EdgeParts {
  readonly metrics?: Metrics;
  /** Persists container output. If absent, it is lost with the process. */
  readonly containerLogs?: LogStore;
  /** Sources that carbon providers read. If absent, carbon awareness is off. */
  readonly carbonSources?: CarbonSources;
  /** Makes Services reachable on this host, if they have real machines behind them. */
  readonly serviceProxy?: (informers: Informers) => Runnable;
  /** Opens the drivers of nodes that run real machines, by node. If absent, all nodes are simulated. */
  readonly openDrivers?: (access: DriverAccess) => Promise<MachineDrivers>;
  /** Serves WebSockets. If absent, nobody can be connected to a guest. */
  readonly serveStream?: ServeStream;
  /** Deletes the disk of a claim with this UID, which real machines have used. */
  readonly deleteClaim?: (uid: string) => Promise<void>;
  /** Drivers that were opened. */
  readonly drivers?: MachineDrivers;
  /** Computes the fits of forecasts. Defaults to the thread of the controllers. */
  readonly fits?: ForecastFits;
  /** Probe and verifier of images. If absent, images are not verified. */
  readonly images?: Pick<OperatorSettings, 'images' | 'verifier'>;
}

export interface EmbeddedOptions extends ComponentOptions {
  /** Leaves real machines running when the process ends. */
  readonly leaveMachines?: boolean;
  readonly dataDir?: string;
  readonly store: 'memory' | 'lmdb';
  readonly durability?: 'sync' | 'relaxed';
  readonly host?: string;
  readonly port?: number;
  /** Addresses of Services. Defaults to those of an earlier start. */
  readonly serviceClusterIpRange?: string;
  readonly audit?: (line: string) => void;
  /** Where real machines get their images. Defaults to public servers. */
  readonly machineImages?: ImageFlags;
  /** Directories of the host whose files real machines may use as disks. */
  readonly hostDiskDirs?: readonly string[];
  /** Computes the fits of forecasts. Defaults to the thread of the controllers, for simulated time. */
  readonly fits?: ForecastFits;
  /** Downloads images for verification. If absent, they are not verified. */
  readonly images?: ImageFetch;
  readonly metrics?: Metrics;
}
