import { HYPERSDK_VMS, type Template, VM_TEMPLATES } from '#api/hypersdk/resources';
import { TEMPLATE_FINALIZER, templateKey, userNames } from '#api/hypersdk/template-use';
import { vmTemplate } from '#api/hypersdk/vm-template';
import { type TenantLimits, TenantQueue } from '#platform/base/tenant-queue';
import { timestamp } from '#platform/base/timestamp';
import { type Context, type Controller, watchSource } from '#platform/runtime/controller';
import { keyOf } from '#platform/runtime/key';
import { OwnWrites } from '#platform/runtime/own-writes';
import { writeStatus } from '#platform/runtime/status';
import type { ReconcileResult } from '#platform/runtime/work-queue';
import { type AdmissionRecheck, AdmissionRechecks } from '#vm/engine/admission-recheck';
import { type ImageProbe, type ImageProbeResult, NOT_PROBED } from './image-probe.ts';
import { statusOf, type TemplateStatus } from './status.ts';
import { usersOf } from './users.ts';

interface TemplateControllerOptions {
  /** Rechecks stored objects. Absent if only objects that passed admission are stored. */
  readonly recheck?: AdmissionRecheck;
  /** Probes images. Absent if images are not probed. */
  readonly probe?: ImageProbe;
  /** Set if the digests of images are verified before VMs first start. */
  readonly verifies?: boolean;
}

/** Time within which VMs that are created or deleted are reported in one write. */
const GATHERED_MS = 200;
/** Intervals after which an image is probed again: if it could not be probed, and if the result is known. */
const UNKNOWN_AGAIN_MS = 5 * 60_000;
const KNOWN_AGAIN_MS = 60 * 60_000;

/** Limits concurrent probes, so that slow servers of one namespace do not delay others. */
const AT_ONCE: TenantLimits = { total: 16, perTenant: 2 };

/** Image probe in progress. */
interface Looking {
  readonly source: string;
  readonly abandoned: AbortController;
  readonly abandon: () => void;
}

interface ProbedImage {
  readonly source: string;
  readonly result: ImageProbeResult;
  /** Time on the wall clock, and on the monotonic clock. */
  readonly at: string;
  readonly since: number;
}

/**
 * Reconciles templates: reports whether VMs can be created from them and how many exist, and protects templates in use.
 */
export function templates({ recheck, probe, verifies = false }: TemplateControllerOptions = {}): Controller<Template> {
  const reviews = new AdmissionRechecks(vmTemplate, recheck);
  const own = new OwnWrites();
  const looks = new Map<string, ProbedImage>();
  const looking = new Map<string, Looking>();
  const queue = new TenantQueue(AT_ONCE);
  /** Time at which the status of a template was last written. */
  const written = new Map<string, number>();

  /**
   * Returns the known state of the image and probes it again if that is too old. Undefined before the first response.
   */
  function imageOf(template: Template, ask: ImageProbe, context: Context): ProbedImage | undefined {
    const key = keyOf(template);
    const { source } = template.spec.image;
    const known = looks.get(key)?.source === source ? looks.get(key) : undefined;
    if (looking.get(key)?.source !== source) abandon(key);
    if (known !== undefined && againIn(known, context.clock.monotonic()) > 0) return known;
    if (!looking.has(key)) lookFor(key, template, ask, context);
    return known;
  }

  /** Probes an image in the background, so that a server that does not respond only delays its own template. */
  function lookFor(key: string, { metadata, spec }: Template, ask: ImageProbe, context: Context): void {
    const { clock, enqueue } = context;
    const { source } = spec.image;
    const { namespace } = metadata;
    const abandoned = new AbortController();
    const signal = AbortSignal.any([context.signal, abandoned.signal]);
    const run = async () => {
      const result = signal.aborted ? undefined : await ask(source, signal);
      if (looking.get(key)?.abandoned !== abandoned) return;
      looking.delete(key);
      if (result === undefined || signal.aborted) return;
      looks.set(key, { source, result, at: timestamp(clock.now()), since: clock.monotonic() });
      enqueue(key);
    };
    // The entry is registered before it runs, which may be at once.
    const entry = { source, abandoned, abandon: () => place.leave(namespace) };
    looking.set(key, entry);
    const place = queue.add(run, namespace);
  }

  function abandon(key: string): void {
    const entry = looking.get(key);
    looking.delete(key);
    entry?.abandon();
    entry?.abandoned.abort();
  }

  async function run(template: Template, context: Context): Promise<ReconcileResult | undefined> {
    const { cache, clock, client } = context;
    const key = keyOf(template);
    const look = probe === undefined ? undefined : imageOf(template, probe, context);
    // The status is not written before the image was probed, or VMs would start without it.
    if (probe !== undefined && look === undefined) return undefined;
    const status = statusOf(template, {
      problem: reviews.of(key, template),
      image: look?.result ?? NOT_PROBED,
      lookedAt: look?.at,
      verifies,
      users: usersOf(template, cache(HYPERSDK_VMS)),
      now: timestamp(clock.now()),
    });
    const wait = (written.get(key) ?? Number.NEGATIVE_INFINITY) + GATHERED_MS - clock.monotonic();
    if (wait > 0 && isOnlyUsage(template.status, status)) return { requeueAfterMs: wait };
    const write = writeStatus(client, VM_TEMPLATES, template, status);
    if ((await own.during(key, write, () => context.enqueue(key))) !== template) written.set(key, clock.monotonic());
    return look === undefined || looking.has(key) ? undefined : { requeueAfterMs: againIn(look, clock.monotonic()) };
  }

  return {
    name: 'vmtemplate.hypersdk.io',
    for: VM_TEMPLATES,
    isOwnWrite: ({ metadata }) => own.isOwnWrite(keyOf({ metadata }), metadata.resourceVersion),
    watches: [
      watchSource(HYPERSDK_VMS, (vm, _context, { old, object }) => {
        const key = templateKey(vm);
        // Other changes of a VM do not concern its template.
        const isSame = old !== undefined && templateKey(old) === templateKey(object);
        return key === undefined || isSame ? [] : [key];
      }),
    ],
    reconcile: run,
    finalize: {
      finalizer: TEMPLATE_FINALIZER,
      async run(template, context) {
        const users = usersOf(template, context.cache(HYPERSDK_VMS));
        if (users.length === 0) return undefined;
        const message = `is deleted when no machine names it any more: ${userNames(users)}`;
        if (template.status?.ready !== false) context.events.event(template, 'Warning', 'InUse', message);
        return (await run(template, context)) ?? 'held';
      },
    },
    forget(key) {
      abandon(key);
      reviews.forget(key);
      own.forget(key);
      looks.delete(key);
      written.delete(key);
    },
  };
}

function againIn({ result, since }: ProbedImage, now: number): number {
  return since + (result.status === 'Unknown' ? UNKNOWN_AGAIN_MS : KNOWN_AGAIN_MS) - now;
}

/**
 * Reports whether only the set of VMs has changed. An unused template is reported at once, since it may then be
 * deleted.
 */
function isOnlyUsage(before: TemplateStatus | undefined, after: TemplateStatus): boolean {
  const isSame = before?.observedGeneration === after.observedGeneration && before?.ready === after.ready;
  return isSame && after.usageCount !== 0;
}
