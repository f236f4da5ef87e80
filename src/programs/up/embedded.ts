import { join } from 'node:path';
import { type ControlPlane, openControlPlane } from '#control-plane/apiserver/control-plane';
import { definedFields } from '#platform/base/defined-fields';
import { serveStream } from '#platform/runtime/http/serve-stream';
import { Metrics } from '#platform/runtime/metrics';
import { carbonSources } from '#programs/operator/carbon-sources';
import { webImageProbe } from '#vm/controllers/template/image-probe';
import { ImageVerifier } from '#vm/images/verifier';
import { webOf } from '#vm/images/web';
import { LogFile } from '#vm/node/agent/log-file';
import type { EdgeParts, EmbeddedOptions } from './embedded-options.ts';
import type { RealMachines } from './real-machines.ts';
import { type Cluster, startComponents } from './start-components.ts';

export type { EmbeddedOptions } from './embedded-options.ts';

/** Cluster whose API server listens. */
export interface Embedded extends Cluster<ControlPlane> {
  readonly metrics: Metrics;
}

/** Starts everything in this process: an API server that listens, and all components. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { clock, random, log, metrics = new Metrics() } = options;
  const { dataDir, store, durability, host, port, serviceClusterIpRange, audit } = options;
  const opened = await openControlPlane({
    ...definedFields({ dataDir, store, durability, host, port, serviceClusterIpRange, audit }),
    clock,
    random,
    log,
  });
  const machines = await realMachines(options);
  const parts = { metrics, carbonSources: carbonSources(), images: imageParts(options), serveStream };
  const edge = {
    ...parts,
    ...containerLogs(options),
    ...machines?.edgeParts(),
    ...definedFields({ fits: options.fits }),
  };
  const cluster = await startComponents(opened, options, edge);
  return {
    ...cluster,
    metrics,
    async stop() {
      await cluster.stop();
      await machines?.close({ leave: options.leaveMachines ?? false });
    },
  };
}

const NO_IMAGE_FLAGS = { imageHosts: [], imageMirror: [] };

/** The code for real machines is loaded only where a node needs it, so that others start faster. */
async function realMachines(options: EmbeddedOptions): Promise<RealMachines | undefined> {
  const { dataDir, pools, clock, log, machineImages = NO_IMAGE_FLAGS, hostDiskDirs = [] } = options;
  if (dataDir === undefined || !pools.some(({ runtime }) => runtime === 'qemu')) return undefined;
  const { RealMachines: Machines } = await import('./real-machines.ts');
  return new Machines({ pools, dataDir, clock, log, images: machineImages, hostDiskDirs });
}

/** Keeps container logs as long as the objects that they belong to. */
function containerLogs({ dataDir, store, clock, log }: EmbeddedOptions): Pick<EdgeParts, 'containerLogs'> {
  if (dataDir === undefined || store === 'memory') return {};
  return { containerLogs: new LogFile(join(dataDir, 'container-logs'), clock, log) };
}

/** Creates the probe and the verifier of images for the lifetime of the process, if images are verified. */
function imageParts({ images: fetch, clock, log }: EmbeddedOptions): NonNullable<EdgeParts['images']> {
  if (fetch === undefined) return {};
  const web = webOf(fetch);
  return { images: webImageProbe(web, clock), verifier: new ImageVerifier({ web, clock, log }) };
}
