import type { Template } from '#api/hypersdk/resources';
import { type TenantLimits, TenantQueue } from '#platform/base/tenant-queue';
import { timestamp } from '#platform/base/timestamp';
import type { Context } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import type { ImageProbe, ImageProbeResult } from './image-probe.ts';

/** Intervals after which an image is probed again: if it could not be probed, and if the result is known. */
const UNKNOWN_RECHECK_MS = 5 * 60_000;
const KNOWN_RECHECK_MS = 60 * 60_000;

/** Limits concurrent probes, so that slow servers of one namespace do not delay others. */
const AT_ONCE: TenantLimits = { total: 16, perTenant: 2 };

/** Image probe in progress. */
interface RunningProbe {
  readonly source: string;
  readonly abandoned: AbortController;
  readonly leaveQueue: () => void;
}

export interface ProbedImage {
  readonly source: string;
  readonly result: ImageProbeResult;
  /** Time on the wall clock, and on the monotonic clock. */
  readonly at: string;
  readonly since: number;
}

/** State of the image of one template. */
interface ImageEntry {
  running?: RunningProbe | undefined;
  probed?: ProbedImage;
}

/** Probes the images of templates in the background, and remembers the results. */
export class ImageProbes {
  readonly #probe: ImageProbe;
  readonly #entries = new Map<string, ImageEntry>();
  readonly #queue = new TenantQueue(AT_ONCE);

  constructor(probe: ImageProbe) {
    this.#probe = probe;
  }

  /**
   * Returns the known state of the image and probes it again if that is too old. Undefined before the first response.
   */
  of(template: Template, context: Context): ProbedImage | undefined {
    const { source } = template.spec.image;
    const entry = this.#entry(keyOf(template));
    const known = entry.probed?.source === source ? entry.probed : undefined;
    if (entry.running?.source !== source) abandon(entry);
    if (known !== undefined && probeAgainMs(known, context.clock.monotonic()) > 0) return known;
    if (entry.running === undefined) this.#start(entry, template, context);
    return known;
  }

  isRunning(key: string): boolean {
    return this.#entries.get(key)?.running !== undefined;
  }

  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) abandon(entry);
    this.#entries.delete(key);
  }

  #entry(key: string): ImageEntry {
    const entry = this.#entries.get(key) ?? {};
    this.#entries.set(key, entry);
    return entry;
  }

  /** Probes an image in the background, so that a server that does not respond only delays its own template. */
  #start(entry: ImageEntry, template: Template, context: Context): void {
    const { clock, enqueue } = context;
    const { source } = template.spec.image;
    const { namespace } = template.metadata;
    const abandoned = new AbortController();
    const signal = AbortSignal.any([context.signal, abandoned.signal]);
    const run = async () => {
      const result = signal.aborted ? undefined : await this.#probe(source, signal);
      if (entry.running?.abandoned !== abandoned) return;
      entry.running = undefined;
      if (result === undefined || signal.aborted) return;
      entry.probed = { source, result, at: timestamp(clock.now()), since: clock.monotonic() };
      enqueue(keyOf(template));
    };
    // The probe is registered before it runs, which may be at once.
    entry.running = { source, abandoned, leaveQueue: () => place.leave(namespace) };
    const place = this.#queue.add(run, namespace);
  }
}

function abandon(entry: ImageEntry): void {
  const { running } = entry;
  entry.running = undefined;
  running?.leaveQueue();
  running?.abandoned.abort();
}

export function probeAgainMs({ result, since }: ProbedImage, now: number): number {
  return since + (result.status === 'Unknown' ? UNKNOWN_RECHECK_MS : KNOWN_RECHECK_MS) - now;
}
